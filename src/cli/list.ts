import { Command } from "commander";
import { execOptions } from "../app/exec/options.js";
import { dataOptions } from "../data/options.js";
import { UsageError } from "../errors.js";
import { methods } from "../methods/index.js";
import { providers } from "../models/index.js";
import { suggest } from "../registry.js";
import { renderText } from "../report/tables/table.js";
import { retrievers } from "../retrievers/index.js";
import { runOptions } from "../run/options.js";
import { tasks } from "../tasks/index.js";
import type { OptionTable } from "../types.js";
import type { Terminal } from "./terminal.js";

type Listing = readonly { readonly name: string; readonly summary: string }[];

const things: Readonly<Record<string, () => Listing>> = {
  tasks: () => tasks.all.map(({ name, title }) => ({ name, summary: title })),
  methods: () => methods.all,
  retrievers: () => retrievers.all,
  providers: () => providers.all,
};

/** `lamp-eval list [kind]`: everything there is, straight from the registries. */
export function listCommand(io: Terminal): Command {
  return new Command("list")
    .argument("[kind]", `one of ${[...Object.keys(things), "options"].join(", ")}; all of them when left out`)
    .action((kind: string | undefined) => {
      const kinds = [...Object.keys(things), "options"];
      if (kind !== undefined && !kinds.includes(kind))
        throw new UsageError(`list ${kind}: no such kind${suggest(kind, kinds)}; kinds: ${kinds.join(", ")}`);
      for (const [name, listing] of Object.entries(things))
        if (kind === undefined || kind === name) io.out(section(name, listing()));
      if (kind === undefined || kind === "options") io.out(optionList());
    });
}

/** Every knob of every method, of the data and of the run, by dotted name. */
export function allOptions(): OptionTable {
  return Object.assign(
    {},
    dataOptions,
    runOptions,
    execOptions,
    ...methods.all.map(({ options }) => options),
  ) as OptionTable;
}

// --- internal ---

function section(title: string, listing: Listing): string {
  const width = Math.max(...listing.map(({ name }) => name.length));
  return `${title}\n${listing.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}\n`;
}

function optionList(): string {
  const column = (title: string) => ({ title, align: "left" }) as const;
  return `options (--set name=value)\n${renderText({
    columns: [column("name"), column("default"), column("accepts"), column("meaning")],
    rows: Object.entries(allOptions()).map(([name, { default: value, accepts, help }]) => [
      name,
      String(value),
      accepts,
      help,
    ]),
  })}`;
}

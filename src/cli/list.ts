import { Command } from "commander";
import { list, listKinds } from "../app/list.js";
import type { Terminal } from "./terminal.js";
import { renderListing } from "./text/list-text.js";

interface ListFlags {
  readonly method?: string;
  readonly json?: boolean;
}

/** `lamp-eval list [kind]`: everything there is, straight from the registries. */
export function listCommand(io: Terminal): Command {
  return new Command("list")
    .argument("[kind]", `one of ${listKinds.join(", ")}; all of them when left out`)
    .option("--method <name>", "only the options that this method reads")
    .option("--json", "as one JSON object, for programs")
    .action((kind: string | undefined, { method, json }: ListFlags) => {
      const listing = list({ kind, method }, io);
      if (json) io.out(JSON.stringify(listing, null, 2));
      else for (const section of renderListing(listing, io.columns)) io.out(section);
    });
}

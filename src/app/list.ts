import { type Catalogue, catalogueOf } from "../catalogue.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { wrapText } from "../text/wrap.js";
import type { OptionTable, OptionValue } from "../types.js";
import { allOptions } from "./common/all-options.js";
import type { Io } from "./io.js";

/** What can be listed, in the order of the list. */
export const listKinds = [
  "tasks",
  "methods",
  "retrievers",
  "selectors",
  "metrics",
  "judges",
  "embedders",
  "providers",
  "options",
] as const;

/** A thing of the list: its name and what it is. */
export interface Listed {
  readonly name: string;
  readonly summary: string;
}

/** A knob, set as `--set name=value`. */
export interface ListedOption {
  readonly name: string;
  readonly default: OptionValue;
  readonly accepts: string;
  readonly help: string;
}

/** The things of each kind that was asked for. */
export type Listing = Readonly<Partial<Record<(typeof listKinds)[number], readonly (Listed | ListedOption)[]>>>;

export interface ListSettings {
  /** Absent: all kinds; with `method`: options. */
  readonly kind?: string | undefined;
  /** Only the options that this method reads. */
  readonly method?: string | undefined;
}

/** Names and summaries by kind, in the order of the registries. Throws UsageError for an unknown kind or method. */
export function list({ kind, method }: ListSettings, io: Pick<Io, "catalogue">): Listing {
  if (kind !== undefined && !listKinds.some((known) => known === kind))
    throw new UsageError(`list ${kind}: no such kind${suggest(kind, listKinds)}; kinds: ${listKinds.join(", ")}`);
  const catalogue = catalogueOf(io);
  if (method === undefined) {
    const wanted = listKinds.filter((known) => kind === undefined || kind === known);
    return Object.fromEntries(wanted.map((known) => [known, thingsOf(known, catalogue)]));
  }
  if (kind !== undefined && kind !== "options")
    throw new UsageError(
      `list ${kind} --method ${method}: a method has options; lamp-eval list options --method ${method}`,
    );
  return { options: listedOptions(catalogue.methods.get(method, "--method").options) };
}

/** The options of a table by name. */
export const listedOptions = (options: OptionTable): ListedOption[] =>
  Object.entries(options).map(([name, { default: value, accepts, help }]) => ({ name, default: value, accepts, help }));

/** The list for a terminal of so many columns: a block for each kind. */
export const renderListing = (listing: Listing, width: number): string[] =>
  Object.entries(listing).map(([kind, things]) =>
    kind === "options"
      ? `options (--set name=value)\n${renderOptions(things as readonly ListedOption[], width)}\n`
      : `${kind}\n${renderThings(things as readonly Listed[], width)}\n`,
  );

/** An option: name, default and what it takes on one line, its meaning below. */
export const renderOptions = (options: readonly ListedOption[], width: number): string =>
  options
    .map(({ name, default: value, accepts, help }) =>
      [
        ...indented(`${name}=${value === "" ? '""' : value}  (${accepts})`, 2, width, 6),
        ...indented(help, 6, width),
      ].join("\n"),
    )
    .join("\n");

/** Text broken into lines of at most `width` characters behind `indent` blanks, later lines behind `later`. */
export const indented = (text: string, indent: number, width: number, later = indent): string[] =>
  wrapText(text, width - later).map((line, index) => " ".repeat(index === 0 ? indent : later) + line);

// --- internal ---

function thingsOf(kind: (typeof listKinds)[number], catalogue: Catalogue): readonly (Listed | ListedOption)[] {
  if (kind === "options") return listedOptions(allOptions(catalogue));
  if (kind === "tasks") return catalogue.tasks.all.map(({ name, title }) => ({ name, summary: title }));
  if (kind === "metrics") return metricsOf(catalogue);
  return catalogue[kind].all.map(({ name, summary }) => ({ name, summary }));
}

/** Those of the tasks, each once, and those that plug-ins bring. */
function metricsOf({ tasks, metrics }: Catalogue): Listed[] {
  const all = [...tasks.all.flatMap((task) => task.metrics), ...metrics.all];
  const byName = new Map(all.map((metric) => [metric.name, metric]));
  return [...byName.values()].map(({ name, title, better }) => ({ name, summary: `${title}, ${better} is better` }));
}

function renderThings(things: readonly Listed[], width: number): string {
  const column = Math.max(0, ...things.map(({ name }) => name.length)) + 4;
  return things
    .map(({ name, summary }) => indented(`  ${name.padEnd(column - 2)}${summary}`, 0, width, column).join("\n"))
    .join("\n");
}

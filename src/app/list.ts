import { UsageError } from "../errors.js";
import { groupBy } from "../results/grouped.js";
import { allOptions } from "../run/plan/options.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import type { OptionTable, OptionValue } from "../types/index.js";

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

export interface Listed {
  readonly name: string;
  readonly summary: string;
  /** What it stands under: of a task its benchmark. */
  readonly group?: string;
}

/** A knob, set as `--set name=value`. */
export interface ListedOption {
  readonly name: string;
  readonly default: OptionValue;
  readonly accepts: string;
  readonly help: string;
}

/** The things of each kind that was asked for. */
export type Listing = Readonly<Partial<Record<Kind, readonly (Listed | ListedOption)[]>>>;

type Kind = (typeof listKinds)[number];

export const isKind = (name: string): name is Kind => listKinds.some((known) => known === name);

interface ListSettings {
  /** Absent: all kinds; with `method`: options. */
  readonly kind?: Kind | undefined;
  /** Only the options that this method reads. */
  readonly method?: string | undefined;
}

/** Names and summaries by kind, in the order of the registries. Throws UsageError for an unknown method. */
export function list({ kind, method }: ListSettings, io: Pick<Io, "catalogue">): Listing {
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

export const listedOptions = (options: OptionTable): ListedOption[] =>
  Object.entries(options).map(([name, { default: value, accepts, help }]) => ({ name, default: value, accepts, help }));

function thingsOf(kind: Kind, catalogue: Catalogue): readonly (Listed | ListedOption)[] {
  if (kind === "options") return listedOptions(allOptions(catalogue));
  if (kind === "tasks") return tasksOf(catalogue);
  if (kind === "metrics") return metricsOf(catalogue);
  return catalogue[kind].all.map(({ name, summary }) => ({ name, summary }));
}

/** Tasks by benchmark; those of none come last. */
const tasksOf = ({ tasks }: Catalogue): Listed[] =>
  [...groupBy(tasks.all, ({ benchmark = "other" }) => benchmark)]
    .sort(([a], [b]) => Number(a === "other") - Number(b === "other"))
    .flatMap(([group, all]) => all.map(({ name, title }) => ({ name, summary: title, group })));

/** Those of the tasks, each once, and those that plug-ins bring. */
function metricsOf({ tasks, metrics }: Catalogue): Listed[] {
  const all = [...tasks.all.flatMap((task) => task.metrics), ...metrics.all];
  const byName = new Map(all.map((metric) => [metric.name, metric]));
  return [...byName.values()].map(({ name, title, better }) => ({ name, summary: `${title}, ${better} is better` }));
}

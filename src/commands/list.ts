import { Command } from "commander";
import { UsageError } from "../errors.js";
import { plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { suggest } from "../registry/registry.js";
import { groupBy } from "../results/grouped.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import { allOptions } from "../run/plan/options.js";
import type { Method, Option, OptionTable, OptionValue, Task } from "../types/index.js";
import { wrapText } from "./fit-text.js";
import type { Terminal } from "./terminal.js";

const registries = ["retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** What can be listed, and what of each kind there is. */
const kinds: Readonly<Record<string, (catalogue: Catalogue) => readonly Listed[]>> = {
  tasks: ({ tasks }) =>
    [...groupBy(tasks.all, ({ benchmark = "other" }) => benchmark)]
      .sort(([a], [b]) => Number(a === "other") - Number(b === "other"))
      .flatMap(([group, all]) => all.map(({ name, title }) => ({ name, summary: title, group }))),
  methods: ({ methods }) => methods.all.map(({ name, summary }) => ({ name, summary })),
  metrics: ({ tasks, metrics }) => {
    const all = [...tasks.all.flatMap((task) => task.metrics), ...metrics.all];
    const byName = new Map(all.map((metric) => [metric.name, metric])).values();
    return [...byName].map(({ name, title, better }) => ({ name, summary: `${title}, ${better} is better` }));
  },
  ...Object.fromEntries(
    registries.map((kind) => [
      kind,
      (catalogue: Catalogue) => catalogue[kind].all.map(({ name, summary }) => ({ name, summary })),
    ]),
  ),
};

interface Listed {
  readonly name: string;
  readonly summary: string;
  /** What it stands under: of a task its benchmark. */
  readonly group?: string;
}

/** An option, which is set as `--set name=value`. */
interface ListedOption extends Pick<Option<unknown>, "accepts" | "help"> {
  readonly name: string;
  readonly default: OptionValue;
}

interface Flags {
  readonly method?: string;
  readonly json?: boolean;
}

/** `lamp-eval list [what]`: the names of all there is, the things of one kind, or one thing explained. */
export function listCommand(io: Terminal): Command {
  const names = [...Object.keys(kinds), "options"].join(", ");
  return new Command("list")
    .argument("[what]", `a kind (${names}), or a method, a task or an option to explain, e.g. persona-agent, rag.k`)
    .option("--method <name>", "only the options that this method reads")
    .option("--json", "print JSON")
    .action((what: string | undefined, { method, json = false }: Flags) => {
      const catalogue = catalogueOf(io);
      const print = (value: object, text: () => string) => io.out(json ? JSON.stringify(value, null, 2) : text());
      if (what === "options" || (what === undefined && method !== undefined)) {
        const all = method === undefined ? allOptions(catalogue) : catalogue.methods.get(method, "--method").options;
        const options = listedOptions(all);
        return print({ options }, () => optionsText(options, io.columns));
      }
      if (method !== undefined)
        throw new UsageError(
          `list ${what} --method ${method}: a method has options; lamp-eval list options --method ${method}`,
        );
      if (what === undefined) {
        const all = Object.entries(kinds).map(([kind, of]) => [kind, of(catalogue)] as const);
        const options = listedOptions(allOptions(catalogue));
        return print({ ...Object.fromEntries(all), options }, () => overview(all, options.length, io.columns));
      }
      const listed = Object.hasOwn(kinds, what) ? kinds[what]!(catalogue) : undefined;
      if (listed !== undefined) return print({ [what]: listed }, () => `${what}\n${thingsText(listed, io.columns)}\n`);
      const explained = explain(what, catalogue);
      return print(explained, () => fieldsText(explained, io.columns));
    });
}

const listedOptions = (options: OptionTable): ListedOption[] =>
  Object.entries(options).map(([name, { default: usual, accepts, help }]) => ({ name, default: usual, accepts, help }));

/** What is known of a method, a task or an option, by field. Throws UsageError where nothing has this name. */
function explain(name: string, catalogue: Catalogue): Readonly<Record<string, string>> {
  const [method, task] = [catalogue.methods.find(name), catalogue.tasks.find(name)];
  if (method !== undefined) return explainMethod(method);
  if (task !== undefined) return explainTask(task);
  const options = allOptions(catalogue);
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option !== undefined) {
    const readers = catalogue.methods.all.filter((one) => Object.hasOwn(one.options, name)).map((one) => one.name);
    const { default: usual, accepts, help } = option;
    return { option: name, default: String(usual), accepts, help, methods: readers.join(", ") || "all" };
  }
  const known = [
    ...Object.keys(kinds),
    "options",
    ...catalogue.methods.names,
    ...catalogue.tasks.names,
    ...Object.keys(options),
  ];
  throw new UsageError(
    `list ${name}: no kind, method, task or option of this name${suggest(name, known)}; lamp-eval list prints all names`,
  );
}

const explainTask = ({ name, title, labels, metrics, maxAnswerTokens }: Task) => ({
  ...{ task: name, title, answers: labels.join(", ") || "text" },
  metrics: metrics.map((metric) => metric.name).join(", "),
  tokens: `${maxAnswerTokens} for an answer`,
});

function explainMethod(method: Method): Readonly<Record<string, string>> {
  const { name, summary, source } = method;
  const options = readOptions(method.options, {});
  const { tools, agent } = method.needs?.(options) ?? { tools: [], agent: false };
  const calls = Object.entries(plannedIn(method.plan(options).perQuestion(), { options: {} }))
    .filter(([, { high }]) => high > 0)
    .map(([phase, { low, high }]) => `${phase} ${low === high ? low : `${low} to ${high}`}`);
  const needs = [...(agent ? ["tool calls"] : []), ...tools];
  return {
    ...{ method: name, summary, source },
    ...(needs.length === 0 ? {} : { needs: needs.join(", ") }),
    "calls per question": calls.join(", ") || "none",
    options: listedOptions(method.options)
      .map((option) => `${option.name}=${option.default}`)
      .join(", "),
    more: `lamp-eval list options --method ${name}`,
  };
}

/** Text broken into lines of at most `width` characters behind `indent` blanks, later lines behind `later`. */
const indented = (text: string, indent: number, width: number, later = indent): string[] =>
  wrapText(text, width - later).map((line, index) => " ".repeat(index === 0 ? indent : later) + line);

const fieldsText = (fields: Readonly<Record<string, string>>, width: number): string =>
  Object.entries(fields)
    .flatMap(([field, text]) => indented(`${field}: ${text}`, 0, width, 2))
    .join("\n");

/** The names of each kind, which fit one screen: of the options only how many there are. */
function overview(all: readonly (readonly [string, readonly Listed[]])[], options: number, width: number): string {
  const column = Math.max(...all.map(([kind]) => kind.length)) + 2;
  const named = all.map(([kind, things]) => [kind, things.map(({ name }) => name).join(", ")] as const);
  const lines = [...named, ["options", `${options} options`] as const].flatMap(([kind, names]) =>
    indented(`${kind.padEnd(column)}${names}`, 0, width, column),
  );
  const ways = [
    ["lamp-eval list methods", "a line about each"],
    ["lamp-eval list rag", "explain one: source, calls, options"],
    ["lamp-eval list options --method rag", "only the options that this method reads"],
  ];
  return [...lines, "", ...ways.map(([typed = "", does]) => `${typed.padEnd(37)}${does}`)].join("\n");
}

/** An option: name, default and what it takes on one line, its meaning below. */
function optionsText(options: readonly ListedOption[], width: number): string {
  const lines = options.flatMap(({ name, default: usual, accepts, help }) => [
    ...indented(`${name}=${usual === "" ? '""' : usual}  (${accepts})`, 2, width, 6),
    ...indented(help, 6, width),
  ]);
  return ["options (--set name=value)", ...lines, ""].join("\n");
}

function thingsText(things: readonly Listed[], width: number): string {
  const column = Math.max(0, ...things.map(({ name }) => name.length)) + 4;
  return things
    .flatMap(({ name, summary, group }, index) => [
      ...(group === undefined || group === things[index - 1]?.group ? [] : [`${group}:`]),
      ...indented(`${name.padEnd(column - 2)}${summary}`, group === undefined ? 0 : 2, width, column),
    ])
    .join("\n");
}

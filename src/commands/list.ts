import { Command } from "commander";
import { UsageError } from "../errors.js";
import { suggest } from "../registry/registry.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import { allOptions } from "../run/plan/options.js";
import type { Method, OptionTable, Task } from "../types/index.js";
import { wrapText } from "./fit-text.js";
import type { Terminal } from "./terminal.js";

interface Listed {
  readonly name: string;
  readonly summary: string;
}

const registries = ["retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** Returns what there is, by kind. */
function thingsOf(catalogue: Catalogue): Readonly<Record<string, readonly Listed[]>> {
  const { tasks, methods, metrics } = catalogue;
  const scores = [...tasks.all.flatMap((task) => task.metrics), ...metrics.all];
  const named = (all: readonly Listed[]) => all.map(({ name, summary }) => ({ name, summary }));
  const isOther = ({ benchmark }: Task) => Number(benchmark === undefined);
  const sorted = [...tasks.all].sort((a, b) => isOther(a) - isOther(b));
  return {
    tasks: sorted.map(({ name, title: summary }) => ({ name, summary })),
    methods: named(methods.all),
    metrics: [...new Map(scores.map((metric) => [metric.name, metric])).values()].map(({ name, title, better }) => ({
      name,
      summary: `${title}, ${better} is better`,
    })),
    ...Object.fromEntries(registries.map((kind) => [kind, named(catalogue[kind].all)])),
  };
}

/** `lamp-eval list [what]`: the names of all there is, the things of one kind, or one thing explained. */
export const listCommand = (io: Terminal): Command =>
  new Command("list")
    .argument("[what]", "a kind (tasks, methods, ...), options, or a method, task or option to explain")
    .option("--method <name>", "only the options that this method reads")
    .option("--json", "print JSON")
    .action((what: string | undefined, { method, json }: { readonly method?: string; readonly json?: boolean }) => {
      const catalogue = catalogueOf(io);
      const kinds = thingsOf(catalogue);
      const print = (value: object, lines: () => readonly string[]) =>
        io.out(json === true ? JSON.stringify(value, null, 2) : lines().join("\n"));
      const table = method === undefined ? allOptions(catalogue) : catalogue.methods.get(method, "--method").options;
      const options = optionsIn(table);
      if (what === "options" || (what === undefined && method !== undefined))
        return print({ options }, () =>
          options.flatMap(({ name, default: usual, accepts, help }) => [
            ...indented(`${name}=${usual === "" ? '""' : usual}  (${accepts})`, 0, io.columns, 4),
            ...indented(help, 4, io.columns),
          ]),
        );
      if (method !== undefined) throw new UsageError(`list ${what}: --method goes with options`);
      if (what === undefined) return print({ ...kinds, options }, () => overview(kinds, options.length, io.columns));
      const listed = Object.hasOwn(kinds, what) ? kinds[what] : undefined;
      if (listed !== undefined)
        return print({ [what]: listed }, () =>
          columnsText(
            listed.map(({ name, summary }) => [name, summary]),
            io.columns,
          ),
        );
      const fields = explain(what, catalogue, kinds);
      return print(fields, () =>
        Object.entries(fields).flatMap(([field, text]) => indented(`${field}: ${text}`, 0, io.columns, 2)),
      );
    });

const optionsIn = (options: OptionTable) =>
  Object.entries(options).map(([name, { default: usual, accepts, help }]) => ({ name, default: usual, accepts, help }));

type Fields = Readonly<Record<string, string>>;

/** Returns what is known of a method, a task, an option or another thing. Throws UsageError where nothing has this name. */
function explain(name: string, catalogue: Catalogue, kinds: ReturnType<typeof thingsOf>): Fields {
  const [method, task] = [catalogue.methods.find(name), catalogue.tasks.find(name)];
  if (method !== undefined) return methodFields(method);
  if (task !== undefined) return taskFields(task);
  const options = allOptions(catalogue);
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option !== undefined) {
    const readers = catalogue.methods.all.filter((one) => Object.hasOwn(one.options, name)).map((one) => one.name);
    const { default: usual, accepts, help } = option;
    return { option: name, default: String(usual), accepts, help, methods: readers.join(", ") || "all" };
  }
  for (const [kind, things] of Object.entries(kinds)) {
    const found = things.find((one) => one.name === name);
    if (found !== undefined) return { [kind.replace(/s$/, "")]: name, summary: found.summary };
  }
  const names = Object.values(kinds).flatMap((things) => things.map((one) => one.name));
  const known = [...Object.keys(kinds), "options", ...names, ...Object.keys(options)];
  throw new UsageError(`list ${name}: nothing has this name${suggest(name, known)}; lamp-eval list prints all names`);
}

const taskFields = ({ name, title, labels, metrics, maxAnswerTokens }: Task): Fields => ({
  ...{ task: name, title, answers: labels.join(", ") || "text" },
  metrics: metrics.map((metric) => metric.name).join(", "),
  tokens: `${maxAnswerTokens} for an answer`,
});

function methodFields({ name, summary, source, options }: Method): Fields {
  return {
    ...{ method: name, summary, source },
    options: optionsIn(options)
      .map((option) => `${option.name}=${option.default}`)
      .join(", "),
    more: `lamp-eval list options --method ${name}`,
  };
}

/** Returns the names of each kind, which fit one screen; of the options only how many there are. */
const overview = (kinds: ReturnType<typeof thingsOf>, options: number, width: number): readonly string[] => [
  ...columnsText(
    [
      ...Object.entries(kinds).map(([kind, things]) => [kind, things.map(({ name }) => name).join(", ")] as const),
      ["options", `${options} options`],
    ],
    width,
  ),
  "",
  "lamp-eval list methods prints a line about each; lamp-eval list rag explains one",
];

/** Returns names, and beside them what is said of each. */
function columnsText(rows: readonly (readonly [name: string, text: string])[], width: number): string[] {
  const column = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  return rows.flatMap(([name, text]) => indented(`${name.padEnd(column)}${text}`, 0, width, column));
}

/** Breaks text into lines of at most `width` characters behind `indent` blanks, later lines behind `later`. */
const indented = (text: string, indent: number, width: number, later = indent): string[] =>
  wrapText(text, width - later).map((line, index) => " ".repeat(index === 0 ? indent : later) + line);

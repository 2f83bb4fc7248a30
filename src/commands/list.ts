import { readFileSync } from "node:fs";
import { Command } from "commander";
import { UsageError } from "../errors.js";
import { type Catalogue, catalogueOf } from "../plan/catalogue.js";
import { presetFiles } from "../plan/config.js";
import { allOptions } from "../plan/options.js";
import { suggest } from "../registry/registry.js";
import type { Method, OptionTable, Task } from "../types/index.js";
import { wrapText } from "./fit-text.js";
import { printJson } from "./json.js";
import type { Terminal } from "./terminal.js";

interface Listed {
  readonly name: string;
  readonly summary: string;
}

const registries = ["retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** Returns the names and summaries of everything registered, by kind. */
function listedBy(catalogue: Catalogue): Readonly<Record<string, readonly Listed[]>> {
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
    presets: [...presetFiles()].map(([name, file]) => ({ name, summary: firstComment(readFileSync(file, "utf8")) })),
  };
}

/** Returns the first sentence of the comment at the top of a preset. */
function firstComment(yaml: string): string {
  const comment = yaml.split("\n").filter((line) => line.startsWith("# ") && !line.includes("$schema"));
  const text = comment.map((line) => line.slice(2)).join(" ");
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

const optionsIn = (options: OptionTable) =>
  Object.entries(options).map(([name, { default: usual, accepts, help }]) => ({ name, default: usual, accepts, help }));

/** `lamp-eval list [what]`: the names of everything registered, one kind with summaries, or one thing explained. */
export const listCommand = (io: Terminal): Command =>
  new Command("list")
    .argument("[what]", "a kind (tasks, methods, ...), options, or a method, task or option to explain")
    .option("--method <name>", "only the options that this method reads")
    .option("--json", "print JSON")
    .action((named: string | undefined, { method, json }: { readonly method?: string; readonly json?: boolean }) => {
      const catalogue = catalogueOf(io);
      if (method !== undefined && named !== undefined && named !== "options")
        throw new UsageError(`list ${named}: --method goes with options`);
      const what = method === undefined ? named : "options";
      const table = method === undefined ? allOptions(catalogue) : catalogue.methods.get(method, "--method").options;
      const [kinds, options] = [listedBy(catalogue), optionsIn(table)];
      const print = (value: object, rows: readonly Row[]): void =>
        json === true ? printJson(io, "list", value) : io.out(columnsText(rows, io.columns));
      if (what === undefined) {
        const names = Object.entries(kinds).map(([kind, all]): Row => [kind, all.map(({ name }) => name).join(", ")]);
        print({ ...kinds, options }, [...names, ["options", `${options.length} options`]]);
        if (json !== true) io.out(HINT);
      } else if (what === "options")
        print(
          { options },
          options.map((one) => [`${one.name}=${one.default}`, `${one.help} (${one.accepts})`]),
        );
      else if (Object.hasOwn(kinds, what))
        print(
          { [what]: kinds[what] },
          kinds[what]!.map(({ name, summary }) => [name, summary]),
        );
      else {
        const fields = explain(what, catalogue, kinds);
        print(fields, Object.entries(fields));
      }
    });

const HINT = "\nlamp-eval list methods prints a line about each; lamp-eval list rag explains one";

type Fields = Readonly<Record<string, string>>;

/** Returns what is known of a method, a task, an option or another thing. Throws UsageError where nothing has this name. */
function explain(name: string, catalogue: Catalogue, kinds: ReturnType<typeof listedBy>): Fields {
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

const methodFields = ({ name, summary, source, options }: Method): Fields => ({
  ...{ method: name, summary, source },
  options: optionsIn(options)
    .map((option) => `${option.name}=${option.default}`)
    .join(", "),
  more: `lamp-eval list options --method ${name}`,
});

type Row = readonly [name: string, text: string];

/** A longer name has its text below it. */
const WIDEST_NAME = 20;

/** Formats names and, beside them, what is said of each, in lines of at most `width` characters. */
function columnsText(rows: readonly Row[], width: number): string {
  const column = Math.min(WIDEST_NAME, Math.max(0, ...rows.map(([name]) => name.length))) + 2;
  const indent = " ".repeat(column);
  return rows
    .map(([name, text]) => {
      const lines = wrapText(text, width - column).join(`\n${indent}`);
      return name.length < column ? `${name.padEnd(column)}${lines}` : `${name}\n${indent}${lines}`;
    })
    .join("\n");
}

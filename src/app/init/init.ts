import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { stringify } from "yaml";
import { catalogueOf } from "../../catalogue.js";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { namesIn } from "../common/names.js";
import { writeText } from "../common/write-text.js";
import type { Io } from "../io.js";

/** What a first config holds; each is what the flag of `run` takes. */
export interface InitSettings {
  /** Names with commas. Default: `lamp2m`. */
  readonly task?: string | undefined;
  /** Default: `prompt,rag,persona-agent`. */
  readonly method?: string | undefined;
  /** `provider/id`. Empty: the embedded model, SIMULATED. */
  readonly model?: string | undefined;
  /** Folder of real data. Empty: the built-in demo data. */
  readonly data?: string | undefined;
  /** US dollars at which runs stop, resumably. */
  readonly maxUsd?: number | undefined;
  /** The file. Default: `lamp-eval.yaml`. */
  readonly out?: string | undefined;
}

/** What is asked for and what an empty answer means, in this order. */
export const initQuestions = [
  { key: "task", ask: "Tasks, with commas (lamp-eval list tasks)", otherwise: "lamp2m" },
  { key: "method", ask: "Methods, with commas (lamp-eval list methods)", otherwise: "prompt,rag,persona-agent" },
  { key: "model", ask: "Model, e.g. anthropic/claude-haiku-5-5; empty: the embedded one, SIMULATED", otherwise: "" },
  { key: "data", ask: "Data folder; empty: the built-in demo data", otherwise: "" },
  { key: "maxUsd", ask: "Most US dollars to spend; empty: no cap", otherwise: "" },
] as const satisfies readonly { key: keyof InitSettings; ask: string; otherwise: string }[];

interface InitResult {
  /** Absolute. */
  readonly file: string;
  /** What to type next, a line each. */
  readonly next: readonly string[];
}

/** Writes a commented config for a first run. Throws UsageError on unknown names, and where the file exists with another text. */
export function init(settings: InitSettings, io: Pick<Io, "cwd" | "catalogue">): InitResult {
  const { tasks, methods, providers } = catalogueOf(io);
  const task = namesIn(settings.task || "lamp2m").map((name) => tasks.get(name, "--task").name);
  const method = namesIn(settings.method || "prompt,rag,persona-agent").map((name) =>
    name.startsWith("exec:") ? name : methods.get(name, "--method").name,
  );
  const { model = "", data = "", maxUsd } = settings;
  if (model !== "" && !/^[\w.-]+\/\S+$/.test(model))
    throw new UsageError(`--model ${model}: write PROVIDER/ID, e.g. anthropic/claude-haiku-5-5`);
  if (model !== "") providers.get(model.slice(0, model.indexOf("/")), `--model ${model}`);
  const file = resolve(io.cwd, settings.out ?? "lamp-eval.yaml");
  const shown = relative(io.cwd, file);
  const lines = [
    `# What lamp-eval run --config ${shown} does. Flags given there win over this file; lamp-eval validate ${shown} checks it.`,
    "",
    "# name: My first comparison # what the experiment is called: the title of its page",
    `${value("task", task)} # lamp-eval list tasks`,
    `${value("method", method)} # what each does: lamp-eval explain ${method.at(-1)}`,
    model === ""
      ? "# model: anthropic/claude-haiku-5-5 # without one the embedded model answers: SIMULATED, no key, no network"
      : `${value("model", model)} # its key comes from the environment (docs/PROVIDERS.md)`,
    `${model === "" ? "# " : ""}unsupported: drop # what a model does not take (Claude: a temperature) is left out, and tables say so`,
    data === ""
      ? "# data: datasets/lamp2m # official LaMP files; without them the built-in demo data (synthetic)"
      : value("data", data),
    "",
    "# Money: a run stops, resumably, before it spends more. --dry-run tells calls, tokens and dollars beforehand.",
    maxUsd === undefined || model === ""
      ? `# maxUsd: ${maxUsd ?? 5}${model === "" ? " # for a model with a price" : ""}`
      : value("maxUsd", maxUsd),
    "# maxCalls: 1000",
    "",
    "# How much is asked",
    "# users: 20 # the first so many users",
    "# queriesPerUser: 3 # at most so many questions of each, drawn by data.querySeed",
    "# repeats: 3 # independent repeats show the spread of a model",
    "",
    "# Knobs (lamp-eval list options --method rag)",
    "# set: { rag.k: 4 }",
    "",
    "# A sweep: lamp-eval sweep grid --config FILE",
    "# sweep: { rag.k: [1, 2, 4, 8] }",
  ];
  const text = `${lines.join("\n")}\n`;
  if (existsSync(file) && readText(file) !== text)
    throw new UsageError(`${shown}: there is such a file; write another with --out FILE`);
  writeText(file, text);
  return {
    file,
    next: [
      `lamp-eval validate ${shown}`,
      `lamp-eval run --config ${shown} --dry-run`,
      `lamp-eval run --config ${shown}`,
    ],
  };
}

const value = (key: string, content: unknown): string =>
  stringify({ [key]: content }, { collectionStyle: "flow", lineWidth: 0 })
    .trim()
    .replace(/^\{ (.*) \}$/, "$1");

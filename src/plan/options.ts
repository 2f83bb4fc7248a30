import { dataOptions } from "../data/options.js";
import { judgeOptions } from "../judges/options.js";
import { openaiApis } from "../models/endpoints.js";
import { choice, complete, decimal, givenIn, integer, readOptions, temperature, text } from "../registry/options.js";
import { namesIn } from "../text/words.js";
import type { Options, OptionTable } from "../types/index.js";
import { builtIn, type Catalogue } from "./catalogue.js";
import { controlOptions } from "./controls.js";
import type { Given } from "./types.js";

/** Options of the whole run. */
export const runOptions = {
  /** PersonaAgent (appendix E) gives 0.1 for all calls. `none` sends no temperature. */
  temperature: temperature({ default: 0.1, help: "sampling temperature of every call" }),
  embedder: text({ default: "embedded/hashed-1", help: "encoder of dense retrieval, provider/model-id" }),
  "embedder.baseUrl": text({
    default: "",
    help: "address of an openai embedder's server; empty: OPENAI_BASE_URL or OpenAI",
  }),
  /** METHODS 3.2: contriever ranks by the raw dot product. */
  "embedder.similarity": choice({
    default: "cosine",
    of: ["cosine", "dot"],
    help: "compare vectors by cosine, or by dot product of the model's own lengths (contriever)",
  }),
} as const;

/** How much a model may think. `auto`: what the provider's code finds right for short answers. */
const efforts = ["auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Options of every call. An arm has only those that are set, or that its model has settled. */
export const modelOptions = {
  "model.effort": choice({
    default: "auto",
    of: efforts,
    help: "how much a reasoning model thinks, where it can be told",
  }),
  "model.answerTokens": integer({
    default: 0,
    help: "least max_tokens of every call, thinking included; 0: as the task and the method say",
  }),
  "model.reference": text({
    default: "",
    help: "a further model, provider/id, whose log-probabilities measure how sure an answer is (RUMS); empty: the one that answers",
  }),
  "model.judge": text({
    default: "",
    help: "a further model, provider/id, that judges answers; empty: the one that answers",
  }),
  "model.omit": text({
    default: "",
    help: "parameters and fields of the request that are never sent, comma separated: temperature, stop, ...",
  }),
  "model.system": choice({
    default: "own",
    of: ["own", "fold"],
    help: "place of the system prompt; fold: before the first message, for servers that take no system role",
  }),
  "openai.api": choice({
    default: "auto",
    of: openaiApis,
    help: "wire of provider openai; auto: responses for OpenAI and Azure, chat for compatible servers; completions: a base model, asked in plain text",
  }),
} as const;

/** Returns an arm's model options that are not defaults. Given ones override those that the model has settled, but for `openai.api`. */
export function givenModelOptions(given: Given, settled: Given = {}): Given {
  const table: OptionTable = modelOptions;
  const { "openai.api": _, ...overriding } = given;
  const set = [settled, overriding].flatMap((values) => Object.entries(givenIn(table, values)));
  return Object.fromEntries(set.filter(([name, value]) => value !== table[name]?.default));
}

/** Options of servers and programs that change no answer. No arm has them. */
export const serverOptions = {
  "server.rpm": decimal({
    default: 0,
    min: 0,
    help: "requests a minute that the account allows; 0: from the server's headers",
  }),
  "server.itpm": decimal({ default: 0, min: 0, help: "input tokens a minute that the account allows; 0: not known" }),
  "server.otpm": decimal({ default: 0, min: 0, help: "output tokens a minute that the account allows; 0: not known" }),
  "server.deadlineSeconds": decimal({
    default: 600,
    min: 0.001,
    max: 86_400,
    help: "timeout of the first try of a call, each later one has twice the time; and of a method with no call out",
  }),
  "server.drainSeconds": decimal({
    default: 30,
    min: 0,
    max: 86_400,
    help: "how long calls in flight may finish after Ctrl-C, SIGTERM or SIGHUP",
  }),
  "server.cache": choice({
    default: "auto",
    of: ["auto", "off"],
    help: "mark prompts for the provider's prompt cache where that saves money",
  }),
  "exec.env": text({
    default: "",
    help: "variables that exec: programs get although they may hold secrets, comma separated",
  }),
} as const;

/** Returns the values of the server options. */
export function serverSettings(given: Given) {
  const options = readOptions(serverOptions, complete(serverOptions, given));
  const limits = { requests: options["server.rpm"], input: options["server.itpm"], output: options["server.otpm"] };
  return {
    /** Known limits of the account, a minute. */
    limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit > 0)) as Partial<typeof limits>,
    deadlineSeconds: options["server.deadlineSeconds"],
    drainSeconds: options["server.drainSeconds"],
    cache: options["server.cache"],
    /** Variables that `exec:` programs get although they may hold secrets. */
    execEnv: namesIn(options["exec.env"]),
  };
}

/** Options of `--method exec:COMMAND`. */
export const execOptions = {
  "exec.timeoutSeconds": decimal({
    default: 60,
    min: 0.001,
    max: 86_400,
    help: "exec: most seconds for one answer, calls of the run's model not counted",
  }),
  "exec.door": choice({
    default: "off",
    of: ["off", "on"],
    help: "exec: open a local OpenAI address whose calls are the run's; the program says when it is ready with a user",
  }),
  "exec.ingestSeconds": decimal({
    default: 3600,
    min: 0.001,
    max: 86_400,
    help: "exec.door: most seconds to take in one user, calls not counted",
  }),
  /** Any day does, as long as it stays: libraries write it into prompts, and a resumed run must ask the same. */
  "exec.date": text({ default: "2026-01-01", help: "exec.door: the date that the program is told is today" }),
  "exec.processes": integer({
    default: 1,
    min: 1,
    max: 256,
    help: "exec: processes side by side; a user stays with one",
  }),
} satisfies OptionTable;
export type ExecOptions = Options<typeof execOptions>;

/** Returns all options of methods, data and runs, by dotted name. */
export function allOptions({ methods }: Catalogue = builtIn): OptionTable {
  const table = {
    ...dataOptions,
    ...runOptions,
    ...modelOptions,
    ...serverOptions,
    ...judgeOptions,
    ...controlOptions,
  };
  return Object.assign(table, execOptions, ...methods.all.map(({ options }) => options));
}

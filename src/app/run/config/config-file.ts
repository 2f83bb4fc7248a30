import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { UsageError } from "../../../errors.js";
import { cacheSettings } from "../../../models/cache-marks.js";
import { endpointsSchema } from "../../../models/endpoints.js";
import { priceRowsSchema } from "../../../models/price-row.js";
import { unsupportedPolicies } from "../../../models/wrap/adapted.js";
import { type Registry, suggest } from "../../../registry.js";
import { givenName } from "../../../run/manifest/given-name.js";
import { sweepKinds } from "../../../run/plan/sweep.js";
import { shownAddress } from "../../../secrets/url.js";
import { fileTrouble } from "../../../text/file-trouble.js";
import { issueText } from "../../../text/schema-issue.js";
import { withoutMark } from "../../../text/without-mark.js";
import type { Task } from "../../../types.js";
import { namesIn } from "../../common/names.js";
import { yamlProblem } from "./yaml-words.js";

const optionValue = z.union([z.string(), z.number(), z.boolean()]);
const optionMap = z.record(z.string(), optionValue);
const names = z.union([z.string(), z.array(z.string())]);

/** What a run is asked to do. The keys of a config file are these names; flags are their kebab-case forms. */
const shape = {
  /** A preset or another shipped config to start from. */
  extends: z.string().optional(),
  /** What the experiment is called: the title of its page. No result depends on it. */
  name: givenName.optional(),
  task: names.optional(),
  method: names.optional(),
  /** Several models make the run a comparison of backbones. */
  model: names.optional(),
  /** Metrics besides those of the tasks. */
  metric: names.optional(),
  /** Files or packages with methods, tasks, metrics and so on of one's own; paths start from the file that names them. */
  plugins: names.optional(),
  data: z.string().optional(),
  /** Demo data, embedded model, embedded encoder and recorded Wikipedia pages, whatever else is named. */
  demo: z.boolean().optional(),
  users: z.int().positive().optional(),
  queriesPerUser: z.int().positive().optional(),
  limit: z.int().positive().optional(),
  historyLimit: z.string().optional(),
  set: optionMap.optional(),
  /** Options for one task only, by task name: `perTask: { lamp2m: { data.maxQueriesPerUser: 3 } }`. */
  perTask: z.record(z.string(), optionMap).optional(),
  /** How a sweep is walked and shown; with axes the default is `grid`. */
  kind: z.enum(sweepKinds).optional(),
  /** Axes: the values that a knob takes, `sweep: { memory.k: [1, 2, 4] }`. */
  sweep: z.record(z.string(), z.array(optionValue).min(1)).optional(),
  /** Arms besides those of the axes: `points: [{ memory.k: 2, align.iterations: 3 }]`. */
  points: z.array(optionMap).optional(),
  repeats: z.int().positive().max(1_000).optional(),
  maxCalls: z.int().nonnegative().optional(),
  maxUsd: z.number().nonnegative().optional(),
  /** A file that runs share their caps by: `maxCalls` and `maxUsd` are then those of all who name it. */
  purse: z.string().min(1).optional(),
  /** Prices of one's own: a file, in a config as seen from it, or the rows themselves. They come before the list. */
  prices: z.union([z.string(), priceRowsSchema]).optional(),
  maxFailed: z.number().min(0).max(1).optional(),
  maxUnparsed: z.number().min(0).max(1).optional(),
  concurrency: z.int().positive().max(10_000).optional(),
  /** Calls go out in batches, at half the price; `agents`: also those of methods that ask turn after turn. */
  batch: z.union([z.boolean(), z.literal("agents")]).optional(),
  /** Ends once everything that can be sent is out in batches; the same run collects them later. */
  detach: z.boolean().optional(),
  /** Sends requests again of which it cannot be told whether a batch has taken them. */
  batchAgain: z.boolean().optional(),
  /** Requests, input and output tokens a minute that the account allows, where the server's headers do not tell. */
  rpm: z.number().positive().optional(),
  itpm: z.number().positive().optional(),
  otpm: z.number().positive().optional(),
  /** Stop, resumably, when a server has not replied for so long. */
  giveUpAfter: z
    .string()
    .regex(/^\d+(\.\d+)?[smh]$/, "expected a time like 90s, 15m or 1h")
    .optional(),
  deadlineSeconds: z.number().positive().max(86_400).optional(),
  drainSeconds: z.number().nonnegative().max(86_400).optional(),
  seed: z.int().nonnegative().optional(),
  unsupported: z.enum(unsupportedPolicies).optional(),
  /** Whether prompts are marked for the provider's cache where that saves money. */
  cache: z.enum(cacheSettings).optional(),
  baseUrl: z.url().optional(),
  /** Servers by names of one's own, which then stand before the slash in `model`: `lab/llama-3.1-8b`. */
  endpoints: endpointsSchema.optional(),
  execEnv: z.array(z.string()).optional(),
  online: z.boolean().optional(),
  out: z.string().min(1, "expected a folder; leave it out for the usual one").optional(),
} as const;
export const configSchema = z.strictObject(shape);
export type RunConfig = z.infer<typeof configSchema>;

/** One place in a config file that cannot stand, told as one line. */
interface ConfigProblem {
  /** The file's keys that it makes unreadable. */
  readonly spoiled: readonly string[];
  /** Dotted; empty for the whole. */
  readonly key: string;
  /** What follows the key's name. */
  readonly text: string;
}

/** The file's own layer, on top of what it extends; its tasks are among `tasks`. Throws UsageError naming `shown` and the first problem. */
export function readConfig(path: string, shown: string, tasks: Tasks): RunConfig[] {
  const layers = configLayers(parsed(path, shown), shown, tasks);
  return layers.map((layer) => withPrices(layer, dirname(path), `${shown}: prices`));
}

/** The layer with the rows of its price file in place of the file's name. Throws UsageError naming `shown` and what is wrong. */
export function withPrices(layer: RunConfig, folder: string, shown: string): RunConfig {
  const { prices } = layer;
  if (typeof prices !== "string") return layer;
  const read = priceRowsSchema.safeParse(parsed(resolve(folder, prices), `${shown} ${prices}`));
  if (read.success) return { ...layer, prices: read.data };
  const issue = read.error.issues[0];
  const at = issue === undefined || issue.path.length === 0 ? "" : ` ${issue.path.join(".")}:`;
  throw new UsageError(
    `${shown} ${prices}:${at} ${issue === undefined ? "" : issueText(issue)}; a list of rows: - { model: openai/qwen3-8b, in: 0.1, out: 0.4 }`,
  );
}

/** The same of a file's content. */
export function configLayers(content: unknown, shown: string, tasks: Tasks): RunConfig[] {
  const config = checked(content, (key) => (key === "" ? shown : `${shown}: ${key}`));
  const layer =
    config.perTask === undefined
      ? config
      : { ...config, perTask: byTaskName(config.perTask, `${shown}: perTask`, tasks) };
  return config.extends === undefined ? [layer] : [...readPreset(config.extends, `${shown}: extends`, tasks), layer];
}

/** A preset is a config file that ships with the package: `paper-000` (the knobs), `paper-000-t2` (configs/000-t2.yaml), ... */
export function readPreset(name: string, where: string, tasks: Tasks): RunConfig[] {
  const all = presetFiles();
  const path = all.get(name);
  if (path !== undefined) return readConfig(path, `${where} ${name}`, tasks);
  const known = [...all.keys()];
  throw new UsageError(`${where} ${name}: no such preset${suggest(name, known)}; presets: ${known.join(", ")}`);
}

/** Paths of the shipped configs by the names that `--preset` and `extends` take. */
export function presetFiles(): ReadonlyMap<string, string> {
  const yamlIn = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith(".yaml"))
          .map((file) => join(folder, file))
      : [];
  const nameOf = (path: string): string => basename(path, ".yaml").replace(/^(?=\d)/, "paper-");
  return new Map(
    [...yamlIn(join(configsFolder, "presets")), ...yamlIn(configsFolder)].map((path) => [nameOf(path), path]),
  );
}

/** The settings of a value, or its first problem as a UsageError. `nameOf` says where a key stands; the empty key is the whole. */
export function checked(value: unknown, nameOf: (key: string) => string): RunConfig {
  const [problem] = configProblems(value);
  if (problem !== undefined) throw new UsageError(`${nameOf(problem.key)}${problem.text}`);
  return configSchema.parse(value);
}

/** All that is wrong with the form of a config's content. */
export function configProblems(value: unknown): ConfigProblem[] {
  const result = configSchema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue): ConfigProblem[] => {
    if (issue.code === "unrecognized_keys") {
      const keys = Object.keys(shape);
      return issue.keys.map((key) => ({
        spoiled: [key],
        key: "",
        text: `: unknown key "${key}"${suggest(key, keys)}; keys: ${keys.join(", ")}`,
      }));
    }
    const path = issue.path.map(String);
    const given = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], value);
    const shown =
      path.length === 0 || given === undefined
        ? ""
        : ` ${shownValue(isAddress(issue) ? shownAddress(String(given)) : given)}`;
    return [
      {
        spoiled: path.slice(0, 1),
        key: path.join("."),
        text: `${shown}: ${path.length === 0 ? NO_SETTINGS : issueText(issue)}`,
      },
    ];
  });
}

/** The plug-ins that a config file names. What is wrong with the file is told when it is read as a whole. */
export function configPlugins(path: string, shown: string): string[] {
  const content = z.object({ plugins: names }).safeParse(parsed(path, shown));
  return content.success ? namesIn([content.data.plugins].flat().join()) : [];
}

/** The content of a YAML file. Throws UsageError where it cannot be read. */
export function parsed(path: string, shown: string): unknown {
  let content: string;
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES)
      throw new UsageError(`${shown}: has ${size} bytes; a config has at most ${MOST_CHARACTERS} characters`);
    content = withoutMark(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}: ${fileTrouble(error)}: ${path}`);
  }
  if (content.includes("\0")) throw new UsageError(`${shown}: this is not UTF-8 text; save the file as UTF-8`);
  return parsedYaml(content, shown);
}

/** Characters of the largest config; those that ship with the package have some thousands. */
const MOST_CHARACTERS = 1 << 18;
/** More are more characters: such a file is not read. */
const MOST_BYTES = 4 * MOST_CHARACTERS;
/** Aliases that a config may use, those inside aliases counted again. */
const MOST_ALIASES = 100;
/** Of a file that is a list or a text as a whole. */
const NO_SETTINGS = "holds no settings; write each as name: value, e.g. task: lamp3";
/** Characters of a value in a message. */
const MOST_SHOWN = 200;

/** Loads a package for whoever has a config file. */
const load = createRequire(import.meta.url);

/** Bounded: a small file that unfolds to a large value, or to one without end, is refused. */
function parsedYaml(content: string, shown: string): unknown {
  if (content.length > MOST_CHARACTERS)
    throw new UsageError(`${shown}: has ${content.length} characters; a config has at most ${MOST_CHARACTERS}`);
  try {
    const { parseDocument } = load("yaml") as typeof import("yaml");
    const document = parseDocument(content, { stringKeys: true, logLevel: "error" });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES }) ?? {};
    JSON.stringify(value); // throws where a value contains itself
    return value;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(`${shown}: ${yamlProblem(error.message)}`);
  }
}

const isAddress = (issue: z.core.$ZodIssue): boolean => issue.code === "invalid_format" && issue.format === "url";

function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}

type Tasks = Registry<Task>;

const configsFolder = fileURLToPath(new URL("../../../../configs", import.meta.url));

/** Tasks may be spelled in any of their ways. */
const byTaskName = <T>(perTask: Readonly<Record<string, T>>, where: string, tasks: Tasks): Record<string, T> =>
  Object.fromEntries(Object.entries(perTask).map(([name, value]) => [tasks.get(name, where).name, value]));

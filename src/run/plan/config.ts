import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import type { Endpoints } from "../../models/endpoints.js";
import { priceRowsSchema } from "../../models/prices.js";
import { shownAddress } from "../../net/secrets.js";
import { choices } from "../../registry/registry.js";
import { fileTrouble, withoutMark } from "../../text/file-trouble.js";
import { issueText } from "../../text/schema-issue.js";
import { namesIn } from "../../text/words.js";
import type { Registry, Task } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import type { Io } from "../io.js";
import { configSchema, configSettings, type RunConfig } from "./settings.js";

/** One place in a config file that cannot stand, told as one line. */
interface ConfigProblem {
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

/** The endpoints of a config file, those that it extends included. Throws UsageError as `readConfig`. */
export function readEndpoints(shown: string, { cwd, catalogue }: Pick<Io, "cwd" | "catalogue">): Endpoints {
  const layers = readConfig(resolve(cwd, shown), shown, catalogueOf({ ...(catalogue && { catalogue }) }).tasks);
  return Object.assign({}, ...layers.map(({ endpoints }) => endpoints));
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
function configLayers(content: unknown, shown: string, tasks: Tasks): RunConfig[] {
  const config = checked(content, configSchema, (key) => (key === "" ? shown : `${shown}: ${key}`));
  const layer =
    config.perTask === undefined
      ? config
      : { ...config, perTask: byTaskName(config.perTask, `${shown}: perTask`, tasks) };
  return config.extends === undefined ? [layer] : [...readPreset(config.extends, `${shown}: extends`, tasks), layer];
}

/** A preset is a config file that ships with the package: `personaagent` (the knobs), `personaagent-t2` (configs/personaagent-t2.yaml), ... */
export function readPreset(name: string, where: string, tasks: Tasks): RunConfig[] {
  const all = presetFiles();
  const path = all.get(name);
  if (path !== undefined) return readConfig(path, `${where} ${name}`, tasks);
  const known = [...all.keys()];
  throw new UsageError(`${where} ${name}: no such preset${choices(name, known, "presets")}`);
}

/** Paths of the shipped configs by the names that `--preset` and `extends` take. */
export function presetFiles(): ReadonlyMap<string, string> {
  const yamlIn = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith(".yaml"))
          .map((file) => join(folder, file))
      : [];
  return new Map(
    [...yamlIn(join(configsFolder, "presets")), ...yamlIn(configsFolder)].map((path) => [
      basename(path, ".yaml"),
      path,
    ]),
  );
}

/** The settings of a value, or its first problem as a UsageError. `nameOf` says where a key stands; the empty key is the whole. */
export function checked<T>(value: unknown, schema: z.ZodObject & z.ZodType<T>, nameOf: (key: string) => string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [problem] = problemsOf(result.error, value, Object.keys(schema.shape));
  throw new UsageError(`${nameOf(problem?.key ?? "")}${problem?.text}`);
}

function problemsOf({ issues }: z.ZodError, value: unknown, keys: readonly string[]): ConfigProblem[] {
  return issues.flatMap((issue): ConfigProblem[] => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        key: "",
        text: `: unknown key "${key}"${choices(key, keys, "keys")}`,
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
        key: path.join("."),
        text: `${shown}: ${path.length === 0 ? NO_SETTINGS : issueText(issue)}`,
      },
    ];
  });
}

/** The plug-ins that a config file names. What is wrong with the file is told when it is read as a whole. */
export function configPlugins(path: string, shown: string): string[] {
  const content = z
    .object({ plugins: configSettings.plugins.type, task: configSettings.task.type })
    .safeParse(parsed(path, shown));
  if (!content.success) return [];
  const { plugins, task } = content.data;
  return [
    ...namesIn([plugins ?? []].flat().join()),
    ...namesIn([task ?? []].flat().join()).filter((name) => /\.ya?ml$/i.test(name)),
  ];
}

/** The content of a YAML file. Throws UsageError where it cannot be read. */
export function parsed(path: string, shown: string): unknown {
  let content: string;
  try {
    content = withoutMark(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${shown}: ${fileTrouble(error)}: ${path}`);
  }
  if (content.includes("\0")) throw new UsageError(`${shown}: this is not UTF-8 text; save the file as UTF-8`);
  return parsedYaml(content, shown);
}

/** Of a file that is a list or a text as a whole. */
const NO_SETTINGS = "holds no settings; write each as name: value, e.g. task: lamp3";
/** Characters of a value in a message. */
const MOST_SHOWN = 200;

/** Loads a package for whoever has a config file. */
const load = createRequire(import.meta.url);

/** Bounded: a small file that unfolds to a large value, or to one without end, is refused. */
function parsedYaml(content: string, shown: string): unknown {
  try {
    const { parseDocument } = load("yaml") as typeof import("yaml");
    const document = parseDocument(content, { stringKeys: true, logLevel: "error" });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS() ?? {};
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

const configsFolder = fileURLToPath(new URL("../../../configs", import.meta.url));

/** Tasks may be spelled in any of their ways. */
const byTaskName = <T>(perTask: Readonly<Record<string, T>>, where: string, tasks: Tasks): Record<string, T> =>
  Object.fromEntries(Object.entries(perTask).map(([name, value]) => [tasks.get(name, where).name, value]));

/** Where a bracket is left open, plainer words than the YAML reader's. */
const yamlProblem = (message: string): string =>
  (message.split("\n")[0] ?? "")
    .replace(/:$/, "")
    .replace(
      /^Flow (?:sequence|map) in block collection must be sufficiently indented and end with a ([\]}])/,
      "no $1",
    );

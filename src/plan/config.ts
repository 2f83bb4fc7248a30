import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { UsageError } from "../errors.js";
import type { Endpoints } from "../models/endpoints.js";
import { priceRowsSchema } from "../models/prices.js";
import { shownAddress } from "../net/secrets.js";
import { choices } from "../registry/registry.js";
import { fileTrouble, withoutMark } from "../text/file-trouble.js";
import { issueText, placedIssue } from "../text/schema-issue.js";
import { namesIn } from "../text/words.js";
import type { Registry, Task } from "../types/index.js";
import { catalogueOf } from "./catalogue.js";
import type { Io } from "./io.js";
import { configSchema, configSettings, type RunConfig } from "./settings.js";

type Tasks = Registry<Task>;

/** Returns the layers of a config file: those that it extends, then its own. Throws UsageError naming `shown` and the first problem. */
export function readConfig(path: string, shown: string, tasks: Tasks): RunConfig[] {
  const nameOf = (key: string): string => (key === "" ? shown : `${shown}: ${key}`);
  const config = checked(parsed(path, shown), configSchema, nameOf);
  const taskOf = (name: string): string => tasks.get(name, nameOf("perTask")).name;
  const perTask = Object.entries(config.perTask ?? {}).map(([name, options]) => [taskOf(name), options]);
  const inherited = config.extends === undefined ? [] : readPreset(config.extends, nameOf("extends"), tasks);
  const layer = { ...config, perTask: Object.fromEntries(perTask) };
  return [...inherited, withPrices(layer, dirname(path), nameOf("prices"))];
}

/** Returns the endpoints of a config file, those that it extends included. Throws UsageError as `readConfig`. */
export function readEndpoints(shown: string, io: Pick<Io, "cwd" | "catalogue">): Endpoints {
  const layers = readConfig(resolve(io.cwd, shown), shown, catalogueOf(io).tasks);
  return Object.assign({}, ...layers.map(({ endpoints }) => endpoints));
}

/** Returns the layer with the rows of its price file in place of the file's name. Throws UsageError naming `shown` and what is wrong. */
export function withPrices<T extends RunConfig>(layer: T, folder: string, shown: string): T {
  const { prices } = layer;
  if (typeof prices !== "string") return layer;
  const read = priceRowsSchema.safeParse(parsed(resolve(folder, prices), `${shown} ${prices}`));
  if (read.success) return { ...layer, prices: read.data };
  throw new UsageError(
    `${shown} ${prices}: ${placedIssue(read.error)}; write rows: - { model: openai/qwen3-8b, in: 0.1, out: 0.4 }`,
  );
}

/** Reads a preset, a config file that ships with the package: `personaagent` (the options), `personaagent-t2` (configs/personaagent-t2.yaml), ... */
export function readPreset(name: string, where: string, tasks: Tasks): RunConfig[] {
  const all = presetFiles();
  const path = all.get(name);
  if (path !== undefined) return readConfig(path, `${where} ${name}`, tasks);
  throw new UsageError(`${where} ${name}: no such preset${choices(name, [...all.keys()], "presets")}`);
}

const configsFolder = fileURLToPath(new URL("../../configs", import.meta.url));

/** Returns the paths of the shipped configs by the names that `--preset` and `extends` take. */
export function presetFiles(): ReadonlyMap<string, string> {
  const files = [join(configsFolder, "presets"), configsFolder].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [],
  );
  const yaml = files.filter((path) => path.endsWith(".yaml"));
  return new Map(yaml.map((path) => [basename(path, ".yaml"), path]));
}

/** Returns the settings of a value. Throws UsageError on the first problem. `nameOf` says where a key stands; the empty key is the whole. */
export function checked<T>(value: unknown, schema: z.ZodObject & z.ZodType<T>, nameOf: (key: string) => string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!; // there is one
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    throw new UsageError(`${nameOf("")}: unknown key "${key}"${choices(key, Object.keys(schema.shape), "keys")}`);
  }
  const path = issue.path.map(String);
  if (path.length === 0)
    throw new UsageError(`${nameOf("")}: holds no settings; write each as name: value, e.g. task: lamp3`);
  const given = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], value);
  const isAddress = issue.code === "invalid_format" && issue.format === "url";
  const shown = JSON.stringify(isAddress ? shownAddress(String(given)) : given)?.slice(0, MOST_SHOWN);
  throw new UsageError(`${nameOf(path.join("."))}${shown === undefined ? "" : ` ${shown}`}: ${issueText(issue)}`);
}

/** Characters of a value in a message. */
const MOST_SHOWN = 200;

/** Returns the plug-ins that a config file names. What is wrong with the file is told when it is read as a whole. */
export function configPlugins(path: string, shown: string): string[] {
  const schema = z.object({ plugins: configSettings.plugins.type, task: configSettings.task.type });
  const { plugins, task } = schema.partial().safeParse(parsed(path, shown)).data ?? {};
  const named = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());
  return [...named(plugins), ...named(task).filter((name) => /\.ya?ml$/i.test(name))];
}

/** Loads a package for whoever has a config file. */
const load = createRequire(import.meta.url);

/** Returns the content of a YAML file. Throws UsageError where it cannot be read, or unfolds without end. */
export function parsed(path: string, shown: string): unknown {
  let content: string;
  try {
    content = withoutMark(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${shown}: ${fileTrouble(error)}: ${path}`);
  }
  if (content.includes("\0")) throw new UsageError(`${shown}: this is not UTF-8 text; save the file as UTF-8`);
  try {
    const { parseDocument } = load("yaml") as typeof import("yaml");
    const document = parseDocument(content, { stringKeys: true, logLevel: "error" });
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS() ?? {};
    JSON.stringify(value); // throws where a value contains itself
    return value;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(`${shown}: ${(error.message.split("\n")[0] ?? "").replace(/:$/, "")}`);
  }
}

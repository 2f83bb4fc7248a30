import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import type { Additions, Plugin } from "../../plan/catalogue.js";
import { checked, parsed } from "../../plan/config.js";
import type { Manifest } from "../../record/manifest.js";
import { suggest } from "../../registry/registry.js";
import { type CustomTask, customMetrics, customTask } from "../../tasks/custom.js";
import { contentId } from "../../text/content-id.js";
import { namesIn } from "../../text/words.js";
import type { Task } from "../../types/index.js";

export const isOwnTaskFile = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Returns the files among names of tasks, which may stand in lists with commas. */
export const ownTaskFiles = (tasks: readonly string[]): string[] => namesIn(tasks.join()).filter(isOwnTaskFile);

const words = z.string().trim().min(1);

const schema = z.strictObject({
  name: z.string().regex(/^[\w.+-]+$/, "expected a name without blanks, e.g. support-tickets"),
  title: words.optional(),
  kind: z.enum(["label", "rating", "text", "choice"]),
  labels: z
    .array(z.union([words, z.number().transform(String)]))
    .min(2)
    .optional(),
  options: z.int().min(2).max(10).optional(),
  range: z.strictObject({ from: z.int(), to: z.int() }).optional(),
  question: words.refine((text) => text.split("{input}").length === 2, "expected text with {input} in it once"),
  item: words.optional(),
  answer: words.optional(),
  event: words.optional(),
  document: words.optional(),
  prompt: z.strictObject({ item: z.string().min(1), insert: z.string().min(1) }).optional(),
  summary: words.optional(),
  metrics: z.array(z.string()).min(1).optional(),
  majority: z.enum(["user", "data", "none"]).optional(),
  maxAnswerTokens: z.int().min(1).optional(),
});

/** Loads the task that a YAML file defines, as a plug-in of one thing. Throws UsageError naming the file and the first key that is wrong. */
export function loadOwnTask(named: string, from: string): { plugin: Plugin; additions: Additions } {
  const entry = resolve(from, named);
  const own = checked(parsed(entry, named), schema, (key) => (key === "" ? named : `${named}: ${key}`));
  const problem = problemOf(own);
  if (problem !== undefined) throw new UsageError(`${named}: ${problem}`);
  const files = { [basename(entry)]: hash("sha256", readFileSync(entry)) };
  const facts = { files, hash: contentId(files), brings: [`task ${own.name}`], entry, definition: { ...own } };
  return { plugin: { name: own.name, ...facts }, additions: { tasks: [customTask(own, named)] } };
}

/** Returns the tasks in YAML that a run was begun with: they are data, no code is loaded. `run` names it in errors. */
export const recordedTasks = ({ plugins = [] }: Pick<Manifest, "plugins">, run: string): Task[] =>
  plugins.flatMap(({ definition, files }) => {
    if (definition === undefined) return [];
    const own = checked(definition, schema, (key) => `${run}: task ${key}`);
    return [customTask(own, Object.keys(files)[0] ?? run)];
  });

/** Keys that only tasks of these kinds have. */
const keysOfKinds = { labels: ["label"], range: ["rating"], options: ["choice"], majority: ["label", "rating"] };

/** Returns the first thing in a definition that does not go together; undefined where all does. */
function problemOf(own: CustomTask): string | undefined {
  const { kind, labels, range, metrics = [], prompt, question } = own;
  for (const [key, ofKinds] of Object.entries(keysOfKinds))
    if (own[key as keyof typeof keysOfKinds] !== undefined && !ofKinds.includes(kind))
      return `${key}: a ${kind} task has none; leave it out`;
  if (kind === "label" && labels === undefined) return "labels: missing; list the answers: labels: [billing, delivery]";
  if (new Set(labels).size !== (labels ?? []).length) return "labels: one is there twice; keep one";
  if (kind === "rating" && range === undefined) return "range: missing; name both ends: range: {from: 1, to: 5}";
  if (range && range.from >= range.to) return `range: from ${range.from} must be below to ${range.to}`;
  if ((question.split("{options}").length === 2) !== (kind === "choice"))
    return "question: expected text with {options} in it once in a choice task, and in no other";
  const foreign = metrics.find((name) => !customMetrics[kind].includes(name));
  if (foreign !== undefined)
    return `metrics: ${foreign} does not score a ${kind} task; expected some of ${customMetrics[kind].join(", ")}`;
  if (prompt && !["{items}", "{question}"].every((part) => prompt.insert.includes(part)))
    return "prompt.insert: expected text with {items} and {question} in it";
  return (
    unknownPart("question", question, ["input", "labels", "options"]) ??
    unknownPart("prompt.insert", prompt?.insert ?? "", ["items", "question"])
  );
}

/** Returns what is wrong with the first `{name}` in a template that stands for nothing. */
function unknownPart(key: string, template: string, names: readonly string[]): string | undefined {
  const [name] = [...template.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => (names.includes(name) ? [] : [name]));
  if (name === undefined) return undefined;
  return `${key}: unknown {${name}}${suggest(name, names)}; expected ${names.map((one) => `{${one}}`).join(", ")}`;
}

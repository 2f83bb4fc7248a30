import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import { suggest } from "../../registry/registry.js";
import type { Additions, Plugin } from "../../run/catalogue.js";
import { type Manifest, readManifest } from "../../run/manifest.js";
import { checked, parsed } from "../../run/plan/config.js";
import { type OwnTask, ownMetrics, ownTask } from "../../tasks/own.js";
import { contentId } from "../../text/content-id.js";
import { namesIn } from "../../text/names.js";
import type { Task } from "../../types/index.js";

export const isOwnTaskFile = (name: string): boolean => /\.ya?ml$/i.test(name);

/** The files among names of tasks, which may stand in lists with commas. */
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

/** The task that a YAML file defines, as a plug-in of one thing. Throws UsageError naming the file and the first key that is wrong. */
export function loadOwnTask(named: string, from: string): { plugin: Plugin; additions: Additions } {
  const entry = resolve(from, named);
  const own: OwnTask = checked(parsed(entry, named), schema, (key) => (key === "" ? named : `${named}: ${key}`));
  const problem = problemOf(own);
  if (problem !== undefined) throw new UsageError(`${named}: ${problem}`);
  const files = { [basename(entry)]: createHash("sha256").update(readFileSync(entry)).digest("hex") };
  const definition: Plugin["definition"] = { ...own };
  const plugin = { name: own.name, files, hash: contentId(files), brings: [`task ${own.name}`], entry, definition };
  return { plugin, additions: { tasks: [ownTask(own, named)] } };
}

/** The tasks in YAML that a run folder was begun with. None where there is no run. */
export const ownTasksOf = (run: string): Task[] => ownTasksIn(manifestOf(run) ?? {}, run);

/** The tasks in YAML that a manifest holds: they are data, no code is loaded. `run` names it in errors. */
export function ownTasksIn({ plugins = [] }: Pick<Manifest, "plugins">, run: string): Task[] {
  return plugins.flatMap(({ definition, files }) =>
    definition === undefined
      ? []
      : [
          ownTask(
            checked(definition, schema, (key) => `${run}: task ${key}`),
            Object.keys(files)[0] ?? run,
          ),
        ],
  );
}

/** Whoever reads the run says what is wrong with a manifest that cannot be read. */
function manifestOf(run: string): Manifest | undefined {
  try {
    return readManifest(run);
  } catch {
    return undefined;
  }
}

function problemOf({
  kind,
  labels,
  range,
  metrics = [],
  prompt,
  question,
  options,
  majority,
}: OwnTask): string | undefined {
  if (kind === "label" && labels === undefined) return "labels: missing; list the answers: labels: [billing, delivery]";
  if (kind !== "label" && labels !== undefined) return `labels: a ${kind} task has none; leave them out`;
  if (new Set(labels).size !== (labels ?? []).length) return "labels: one is there twice; keep one";
  if (kind === "rating" && range === undefined) return "range: missing; name both ends: range: {from: 1, to: 5}";
  if (kind !== "rating" && range !== undefined) return `range: a ${kind} task has none; leave it out`;
  if (range !== undefined && range.from >= range.to) return `range: from ${range.from} must be below to ${range.to}`;
  const isChoice = kind === "choice";
  if (isChoice !== (question.split("{options}").length === 2))
    return isChoice
      ? "question: expected text with {options} in it once"
      : `question: {options} is of choice tasks; this is a ${kind} task`;
  if (!isChoice && options !== undefined) return `options: a ${kind} task has none; leave it out`;
  if (majority !== undefined && kind !== "label" && kind !== "rating")
    return `majority: a ${kind} task has no list of labels; leave it out`;
  const foreign = metrics.find((name) => !ownMetrics[kind].includes(name));
  if (foreign !== undefined)
    return `metrics: ${foreign} does not score a ${kind} task; expected some of ${ownMetrics[kind].join(", ")}`;
  const placed = {
    question: [question, "input", "labels", "options"],
    "prompt.insert": [prompt?.insert ?? "", "items", "question"],
  };
  for (const [key, [text = "", ...names]] of Object.entries(placed))
    for (const [, name = ""] of text.matchAll(/\{(\w+)\}/g))
      if (!names.includes(name))
        return `${key}: unknown {${name}}${suggest(name, names)}; expected ${names.map((one) => `{${one}}`).join(", ")}`;
  if (prompt !== undefined && !(prompt.insert.includes("{items}") && prompt.insert.includes("{question}")))
    return "prompt.insert: expected text with {items} and {question} in it";
  return undefined;
}

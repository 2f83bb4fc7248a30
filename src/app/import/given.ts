import { createHash } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import type { GivenMetric } from "../../metrics/index.js";
import { countOf } from "../../text/count.js";
import { readJson } from "../../text/schema-issue.js";
import type { Task } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import { readText } from "../common/read-json.js";
import type { Io } from "../io.js";

/** Numbers of a metric that another program counted, one file a repeat. */
export interface GivenScores extends GivenMetric {
  readonly files: readonly GivenFile[];
}

interface GivenFile {
  readonly file: string;
  readonly sha256: string;
  /** By question id. */
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Reads the files of `--metric`: `{"better": "higher", "most": 1, "values": [{"id", "value"}]}`, as many as there are repeats. Throws
 * UsageError naming the file, the entry and the fix: on names that are taken, values below 0 or above `most`, and doubled ids.
 */
export async function readGivenScores(
  asked: Readonly<Record<string, readonly string[]>>,
  { task, repeats, catalogue }: { readonly task: Task; readonly repeats: number; readonly catalogue: Catalogue },
  io: Pick<Io, "cwd">,
): Promise<GivenScores[]> {
  const scores: GivenScores[] = [];
  for (const [name, files] of Object.entries(asked)) {
    refuseName(name, task, catalogue);
    if (files.length !== repeats)
      throw new UsageError(
        `--metric ${name}: ${countOf(files.length, "file")} for ${countOf(repeats, "file")} of predictions; give one for each, in the same order`,
      );
    scores.push(await readScores(name, files, io));
  }
  return scores;
}

const SHAPE = 'expected {"better": "higher" or "lower", "most": 1, "values": [{"id": "...", "value": 0.4}]}';

const fileSchema = z.strictObject({
  better: z.enum(["higher", "lower"]),
  most: z.number().positive().default(1),
  title: z.string().min(1).optional(),
  values: z.array(z.strictObject({ id: z.union([z.string(), z.number()]), value: z.number() })).min(1),
});

function refuseName(name: string, task: Task, { metrics }: Catalogue): void {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name))
    throw new UsageError(
      `--metric ${name}: a name is small letters, digits and -, beginning with a letter: --metric meteor=FILE`,
    );
  if (metrics.names.includes(name) || task.metrics.some((metric) => metric.name === name))
    throw new UsageError(`--metric ${name}: a built-in metric is called so; choose another name, e.g. ${name}-own`);
}

async function readScores(name: string, files: readonly string[], io: Pick<Io, "cwd">): Promise<GivenScores> {
  const read: { readonly facts: Omit<GivenMetric, "name">; readonly file: GivenFile }[] = [];
  for (const file of files) read.push(await readFile(name, file, io));
  const { facts } = read[0]!; // at least one repeat
  const other = read.find((one) => one.facts.better !== facts.better || one.facts.most !== facts.most);
  if (other !== undefined)
    throw new UsageError(
      `${other.file.file}: "better" or "most" is another than in ${read[0]?.file.file}; all files of a metric say the same`,
    );
  return { name, ...facts, files: read.map(({ file }) => file) };
}

async function readFile(metric: string, name: string, { cwd }: Pick<Io, "cwd">) {
  const { text, bytes } = await readText(name, "--metric", cwd);
  const { better, most, title = metric, values } = readJson(fileSchema, text, name, SHAPE);
  const byId = new Map<string, number>();
  for (const [at, { id, value }] of values.entries()) {
    const place = `${name}: values[${at}]`;
    if (byId.has(String(id))) throw new UsageError(`${place}: id ${JSON.stringify(id)} stands twice; keep one`);
    if (value < 0 || value > most)
      throw new UsageError(`${place}: value ${value} is not between 0 and ${most}; name the largest value as "most"`);
    byId.set(String(id), value);
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { facts: { title, better, most }, file: { file: path.basename(name), sha256, values: byId } };
}

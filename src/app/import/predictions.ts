import { createHash } from "node:crypto";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { readText } from "../../disk/read-json.js";
import { UsageError } from "../../errors.js";
import { knownSecrets } from "../../net/known.js";
import { redactor } from "../../net/redactor.js";
import type { Io } from "../../run/io.js";
import { isTooDeep, TOO_DEEP } from "../../text/nesting.js";
import { pythonStr } from "../../text/python.js";
import type { Registry, Task } from "../../types/index.js";

/** A predictions file, as another program wrote it. */
export interface Predictions {
  /** As typed. */
  readonly name: string;
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** By question id. Undefined: the file names the question and gives null. */
  readonly outputs: ReadonlyMap<string, string | undefined>;
}

/**
 * Reads predictions of a task, one of `tasks`: the official `{task, golds: [{id, output}]}`, a JSON list of `{id, output}`, JSON lines of
 * them, or a CSV file with these columns. Numbers become the text that Python prints. Throws UsageError naming the file, the entry and
 * the fix. Secrets of the environment are taken out, as out of replies.
 */
export async function readPredictions(
  name: string,
  task: Task,
  tasks: Registry<Task>,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<Predictions> {
  const { text, bytes } = await readText(name, "--predictions", cwd);
  const redact = redactor(knownSecrets(env).values);
  const outputs = new Map<string, string | undefined>();
  const places = new Map<string, string>();
  const entries = /\.csv$/i.test(name) ? rowsOf(text, name) : entriesOf(text, name, task, tasks);
  for (const { value, place } of entries) {
    const { id, output } = readEntry(value, `${name}: ${place}`);
    const earlier = places.get(id);
    if (earlier !== undefined)
      throw new UsageError(`${name}: id ${JSON.stringify(id)} stands twice (${earlier} and ${place}); keep one`);
    places.set(id, place);
    outputs.set(id, output === undefined ? undefined : redact.text(output));
  }
  if (outputs.size === 0) throw new UsageError(`${name}: there is no prediction in it; ${SHAPES}`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name, file: { name: path.basename(name), bytes: bytes.length, sha256 }, outputs };
}

const SHAPES = 'expected {"task", "golds": [{"id", "output"}]}, a list of {"id", "output"}, or one such object a line';

interface Placed {
  readonly value: unknown;
  readonly place: string;
}

/** The rows of a CSV file with the columns `id` and `output`. */
function rowsOf(text: string, name: string): Placed[] {
  try {
    const rows: unknown[] = parse(text, { columns: true, skip_empty_lines: true });
    return rows.map((value, i) => ({ value, place: `row ${i + 1}` }));
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}; expected CSV with the columns id and output`);
  }
}

function entriesOf(text: string, name: string, task: Task, tasks: Registry<Task>): Placed[] {
  const whole = parsed(text);
  if (whole === undefined) return linesOf(text, name);
  if (Array.isArray(whole)) return placed(whole, "");
  if (!isRecord(whole)) throw new UsageError(`${name}: ${SHAPES}`);
  if (!("golds" in whole) && "id" in whole) return [{ value: whole, place: "line 1" }];
  if (!Array.isArray(whole.golds)) throw new UsageError(`${name}: no list "golds" in it; ${SHAPES}`);
  if (whole.task !== undefined) refuseOtherTask(whole.task, name, task, tasks);
  return placed(whole.golds, "golds");
}

const placed = (list: readonly unknown[], field: string): Placed[] =>
  list.map((value, i) => ({ value, place: `${field}[${i}]` }));

function linesOf(text: string, name: string): Placed[] {
  const lines = text.split("\n").map((line, i) => ({ line: line.trim(), place: `line ${i + 1}` }));
  return lines.flatMap(({ line, place }) => {
    if (line === "") return [];
    const value = parsed(line);
    if (value !== undefined) return [{ value, place }];
    throw new UsageError(`${name}: ${place} is not JSON (${JSON.stringify(line.slice(0, 40))}); ${SHAPES}`);
  });
}

function readEntry(value: unknown, where: string): { id: string; output: string | undefined } {
  if (!isRecord(value)) throw new UsageError(`${where}: expected {"id", "output"}`);
  if (isTooDeep(value)) throw new UsageError(`${where}: ${TOO_DEEP}`);
  const { id, output } = value;
  if (typeof id !== "string" && typeof id !== "number")
    throw new UsageError(`${where}: "id" is ${JSON.stringify(id) ?? "missing"}; write the question's id as a string`);
  if (output === null) return { id: String(id), output: undefined };
  if (typeof output !== "string" && typeof output !== "number")
    throw new UsageError(
      `${where}: "output" is ${(JSON.stringify(output) ?? "missing").slice(0, 40)}; write the answer as a string, or null where there is none`,
    );
  return { id: String(id), output: pythonStr(output) };
}

/** Files of 2023 leave out the variant's letter (`LaMP_2` for the news task, LaMP_2N): accepted, as `score` does. */
function refuseOtherTask(named: unknown, name: string, task: Task, tasks: Registry<Task>): void {
  const withoutVariant = task.official.replace(/[A-Z]$/, "").toLowerCase();
  if (String(named).replace("-", "_").toLowerCase() === withoutVariant) return;
  const found = tasks.get(String(named), `${name}: "task"`);
  if (found !== task)
    throw new UsageError(`${name}: its task is ${JSON.stringify(named)} (${found.name}), but --task says ${task.name}`);
}

/** Undefined where the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

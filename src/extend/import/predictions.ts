import { hash } from "node:crypto";
import { basename } from "node:path";
import { parse } from "csv-parse/sync";
import { readText } from "../../disk/read-json.js";
import { UsageError } from "../../errors.js";
import { knownSecrets, redactor } from "../../net/secrets.js";
import type { Io } from "../../plan/io.js";
import { isObject, jsonIn, parseWithIds } from "../../text/json.js";
import { pythonStr } from "../../text/python.js";
import type { Registry, Task } from "../../types/index.js";
import { plainEntry, resultsOf } from "./others.js";

/** A predictions file, as another program wrote it. */
export interface Predictions {
  /** As typed. */
  readonly name: string;
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** By question id. Undefined: the file names the question and gives null. */
  readonly outputs: ReadonlyMap<string, string | undefined>;
}

/** Names of the fields, or columns, that hold the question's id and the answer. */
interface Columns {
  readonly id: string;
  readonly prediction: string;
}

const SHAPES =
  'expected {"task", "golds": [{"id", "output"}]}, a list of {"id", "output"}, one such object a line, CSV, or results of inspect_ai, lm-evaluation-harness or promptfoo';

/** Reads `id=question_id,prediction=answer`. Throws UsageError. */
export function readColumns(text: string | undefined): Columns {
  if (text === undefined) return { id: "id", prediction: "output" };
  const given = Object.fromEntries(text.split(",").map((pair) => pair.split("=", 2)));
  const { id = "id", prediction = "output", ...unknown } = given;
  if (Object.keys(unknown).length > 0 || id === "" || prediction === "" || !text.includes("="))
    throw new UsageError(`--columns ${text}: expected id=NAME,prediction=NAME, or one of them`);
  return { id, prediction };
}

interface Reading {
  readonly task: Task;
  readonly tasks: Registry<Task>;
  readonly columns: Columns;
}

/**
 * Reads predictions of a task, one of `tasks`: LaMP's official file, a JSON list, JSON lines, CSV, or the results of another
 * evaluator. Numbers become the text that
 * Python prints. Throws UsageError naming the file and the entry. Secrets of the environment are taken out, as out of replies.
 */
export async function readPredictions(
  name: string,
  reading: Reading,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<Predictions> {
  if (name.endsWith(".eval"))
    throw new UsageError(
      `${name}: an archive of inspect_ai; write it as JSON first: inspect log dump ${name} > ${basename(name, ".eval")}.json`,
    );
  const { text, bytes } = await readText(name, "--predictions", cwd);
  const redact = redactor(knownSecrets(env));
  const outputs = new Map<string, string | undefined>();
  for (const [at, entry] of entriesOf(text, name, reading).entries()) {
    const { id, output } = readEntry(entry, `${name}: entry ${at + 1}`, reading.columns);
    if (outputs.has(id))
      throw new UsageError(`${name}: entry ${at + 1}: id ${JSON.stringify(id)} stands twice; keep one`);
    outputs.set(id, output === undefined ? undefined : redact.text(output));
  }
  if (outputs.size === 0) throw new UsageError(`${name}: there is no prediction in it; ${SHAPES}`);
  return { name, file: { name: basename(name), bytes: bytes.length, sha256: hash("sha256", bytes) }, outputs };
}

function entriesOf(text: string, name: string, { task, tasks }: Reading): readonly unknown[] {
  if (/\.csv$/i.test(name)) {
    try {
      return parse(text, { columns: true, skip_empty_lines: true });
    } catch (error) {
      throw new UsageError(`${name}: ${(error as Error).message}`);
    }
  }
  const whole = jsonIn(text, parseWithIds);
  if (Array.isArray(whole)) return whole;
  const results = resultsOf(whole);
  if (results !== undefined) return results;
  if (isObject(whole) && Array.isArray(whole.golds)) {
    if (whole.task !== undefined) refuseOtherTask(String(whole.task), name, task, tasks);
    return whole.golds;
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const value = jsonIn(line, parseWithIds);
    if (value !== undefined) return value;
    throw new UsageError(`${name}: ${JSON.stringify(line.slice(0, 40))} is not JSON; ${SHAPES}`);
  });
}

function readEntry(entry: unknown, where: string, { id: idName, prediction }: Columns) {
  const value = plainEntry(entry, idName, prediction);
  if (!isObject(value)) throw new UsageError(`${where}: expected an object; ${SHAPES}`);
  const [id, output] = [value[idName], value[prediction]];
  const missing = [idName, prediction].find((field) => value[field] === undefined);
  if (missing !== undefined)
    throw new UsageError(
      `${where}: no "${missing}" in it (it has ${Object.keys(value).join(", ")}); name its columns: --columns id=NAME,prediction=NAME`,
    );
  if (!isText(id)) throw new UsageError(`${where}: "${idName}" is no text`);
  if (output === null) return { id: String(id), output: undefined };
  if (!isText(output))
    throw new UsageError(`${where}: "${prediction}" is no text; write null where there is no answer`);
  return { id: String(id), output: pythonStr(output) };
}

/** Files of 2023 leave out the variant's letter (`LaMP_2` for the news task, LaMP_2N): accepted, as `score` does. */
function refuseOtherTask(named: string, name: string, task: Task, tasks: Registry<Task>): void {
  const withoutVariant = task.official.replace(/[A-Z]$/, "").toLowerCase();
  if (named.replace("-", "_").toLowerCase() === withoutVariant) return;
  const found = tasks.get(named, `${name}: "task"`);
  if (found !== task)
    throw new UsageError(`${name}: its task is ${JSON.stringify(named)} (${found.name}), but --task says ${task.name}`);
}

const isText = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../errors.js";
import { fileTrouble, oneLine, withoutMark } from "../text/file-trouble.js";
import { isTooDeep, TOO_DEEP } from "../text/json.js";

/** The parsed JSON of a small file. Throws UsageError naming `flag`, the file and what is wrong with its content. */
export async function readJson(file: string, flag: string, cwd: string): Promise<unknown> {
  const { text } = await readText(file, flag, cwd);
  const start = text.trimStart();
  if (start === "") throw new UsageError(`${flag} ${file}: the file is empty`);
  if (start.startsWith("<"))
    throw new UsageError(`${flag} ${file}: this is a web page (HTML), not JSON; a wrong download address answers so`);
  const value = parsed(text, `${flag} ${file}`);
  if (isTooDeep(value)) throw new UsageError(`${flag} ${file}: ${TOO_DEEP}`);
  return value;
}

/** The text of a small file, and its bytes. Throws UsageError naming `flag` and the file. */
export async function readText(file: string, flag: string, cwd: string): Promise<{ text: string; bytes: Buffer }> {
  const bytes = await readBytes(path.resolve(cwd, file), `${flag} ${file}`);
  return { text: decode(bytes, `${flag} ${file}`), bytes };
}

function parsed(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${shown}: ${jsonProblem(error, text)}`, { cause: error });
  }
}

/** Text in memory: V8 has no longer one. */
const MOST_BYTES = 500_000_000;

async function readBytes(file: string, shown: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES)
      throw new UsageError(`${shown}: has ${size} bytes, and at most ${MOST_BYTES} are read; is it the right file?`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}: ${fileTrouble(error)}`, { cause: error });
  }
}

function decode(bytes: Buffer, shown: string): string {
  try {
    return withoutMark(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new UsageError(`${shown}: this is not UTF-8 text; save the file as UTF-8`, { cause: error });
  }
}

/** A file is cut off where the parser fails at its very end; anywhere else something is wrong in it. Positions as V8 words them. */
function jsonProblem(error: unknown, text: string): string {
  const detail = oneLine(error);
  const position = Number(/at position (\d+)/.exec(detail)?.[1] ?? Number.NaN);
  const isCut = /end of JSON|Unterminated/.test(detail) || position >= text.trimEnd().length;
  return isCut ? `not complete JSON, the file seems cut off (${detail})` : `not JSON (${detail})`;
}

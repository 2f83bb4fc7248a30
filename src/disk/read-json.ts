import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../errors.js";
import { fileTrouble, oneLine, withoutMark } from "../text/file-trouble.js";
import { isTooDeep, parseWithIds, TOO_DEEP } from "../text/json.js";

/** Returns the parsed JSON of a small file, 64-bit numbers as bigint. Throws UsageError naming `flag`, the file and what is wrong with its content. */
export async function readJson(file: string, flag: string, cwd: string): Promise<unknown> {
  const { text } = await readText(file, flag, cwd);
  let value: unknown;
  try {
    value = parseWithIds(text, BigInt);
  } catch (error) {
    throw new UsageError(`${flag} ${file}: not JSON (${oneLine(error)}); is it whole?`, { cause: error });
  }
  if (isTooDeep(value)) throw new UsageError(`${flag} ${file}: ${TOO_DEEP}`);
  return value;
}

/** Returns the text of a small file, and its bytes. Throws UsageError naming `flag` and the file. */
export async function readText(file: string, flag: string, cwd: string): Promise<{ text: string; bytes: Buffer }> {
  const bytes = await readFile(path.resolve(cwd, file)).catch((error: unknown) => {
    throw new UsageError(`${flag} ${file}: ${fileTrouble(error)}`, { cause: error });
  });
  try {
    return { text: withoutMark(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), bytes };
  } catch (error) {
    throw new UsageError(`${flag} ${file}: this is not UTF-8 text; save the file as UTF-8`, { cause: error });
  }
}

import { createHash } from "node:crypto";
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";

/** What the name of a method that is a program begins with. */
export const EXEC = "exec:";

/** A command line that was found on this machine. */
export interface Command {
  /** As typed, behind `exec:`. */
  readonly text: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Content id of the words and of the script: a changed script is a changed plan. */
  readonly content: string;
}

/** Finds the program of `exec:COMMAND`, relative to `cwd` or on PATH. Throws UsageError naming what is missing and the fix. */
export function findCommand(text: string, cwd: string, path: string): Command {
  const [name, ...args] = splitWords(text);
  if (name === undefined) throw new UsageError("--method exec: the command is missing, e.g. --method exec:./mine.py");
  const program = isPath(name) ? named(name, text, cwd) : onPath(name, text, cwd, path);
  const files = scriptsOf(program, name, args, cwd).map((file) => sha256File(file));
  return { text, program, args, content: contentId({ words: [name, ...args], files }).slice(0, 12) };
}

/** Words as a shell cuts them: blanks separate, quotes and backslashes protect. Nothing is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!; // i < length
    if (sign === "\\" && quote !== "'" && i + 1 < text.length) word = (word ?? "") + text[++i];
    else if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  if (quote !== undefined) throw new UsageError(`--method exec:${text}: a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}

/**
 * A script that names its interpreter; else the program, if it was named by its path, and its first argument that is a file.
 * Later arguments may be files that it writes.
 */
function scriptsOf(program: string, name: string, args: readonly string[], cwd: string): string[] {
  const named = isPath(name) ? [program] : [];
  if (named.length > 0 && isScript(program)) return named;
  const argument = args.map((word) => resolve(cwd, word)).find((file) => existsSync(file) && statSync(file).isFile());
  return argument === undefined ? named : [...named, argument];
}

const isPath = (name: string): boolean => /[/\\]/.test(name);

function isScript(file: string): boolean {
  const start = Buffer.alloc(2);
  const opened = openSync(file, "r");
  readSync(opened, start);
  closeSync(opened);
  return start.toString("latin1") === "#!";
}

const sha256File = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

function named(name: string, text: string, cwd: string): string {
  const file = resolve(cwd, name);
  if (!existsSync(file) || !statSync(file).isFile())
    throw new UsageError(`--method exec:${text}: there is no file ${file}; paths are relative to the current folder`);
  if (isExecutable(file)) return file;
  throw new UsageError(
    `--method exec:${text}: ${name} is not executable; chmod +x ${name}, or name its interpreter, e.g. exec:python3 ${name}`,
  );
}

function onPath(name: string, text: string, cwd: string, path: string): string {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  const hint = existsSync(resolve(cwd, name))
    ? `; for the file here write exec:./${text}`
    : "; give a path, e.g. exec:./mine.py";
  throw new UsageError(`--method exec:${text}: no program ${name} on PATH${hint}`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // absent or not permitted: the same to us
  }
}

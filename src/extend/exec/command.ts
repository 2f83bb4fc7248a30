import { hash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { contentId } from "../../text/content-id.js";

/** Prefix of the names of methods that are programs. */
export const EXEC = "exec:";

/** A command line whose program exists on this machine. */
export interface Command {
  /** As typed after `exec:`. */
  readonly text: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Content id of the words and the scripts: with a changed script it is another method. */
  readonly content: string;
}

/** Finds the program of `exec:COMMAND`, relative to `cwd` or on PATH. Throws UsageError with the fix where there is none. */
export function findCommand(text: string, cwd: string, path: string): Command {
  const refusal = (what: string): UsageError => new UsageError(`--method ${EXEC}${text}: ${what}`);
  const [name, ...args] = splitWords(text);
  if (name === undefined) throw refusal("the command is missing, e.g. exec:./mine.py");
  const isPath = /[/\\]/.test(name);
  const folders = isPath ? [] : path.split(delimiter).filter((folder) => folder !== "");
  const program = isPath ? resolve(cwd, name) : folders.map((folder) => join(folder, name)).find(isExecutable);
  if (program === undefined) throw refusal(`no program ${name} on PATH; give a path, e.g. exec:./mine.py`);
  if (!isFile(program)) throw refusal(`there is no file ${program}; paths are relative to the current folder`);
  if (!isExecutable(program))
    throw refusal(`${name} is not executable; chmod +x ${name}, or name its interpreter, e.g. exec:python3 ${name}`);
  const scriptArgument = args.map((word) => resolve(cwd, word)).find(isFile);
  const named = isPath ? [program] : [];
  const scripts = scriptArgument === undefined || named.some(isScript) ? named : [...named, scriptArgument];
  const files = scripts.map((file) => hash("sha256", readFileSync(file))); // later arguments may be files that it writes
  return { text, program, args, content: contentId({ words: [name, ...args], files }).slice(0, 12) };
}

/** Splits a command into words as a shell does, with quotes and backslashes. Nothing is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const rest = text.replace(WORD, (word) => {
    words.push(
      word.replace(QUOTED, (_, escaped, double, single) => escaped ?? single ?? double.replace(ESCAPED, "$1")),
    );
    return "";
  });
  const [quote] = rest.trim();
  if (quote !== undefined) throw new UsageError(`--method ${EXEC}${text}: a ${quote} is not closed`);
  return words;
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const QUOTED = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;
const ESCAPED = /\\(.)/gs;

const isScript = (file: string): boolean => readFileSync(file).subarray(0, 2).toString("latin1") === "#!";

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false; // absent or not permitted
  }
}

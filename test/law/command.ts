import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Exit } from "../e2e/cli-process.js";
import { runHere } from "../e2e/in-process.js";
import { fakeKey } from "../helpers/rated-server.js";
import { always, deleteDerived, derivedFiles, recordedEntries } from "./files.js";

export const env = { ANTHROPIC_API_KEY: fakeKey, OPENAI_API_KEY: fakeKey, PATH: process.env.PATH ?? "" };

type Runner = (args: readonly string[], settings: { cwd: string; env: typeof env }) => Promise<Pick<Exit, "code">>;

/** A command that is run in a folder of its own, so that equal commands leave equal files. */
export class Command {
  readonly cwd: string;
  readonly folder: string;
  readonly args: readonly string[];
  readonly #run: Runner;

  constructor(cwd: string, line: string, run: Runner = runHere) {
    this.cwd = cwd;
    this.folder = join(cwd, "out");
    this.args = `run ${line} --out out`.split(" ");
    this.#run = run;
    mkdirSync(cwd);
  }

  /** Runs it, with more arguments, and returns the exit code. */
  async exit(...more: readonly string[]): Promise<number | null> {
    return (await this.#run([...this.args, ...more], { cwd: this.cwd, env })).code;
  }

  /** Runs it to its end and returns the derived files. */
  async finish(): Promise<Record<string, string>> {
    expect(await this.exit()).toBe(0);
    return derivedFiles(this.folder);
  }

  /** Expects that the derived files of a finished run come back from its record alone. `sent`: calls that a server has seen. */
  async comesBack(sent: () => number = () => 0): Promise<void> {
    const before = derivedFiles(this.folder);
    expect(Object.keys(before)).toEqual(expect.arrayContaining([...always]));
    const [calls, entries] = [sent(), recordedEntries(this.folder)];
    expect(entries).toBeGreaterThan(0);
    deleteDerived(this.folder);
    expect(derivedFiles(this.folder)).toEqual({});
    expectSame(await this.finish(), before);
    expect({ sent: sent() - calls, entries: recordedEntries(this.folder) }).toEqual({ sent: 0, entries });
  }
}

/** Expects the same files. Shows the first line that differs, and the names of all files that do. */
export function expectSame(files: Record<string, string>, wanted: Record<string, string>): void {
  const names = [...new Set([...Object.keys(files), ...Object.keys(wanted)])];
  const differing = names.filter((name) => files[name] !== wanted[name]);
  const [first = ""] = differing;
  const [lines, wantedLines] = [files[first]?.split("\n") ?? [], wanted[first]?.split("\n") ?? []];
  const at = lines.findIndex((line, index) => line !== wantedLines[index]);
  expect(lines[at], `line ${at + 1} of ${first} (differing: ${differing.join(", ")})`).toBe(wantedLines[at]);
  expect(differing).toEqual([]);
}

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readJournal } from "../../src/run/journal.js";
import { checkedText } from "../../src/run/manifest.js";
import { parsed, recordLine } from "../../src/run/record-lines.js";
import { fitsOf } from "../../src/run/record-shapes.js";
import { recordFiles, runFiles } from "../../src/run/rows.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const type = (line: string) => runCommandLine(line, { cwd });
const work = (out: string) =>
  `run --task lamp3 --method rag,persona-agent,graph-rag --set wiki.mode=off --data data --out ${out}`;
const files = recordFiles.filter((name) => name !== runFiles.vectors && name !== runFiles.searches);
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

/** JSON that is no record. */
const oddities = ["null", "[]", "3", '"text"', "{}"];

beforeAll(async () => {
  writeReviews(join(cwd, "data"), [reviewUser("ann"), reviewUser("bob")]);
  const done = await type(work("done"));
  expect(done.code, done.stderr).toBe(0);
});

/** A copy of the run as if it had not ended; the second record of every file is an odd one. */
function oddRun(name: string, odd: (file: string, record: object) => string): string {
  cpSync(join(cwd, "done"), join(cwd, name), { recursive: true });
  const manifest = join(cwd, name, "manifest.json");
  const { records: _sealed, "#": _check, finishedAt: _end, ...kept } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, checkedText(kept));
  for (const file of files) {
    const path = join(cwd, name, file);
    const lines = linesOf(path);
    const { "#": _own, ...record } = JSON.parse(lines[1] ?? "{}");
    lines[1] = odd(file, record);
    writeFileSync(path, `${lines.join("\n")}\n`);
  }
  return name;
}

/** A member that readers of each file rely on. */
const needed: Readonly<Record<string, string>> = {
  "rows.jsonl": "outcome",
  "units.jsonl": "historySize",
  "timings.jsonl": "ms",
  "traces.jsonl": "requests",
  "responses.jsonl": "reply",
};

const shortened = (file: string, record: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => name !== needed[file])));

describe("a line that is JSON but no record of its file", () => {
  test("is told by every command that reads an unfinished run, without a trace", async () => {
    const run = oddRun("short", shortened);
    const first = /DAMAGED: \d records left out \(rows\.jsonl line 2/;
    for (const line of [
      `report ${run}`,
      `compare ${run} --method rag`,
      `compare ${run} done --method rag`,
      `gate ${run} --baseline done`,
      `show ${run} --method rag`,
      `cassette export ${run} --out tape-${run}`,
    ]) {
      const { stdout, stderr } = await type(line);
      expect(`${line}: ${stdout}${stderr}`).toMatch(first);
      expect(stderr).not.toMatch(/internal error|\n +at /);
    }
    const { stdout } = await type(`verify ${run} --data data`);
    for (const file of ["rows.jsonl", "responses.jsonl"]) expect(stdout).toContain(`${file} line 2: damaged or edited`);
  });

  test("is set aside by name and line, and done again to the same bytes", async () => {
    const run = oddRun("again", shortened);
    const { code, stderr } = await type(work(run));
    expect(code, stderr).toBe(0);
    for (const file of files) expect(stderr).toMatch(new RegExp(`${file}.* line 2: damaged, \\d+ bytes set aside`));
    expect(comparable(join(cwd, run))).toEqual(comparable(join(cwd, "done")));
  });

  test("whatever it is, it stops nothing", async () => {
    const run = oddRun("odd", (_file, record) =>
      [...oddities, recordLine(record).toString()].map((line) => line.trim()).join("\n"),
    );
    for (const command of [`report ${run}`, `show ${run} --method rag`, work(run)]) {
      const { code, stderr } = await type(command);
      expect({ command, code, trace: /internal error/.test(stderr) }).toEqual({ command, code: 0, trace: false });
    }
    expect(comparable(join(cwd, run))).toEqual(comparable(join(cwd, "done")));
  });
});

test.each(["units.jsonl", "traces.jsonl"])(
  "%s of a run that has not ended, cut short in the middle of a record, is made whole again",
  async (file) => {
    const run = oddRun(`cut-${file}`, (_file, record) => recordLine(record).toString().trim());
    const text = readFileSync(join(cwd, run, file), "utf8");
    writeFileSync(join(cwd, run, file), text.slice(0, text.length >> 1));
    const { code, stderr } = await type(work(run));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("0 calls sent");
    expect(comparable(join(cwd, run))).toEqual(comparable(join(cwd, "done")));
  },
);

test("every member that a record has is of its type or the record is refused, never read as something else", () => {
  for (const file of files) {
    const fits = fitsOf(file)!; // all of these have a shape
    const path = join(cwd, "done", file);
    const [first = {}] = readJournal<object>(path);
    expect(fits(first)).toBe(true);
    const { "#": _check, ...record } = (parsed(linesOf(path)[0] ?? "") ?? {}) as { "#"?: string };
    for (const name of Object.keys(record))
      if (name !== "simulated" && name !== "gold" && name !== "question")
        expect([file, name, fits({ ...record, [name]: [null] })]).toEqual([file, name, false]);
  }
});

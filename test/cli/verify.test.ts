import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { withChecks } from "../helpers/with-checks.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const path = (...parts: string[]) => join(cwd, ...parts);

beforeAll(async () => {
  writeReviews(
    path("data"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );
  await run("run --task lamp3 --method rag,prompt --data data --out good");
  await run("run --task lamp1,lamp2m --method rag --users 4 --out demo");
});

interface Checked {
  readonly name: string;
  readonly state: string;
  readonly problems: readonly string[];
}

let copies = 0;

/** Changes one file of a copy of the good run and verifies it. */
async function tampered(file: string, change: (text: string) => string, data = "--data data") {
  const name = `copy${copies++}`;
  cpSync(path("good"), path(name), { recursive: true });
  const before = readFileSync(path(name, file), "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path(name, file), file.endsWith(".jsonl") ? withChecks(after) : after);
  const { code, stdout } = await run(`verify ${name} ${data} --json`);
  const checks: readonly Checked[] = JSON.parse(stdout);
  const failed = new Map(checks.filter(({ state }) => state === "FAILED").map((check) => [check.name, check.problems]));
  return { code, failed };
}

/** The first digit behind the point of the first score, one up. */
const anotherDigit = (text: string): string =>
  text.replace(/\.(\d)(?=\d\d)/, (_score, digit: string) => `.${(Number(digit) + 1) % 10}`);

const problem = (failed: ReadonlyMap<string, readonly string[]>, check: string): string =>
  failed.get(check)?.join("\n") ?? "";

describe("lamp-eval verify", () => {
  test("a run as it was left is ok in every line", async () => {
    const { code, stdout } = await run("verify good --data data");
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => !line.startsWith("ok "))).toEqual([]);
    expect(stdout).toMatch(/^ok +numbers +results.md, .*results.json made again from the rows, byte for byte$/m);
  });

  test("the built-in demo data are always at hand, lamp1's questions among them", async () => {
    const { code, stdout } = await run("verify demo");
    expect(code).toBe(0);
    expect(stdout).not.toContain("not checked");
  });

  test("without the data it says what was not checked, and does not pass", async () => {
    const { code, stdout } = await run("verify good");
    expect(code).toBe(1);
    expect(stdout).not.toContain("FAILED");
    expect(stdout).toMatch(/^not checked +recomputed +lamp3: its data are not at hand \(--data\)$/m);
    expect(stdout).toMatch(/^not checked +data lamp3 +data: give its folder with --data$/m);
  });

  test.each(["results.md", "results.tex", "results.csv", "results.json"])(
    "a changed digit in %s is found, with its line",
    async (file) => {
      const { code, failed } = await tampered(file, anotherDigit);
      expect(code).toBe(1);
      expect([...failed.keys()]).toEqual(["numbers"]);
      expect(problem(failed, "numbers")).toMatch(new RegExp(`^${file} line \\d+: has ".*", the rows give "`));
    },
  );

  test("a missing result file is found", async () => {
    cpSync(path("good"), path("missing"), { recursive: true });
    rmSync(path("missing", "results.csv"));
    const { code, stdout } = await run("verify missing");
    expect(code).toBe(1);
    expect(stdout).toContain("results.csv: missing");
  });

  test("a damaged record is told by file and line", async () => {
    cpSync(path("good"), path("bit"), { recursive: true });
    const rows = readFileSync(path("bit", "rows.jsonl"), "utf8");
    writeFileSync(path("bit", "rows.jsonl"), rows.replace(/"gold":"5"/, '"gold":"4"'));
    const { code, stdout } = await run("verify bit --data data");
    expect(code).toBe(1);
    expect(stdout).toMatch(/rows\.jsonl line \d+ is damaged/);
  });

  test("changed times are found", async () => {
    const times = await tampered("timings.jsonl", (old) => old.replace(/"ms":/, '"ms":1'));
    expect(problem(times.failed, "record files")).toContain("timings.jsonl was changed after the run had ended");
  });

  test("a changed reply is found by its reading, the file's hash and the numbers", async () => {
    const { code, failed } = await tampered("rows.jsonl", (text) =>
      text.replace(/"reply":"\d"/, '"reply":"none of them"'),
    );
    expect(code).toBe(1);
    expect([...failed.keys()]).toEqual(expect.arrayContaining(["record files", "readings"]));
    expect(problem(failed, "readings")).toMatch(
      /^rows\.jsonl line \d+: question u\d+-q\d: stored as answered, its reply reads as unparsed$/,
    );
    expect(problem(failed, "record files")).toContain("rows.jsonl was changed after the run had ended");
  });

  test("a changed gold is found against the other cells and against the data", async () => {
    const change = (text: string) => text.replace(/"gold":"5"/, '"gold":"4"');
    const withData = await tampered("rows.jsonl", change);
    expect(problem(withData.failed, "golds")).toMatch(
      /^rows\.jsonl line \d+: question u\d+-q0: gold "4", but "5" in the data$/,
    );
    const without = await tampered("rows.jsonl", change, "");
    expect(problem(without.failed, "golds")).toMatch(/gold "5", but "4" in rows\.jsonl line \d+$/);
  });

  test("a row given to another user is found against the other cells and against the data", async () => {
    const change = (text: string) => text.replace('"user":"u0"', '"user":"u1"');
    const withData = await tampered("rows.jsonl", change);
    expect(problem(withData.failed, "golds")).toMatch(
      /^rows\.jsonl line \d+: question u0-q\d: user u1, but u0 in the data$/,
    );
    const without = await tampered("rows.jsonl", change, "");
    expect(problem(without.failed, "golds")).toMatch(/: question u0-q\d: user u0, but u1 in rows\.jsonl line \d+$/);
  });

  test("a lost, a doubled and a foreign row are found", async () => {
    const lines = (text: string) => text.split("\n").filter((line) => line !== "");
    const join = (rows: readonly string[]) => rows.map((line) => `\n${line}\n`).join("");
    const lost = await tampered("rows.jsonl", (text) => join(lines(text).slice(1)));
    expect(problem(lost.failed, "completeness")).toMatch(
      /^rows\.jsonl: lamp3 (rag|prompt): no row for question u0-q0$/,
    );
    const doubled = await tampered("rows.jsonl", (text) => join([...lines(text), lines(text)[0]!]));
    expect(problem(doubled.failed, "completeness")).toMatch(
      /^rows\.jsonl line \d+: question u0-q0: stands there twice \(also rows\.jsonl line \d+\)$/,
    );
    const foreign = await tampered("rows.jsonl", (text) =>
      join(lines(text).map((line, i) => (i === 0 ? line.replace(/"cell":"\w+"/, '"cell":"abc"') : line))),
    );
    expect(problem(foreign.failed, "completeness")).toContain("no cell abc in the plan");
    const torn = await tampered("rows.jsonl", (text) => `${text}\n{"cell":\n`);
    expect(problem(torn.failed, "rows")).toMatch(/^rows\.jsonl line \d+: damaged or edited/);
  });

  test("a question lost in every cell is found by the plan's count, without the data", async () => {
    const drop = (text: string) =>
      text
        .split("\n")
        .filter((line) => !line.includes('"question":"u3-q1"'))
        .join("\n");
    const { failed } = await tampered("rows.jsonl", drop, "");
    expect(problem(failed, "completeness")).toContain("lamp3 rag: 23 questions, the plan counts 24");
  });

  test.each([
    ["responses.jsonl", "request", "What is the score", "What was the score"],
    ["traces.jsonl", "trace", /"requests":\["\w{16}"/, '"requests":["0123456789abcdef"'],
  ])("in %s a changed %s is found", async (file, _what, from, to) => {
    const { failed } = await tampered(file, (text) => text.replace(from, to));
    expect(problem(failed, "record files")).toContain(`${file} was changed after the run had ended`);
  });

  test("a changed reply is found, and its row named", async () => {
    const { failed } = await tampered("responses.jsonl", (text) => text.replace(/"text":"\d"/, '"text":"2 stars"'));
    expect([...failed.keys()]).toEqual(["record files", "recomputed"]);
    expect(problem(failed, "recomputed")).toMatch(
      /^rows\.jsonl line \d+: question u\d+-q\d: outcome is .*, the stored replies give .*2 stars/,
    );
  });

  test("a changed setting, data hash, visible past or mark in the manifest is found", async () => {
    const setting = await tampered("manifest.json", (text) => text.replace('"rag.k": 4', '"rag.k": 8'));
    expect(problem(setting.failed, "manifest")).toContain("damaged or edited");
    const hash = await tampered("manifest.json", (text) => text.replace(/"sha256": "\w{4}/, '"sha256": "0000'));
    expect(problem(hash.failed, "data lamp3")).toMatch(/^users\.json: sha256 \w{8}, the manifest says 0000\w{4}$/);
    const units = await tampered("manifest.json", (text) => text.replace(/"units": "\w{4}/, '"units": "0000'));
    expect(problem(units.failed, "data lamp3")).toContain("visible histories and questions");
    const mark = await tampered("manifest.json", (text) => text.replace('"simulated": true', '"simulated": false'));
    expect(problem(mark.failed, "marks")).toContain("SIMULATED, but the manifest says no");
    const title = await tampered("manifest.json", (text) => text.replace('"startedAt": "20', '"startedAt": "19'));
    expect([...title.failed.keys()]).toEqual(["manifest"]);
  });

  test("changed data are found", async () => {
    writeReviews(
      path("data2"),
      Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`, 4)),
    );
    const { code, stdout } = await run("verify good --data data2");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED +data lamp3 +2 problems$/m);
  });

  test("a run that has not ended is not called incomplete", async () => {
    await run("run --task lamp3 --method prompt --data data --out partial --max-calls 5");
    const { code, stdout } = await run("verify partial --data data");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^not checked +completeness +the run has not ended/m);
  });

  test("an imported run and its page are ok", async () => {
    writeFileSync(
      path("p.json"),
      JSON.stringify([
        {
          id: JSON.parse(readFileSync(path("good", "rows.jsonl"), "utf8").trim().split("\n")[0] ?? "").question,
          output: "4",
        },
      ]),
    );
    await run(
      "import --predictions p.json --task lamp3 --data data --name mine --simulated --max-failed 1 --out imported",
    );
    expect((await run("report imported --html")).code).toBe(0);
    const { code, stdout } = await run("verify imported --data data");
    expect([code, stdout.match(/^FAILED.*$/gm)]).toEqual([0, null]);
  });
});

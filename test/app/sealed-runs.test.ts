import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../src/app/library.js";
import { checkedText } from "../../src/run/manifest.js";
import { recordLine } from "../../src/run/record-lines.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { editRecords } from "../helpers/with-checks.js";

const cwd = suiteDir();
const type = (line: string | readonly string[]) => runCommandLine(line, { cwd });
const work = (out: string) => `run --task lamp3 --method rag,pag --data data --out ${out}`;
const readers = (run: string) => [
  `report ${run}`,
  `gate ${run} --baseline done`,
  `gate done --baseline ${run}`,
  `compare ${run} --method rag`,
  `compare done ${run} --method rag`,
];
const journals = ["rows.jsonl", "units.jsonl", "traces.jsonl", "timings.jsonl", "responses.jsonl", "searches.jsonl"];
const textOf = (run: string, name: string): string => readFileSync(join(cwd, run, name), "utf8");
const edits = (run: string): unknown => JSON.parse(textOf(run, "manifest.json")).edits;

beforeAll(async () => {
  writeReviews(
    join(cwd, "data"),
    ["ann", "bob", "cy"].map((id) => reviewUser(id)),
  );
  expect((await type(work("done"))).code).toBe(0);
});

function copy(name: string): string {
  cpSync(join(cwd, "done"), join(cwd, name), { recursive: true });
  return name;
}

describe("a finished run whose records were changed by a hand that knows how", () => {
  test("is refused by everything that shows numbers, and no rerun blesses it", async () => {
    const run = copy("edited");
    editRecords(join(cwd, run, "rows.jsonl"), (text) => text.replace(/"reply":"\d"/, '"reply":"5 stars"'));
    const rows = textOf(run, "rows.jsonl");
    for (const line of [...readers(run), work(run)]) {
      const { code, stderr } = await type(line);
      expect({ line, code }).toEqual({ line, code: 2 });
      expect(stderr.trim().split("\n").at(-1)).toMatch(
        /rows\.jsonl was changed after the run had ended; .*--accept-edit/,
      );
    }
    expect(textOf(run, "rows.jsonl")).toBe(rows);
    expect((await type(`verify ${run} --data data`)).code).toBe(1);
  });

  test.each(journals.filter((name) => name !== "rows.jsonl"))("a line added to %s is found", async (name) => {
    const run = copy(`added-${name}`);
    const [first = '{"lang":"en","query":"x","pages":[]}'] = textOf(run, name).split("\n").filter(Boolean);
    const { "#": _check, ...record } = JSON.parse(first);
    appendFileSync(join(cwd, run, name), recordLine({ ...record, unit: "nobody" }));
    expect((await type(`report ${run}`)).code).toBe(2);
    expect((await type(work(run))).code).toBe(2);
    expect((await type(`verify ${run} --data data`)).stdout).toContain(`${name} was changed after the run had ended`);
  });

  test("an accepted edit stays visible in every table and comparison, for ever", async () => {
    const run = copy("accepted");
    editRecords(join(cwd, run, "rows.jsonl"), (text) => text.replace(/"gold":"5"/g, '"gold":"4"'));
    const accepted = await type(["verify", run, "--data", "data", "--accept-edit", "golds were wrong"]);
    const again = await type(["verify", run, "--data", "data", "--accept-edit", "golds were wrong"]); // after a lost answer
    expect(again.stdout).toBe(accepted.stdout);
    expect(accepted.stderr).toContain("rows.jsonl taken as edited");
    for (const line of [`report ${run}`, work(run), `report ${run} --format markdown`])
      expect((await type(line)).stdout).toMatch(/EDITED 2026-11-\d\d \(rows\.jsonl\): golds were wrong/);
    await type(`report ${run} --html`);
    expect(textOf(run, "report.html")).toContain("golds were wrong");
    expect((await type(`compare ${run} --method rag --method-b pag`)).stdout).toContain("golds were wrong");
    expect((await type(`gate done --baseline ${run}`)).code).toBe(2);
    expect(edits(run)).toHaveLength(1);
  });

  test("nothing is accepted where nothing was edited, or no reason is given", async () => {
    expect((await type(["verify", "done", "--accept-edit", "why not"])).stderr).toContain("nothing in it was edited");
    expect((await type(["verify", "done", "--accept-edit", " "])).code).toBe(2);
  });

  test("rows whose manifest was taken away are used, but marked for ever", async () => {
    const run = copy("headless");
    rmSync(join(cwd, run, "manifest.json"));
    expect((await type(work(run))).code).toBe(0);
    expect((await type(`report ${run}`)).stdout).toContain("the manifest was gone");
  });
});

test("a rerun with nothing to do leaves the seals as they are at every moment", async () => {
  const folder = copy("idle");
  const seals = (): unknown => JSON.parse(textOf(folder, "manifest.json")).records;
  const before = seals();
  const seen: unknown[] = [];
  const onEvent = () => seen.push(seals());
  const { calls } = await run({ task: "lamp3", method: ["rag", "pag"], data: "data", out: folder, onEvent }, { cwd });
  expect(calls.sent).toBe(0);
  expect([...seen, seals()].every((one) => JSON.stringify(one) === JSON.stringify(before))).toBe(true);
  expect(seen.length).toBeGreaterThan(1);
});

describe("a finished run with a damaged record", () => {
  test.each(journals.slice(0, 5))(
    "in %s is not shown, and the same command does it again to the same bytes",
    async (name) => {
      const run = copy(`bit-${name}`);
      const path = join(cwd, run, name);
      const bytes = readFileSync(path);
      const at = bytes.length >> 1;
      bytes[at] = bytes[at]! ^ 4;
      writeFileSync(path, bytes);
      const file = name.replace(".", "\\.");
      const refused = await type(`report ${run}`);
      expect({ code: refused.code, lines: refused.stderr.split("\n").length }).toEqual({ code: 2, lines: 1 });
      expect(refused.stderr).toMatch(new RegExp(`${file} line \\d+ is damaged`));
      const mended = await type(work(run));
      expect(mended.code, mended.stderr).toBe(0);
      expect(mended.stderr).toMatch(new RegExp(`${file} line \\d+: damaged, .* set aside in damaged\\.jsonl`));
      expect(mended.stderr).toContain("0 calls sent");
      expect(comparable(join(cwd, run))).toEqual(comparable(join(cwd, "done")));
      expect(edits(run)).toBeUndefined();
      const { stdout } = await type(`verify ${run} --data data`);
      const lost = /^FAILED +recomputed[\s\S]*\(responses\.jsonl: no reply to request \w{16}/m;
      if (name === "responses.jsonl") expect(stdout).toMatch(lost);
      else expect(stdout).not.toContain("FAILED");
    },
  );

  test("a damaged manifest is told in one line", async () => {
    const run = copy("headache");
    writeFileSync(join(cwd, run, "manifest.json"), textOf(run, "manifest.json").replace('"seed": 0', '"seed": 1'));
    for (const line of [...readers(run), work(run)]) {
      const { code, stderr } = await type(line);
      expect({ line, code }).toEqual({ line, code: 2 });
      expect(stderr).toContain("manifest.json: damaged or edited, its own check does not hold");
    }
  });
});

test.each(["rows.jsonl", "manifest.json"])("a folder in the place of %s is told in one line", async (name) => {
  const run = copy(`folder-${name}`);
  rmSync(join(cwd, run, name));
  mkdirSync(join(cwd, run, name));
  const { code, stderr } = await type(`report ${run}`);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${name}: a folder stands where`) });
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("damage in a run that has not ended is told by report and compare", async () => {
  const folder = copy("unended");
  const { records: _sealed, "#": _check, ...manifest } = JSON.parse(textOf(folder, "manifest.json"));
  writeFileSync(join(cwd, folder, "manifest.json"), checkedText(manifest));
  const path = join(cwd, folder, "rows.jsonl");
  writeFileSync(path, textOf(folder, "rows.jsonl").replace('"question":"', '"question":"x'));
  for (const line of [`report ${folder}`, `compare ${folder} --method rag --method-b pag`]) {
    const { stdout, stderr } = await type(line);
    expect(stdout + stderr).toContain("DAMAGED: 1 record left out (rows.jsonl line 1)");
  }
});

test("a run is for its owner alone: the folder 0700, every file 0600", async () => {
  await type("report done --figures --html");
  const folder = join(cwd, "done");
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(folder)).toBe("700");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    expect([name, modeOf(join(folder, name))]).toEqual([name, name === "figures" ? "700" : "600"]);
});

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkedText } from "../../src/run/manifest.js";
import { recordLine } from "../../src/run/record-lines.js";
import { latestRows } from "../../src/run/rows.js";
import type { Row } from "../../src/types/index.js";
import { reseal } from "../helpers/reseal.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const path = (...parts: string[]) => join(cwd, ...parts);
const readText = (...parts: string[]) => readFileSync(path(...parts), "utf8");

/** A finished run, the readings of whose first rows were got wrong: `4` read as unparsed. */
async function misread(name: string): Promise<Row[]> {
  await run(`run --task lamp3 --method rag,prompt --data data --out ${name}`);
  const rows = latestRows(path(name));
  const old = rows.map(
    (row, i): Row =>
      i < 3 && row.outcome.kind === "answered"
        ? { ...row, outcome: { kind: "unparsed", reply: row.outcome.reply } }
        : row,
  );
  writeFileSync(path(name, "rows.jsonl"), Buffer.concat(old.map(recordLine)));
  reseal(path(name));
  return old;
}

beforeAll(async () => {
  writeReviews(
    path("data"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );
  await misread("old");
});

describe("lamp-eval verify --rescore", () => {
  test("an unchanged run has equal numbers and no changed reading", async () => {
    await run("run --task lamp3 --method rag --data data --out same");
    const { code, stdout } = await run("verify same --rescore");
    expect(code).toBe(0);
    expect(stdout).toContain("no reading has changed");
    expect(stdout).toMatch(/lamp3 +rag +mae +(\S+) +\1 += /);
  });

  test("lists the questions whose reading changed, with the reply, and calls nobody", async () => {
    const before = readText("old", "responses.jsonl");
    const { stdout } = await run("verify old --rescore");
    const changed = latestRows(path("old")).slice(0, 3);
    expect(stdout).toContain("3 readings have changed:");
    for (const { question } of changed)
      expect(stdout).toMatch(new RegExp(`question ${question}: unparsed, lenient none -> answered, lenient "\\d"`));
    expect(readText("old", "responses.jsonl")).toBe(before);
    expect(existsSync(path("old-rescored"))).toBe(false);
  });

  test("the old numbers are those of results.json", async () => {
    await misread("printed");
    const results = JSON.parse(readText("printed", "results.json"));
    results.results[0].metrics[0].strict = 3.25;
    writeFileSync(path("printed", "results.json"), JSON.stringify(results));
    const { numbers } = JSON.parse((await run("verify printed --rescore --json")).stdout);
    expect(numbers[0]).toMatchObject({ task: "lamp3", method: "rag", metric: "mae", strict: { old: 3.25 } });
    expect(numbers[0].strict.new).toBeLessThan(3);
  });

  test("without results.json the old numbers are those of the stored readings, and it says so", async () => {
    await misread("bare");
    writeFileSync(path("bare", "results.json"), "");
    expect((await run("verify bare --rescore")).code).toBe(2);
    rmSync(path("bare", "results.json"));
    const { code, stderr, stdout } = await run("verify bare --rescore --json");
    expect(code).toBe(0);
    expect(stderr).toContain("no results.json");
    const { numbers } = JSON.parse(stdout);
    expect(numbers.some(({ strict }: { strict: { old: number; new: number } }) => strict.old !== strict.new)).toBe(
      true,
    );
  });

  test("--out makes a new folder with its origin, and never overwrites", async () => {
    const before = readText("old", "rows.jsonl");
    const { code, stderr } = await run("verify old --rescore --out fresh");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "the new readings are in fresh" });
    expect(readText("old", "rows.jsonl")).toBe(before);
    expect(latestRows(path("fresh")).every(({ outcome }) => outcome.kind === "answered")).toBe(true);
    expect(JSON.parse(readText("fresh", "manifest.json")).rescored).toMatchObject({ from: "old" });
    expect((await run("report fresh")).stdout).toContain("replies of old");
    expect((await run("verify fresh --data data")).stdout).not.toContain("FAILED");
    const written = readText("fresh", "manifest.json");
    expect((await run("verify old --rescore --out fresh")).code).toBe(0); // the same once more: as it stands
    expect(readText("fresh", "manifest.json")).toBe(written);
    expect((await run("verify old --rescore --out data")).stderr).toContain("is there already");
  });

  test("--out keeps searches, vectors and what methods drew; charts show old readings and stay behind", async () => {
    await run("run --task lamp2m --method react --users 2 --queries-per-user 1 --out searched");
    expect(readText("searched", "searches.jsonl")).not.toBe("");
    writeFileSync(path("searched", "vectors.jsonl"), recordLine({ key: "k", dimensions: 1, floats: "AAAAAA==" }));
    reseal(path("searched"));
    mkdirSync(path("searched", "figures"));
    const files = ["graph-lamp2m-ann.svg", "overview-lamp2m.svg", "overview-lamp2m.png", "overview-lamp2m.vl.json"];
    for (const name of files) writeFileSync(path("searched", "figures", name), "<svg/>");
    expect((await run("verify searched --rescore --out found")).code).toBe(0);
    for (const name of ["searches.jsonl", "vectors.jsonl", "responses.jsonl", "figures/graph-lamp2m-ann.svg"])
      expect(readText("found", name)).toBe(readText("searched", name));
    expect(readdirSync(path("found", "figures"))).toEqual(["graph-lamp2m-ann.svg"]);
    expect(readText("found", "results.md")).toContain("(figures/graph-lamp2m-ann.svg)");
    const exported = await run("cassette export found --out tape");
    expect(exported.stdout).toMatch(/[1-9]\d* searches/);
  });

  test("LaMP-1's lenient reading is kept and named where its questions are not at hand", async () => {
    await run("run --task lamp1 --method prompt --users 3 --out papers");
    const manifest = JSON.parse(readText("papers", "manifest.json"));
    expect((await run("verify papers --rescore")).stdout).not.toContain("give the questions with --data");
    manifest.plan.data[0].name = "elsewhere";
    delete manifest["#"];
    writeFileSync(path("papers", "manifest.json"), checkedText(manifest));
    expect((await run("verify papers --rescore")).stdout).toContain("lamp1: lenient readings are the stored ones");
  });

  test.each([
    ["nothing", "no run here"],
    ["empty", "damaged or edited"],
  ])("%s is refused in one line", async (name, message) => {
    mkdirSync(path("empty"), { recursive: true });
    writeFileSync(path("empty", "manifest.json"), "{}");
    const { code, stderr } = await run(`verify ${name} --rescore`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

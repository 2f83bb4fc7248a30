import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import type { Row } from "../../src/types/index.js";
import { armRecords } from "../helpers/report-json.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const golds = (file: string) =>
  JSON.parse(readFileSync(join(cwd, file), "utf8")) as { task: string; golds: { id: string; output: string }[] };
const read = (file: string): Record<string, string>[] =>
  parse(readFileSync(join(cwd, file), "utf8"), { columns: true });
let rows: readonly Row[];

beforeAll(async () => {
  const { code, stderr } = await run(
    "run --task lamp2m,lamp3 --method prompt,rag --users 3 --queries-per-user 2 --repeats 2 --out done",
  );
  if (code !== 0) throw new Error(stderr);
  rows = rowsOf(join(cwd, "done"));
});

describe("lamp-eval export", () => {
  test("official: files that lamp-eval score reads, with the run's own numbers", async () => {
    const { code, stdout, stderr } = await run("export done --form official --out official");
    expect([code, stdout.split("\n")]).toEqual([
      0,
      expect.arrayContaining([join("official", "lamp3.rag.json"), join("official", "lamp3.rag.repeat-2.json")]),
    ]);
    expect(stderr).toContain("SIMULATED");
    expect(golds("official/lamp2m.rag.json").task).toBe("LaMP_2M"); // as the golds; LaMP's own script says LaMP_2
    const told = golds("official/lamp3.rag.json");
    const answer = {
      ...told,
      golds: told.golds.map(({ id }) => ({
        id,
        output: rows.find(({ question, gold }) => question === id && Number.isFinite(Number(gold)))!.gold,
      })),
    };
    writeFileSync(join(cwd, "golds.json"), JSON.stringify(answer));
    const errors = told.golds.map(({ output }, at) => Math.abs(Number(output) - Number(answer.golds[at]?.output)));
    const mae = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const scored = await run("score --task lamp3 --predictions official/lamp3.rag.json --golds golds.json --json");
    expect((JSON.parse(scored.stdout) as { MAE: number }).MAE).toBeCloseTo(mae, 12);
    expect(scored.code).toBe(0);
  });

  test("csv: a row a question, a score of a pair only where its task has the metric", async () => {
    expect((await run("export done --form csv --out rows.csv")).code).toBe(0);
    const found = read("rows.csv");
    expect(found).toHaveLength(rows.length);
    const rating = found.find(({ task }) => task === "lamp3")!;
    const row = rows.find(({ arm, question }) => arm === rating.arm && question === rating.question)!;
    expect(rating).toMatchObject({
      gold: row.gold,
      outcome: row.outcome.kind,
      user: row.user,
      calls: "1",
      simulated: "true",
      "accuracy.alone": "",
    });
    expect(Number(rating["mae.alone"])).toBe(
      Math.abs(Number(row.gold) - Number("reply" in row.outcome ? row.outcome.reply : Number.NaN)),
    );
    expect(found.some((one) => one["mae.alone"] !== "" && one.task === "lamp2m")).toBe(false);
  });
});

test("rows of several tasks with labels of their own are scored by those", async () => {
  await run("run --task lamp1,lamp2n --method prompt --users 4 --out labels");
  await run("export labels --form csv --out labels.csv");
  const flat = read("labels.csv");
  for (const { task, accuracy } of armRecords((await run("report labels --format json")).stdout)) {
    const alone = flat.filter((row) => row.task === task).map((row) => Number(row["accuracy.alone"]));
    expect(alone.reduce((sum, value) => sum + value, 0) / alone.length).toBeCloseTo(accuracy!, 12);
  }
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { unitRecordsOf } from "../../src/record/rows.js";
import { armRecords } from "../helpers/report-json.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { writeNews } from "./graph-data.js";

const cwd = suiteDir();

beforeAll(() => writeNews(cwd));

async function run(out: string, more = ""): Promise<{ stdout: string; files: Record<string, string> }> {
  const { code, stdout, stderr } = await runCommandLine(
    `run --task lamp2n --method graph-rag --data news --out ${out} ${more}`,
    { cwd },
  );
  if (code !== 0) throw new Error(stderr);
  return { stdout, files: comparable(join(cwd, out)) };
}
describe("reports written by the model", () => {
  const given = "--set graph-rag.reports=llm";

  test("are booked on the arm, not on the user who came first, at any concurrency", async () => {
    const narrow = await run("results/narrow", `${given} --concurrency 1`);
    const wide = await run("results/wide", `${given} --concurrency 16`);
    expect(wide.files).toEqual(narrow.files);
    const units = unitRecordsOf(join(cwd, "results/narrow"));
    expect(units.map(({ unit, spend }) => [unit, spend.summary?.calls ?? 0])).toEqual([
      ["ann", 0],
      ["ben", 0],
      ["cat", 0],
      ["shared/graph.report/1", 1], // of two communities one is shown
    ]);
    expect(units.map(({ user, shared }) => [user, shared === true]).at(-1)).toEqual(["", true]);
  });

  test("are in the footnotes, not in calls/user", async () => {
    await run("results/noted", given);
    expect(readFileSync(join(cwd, "results/noted/results.md"), "utf8")).toMatch(
      /graph-rag: shared by all users: 1 call, \d+ tokens/,
    );
    const [row] = armRecords(readFileSync(join(cwd, "results/noted/results.json"), "utf8"));
    expect(row).toMatchObject({ calls_user: 0, calls: 1 });
  });

  test.each([1, 2, 3])(
    "leave the same bytes when the run is stopped after %i calls and taken up again",
    async (calls) => {
      const whole = await run("results/whole", given);
      const out = `results/stopped-${calls}`;
      const line = `run --task lamp2n --method graph-rag --data news --out ${out} ${given} --concurrency 1`;
      expect((await runCommandLine(`${line} --max-calls ${calls}`, { cwd })).code).toBe(1);
      expect((await run(out, given)).files).toEqual(whole.files);
    },
  );

  test("are in the estimate once, whatever the number of users", async () => {
    const estimate = async (users: number) => {
      const line = `run --task lamp2n --method graph-rag --data news ${given} --users ${users} --dry-run --json`;
      return JSON.parse((await runCommandLine(line, { cwd })).stdout).phases;
    };
    expect((await estimate(3)).map(({ phase, callsHigh }: Record<string, unknown>) => [phase, callsHigh])).toEqual([
      ["answer", 3],
      ["summary (shared)", 30],
    ]);
    expect((await estimate(3))[1].tokensOut).toBe(30 * 512); // each report as long as allowed
  });
});

test("released mode has its remarks in the tables of the run, once", async () => {
  await run("results/released", "--set graphrag.mode=released --repeats 2");
  const tables = readFileSync(join(cwd, "results/released/results.md"), "utf8");
  expect(tables.match(/the released code's leak \(evaluated items in the memory\) is not reproduced/g)).toHaveLength(1);
  expect(tables).toContain("released-graph-unread: as in the released code, no answer reads the graph");
});

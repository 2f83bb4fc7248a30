import { join } from "node:path";
import { expect, test } from "vitest";
import { groupTables } from "../../src/report/groups.js";
import { answered, handMade } from "../helpers/chart-material.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

test("a run is broken down by a tag of its questions, and an unknown tag is named", async () => {
  const cwd = tempDir();
  await runCommandLine("run --task personamem --method prompt,rag --out run", { cwd });
  const { stdout } = await runCommandLine("report run --by pref_type --format csv", { cwd });
  const [head, ...lines] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^pref_type,method,users,n,accuracy,accuracy_low/);
  expect(lines.map((line) => line.split(",").slice(0, 4).join(" "))).toEqual(
    ["ask_to_forget", "other_person", "stated_preference", "updated_preference"].flatMap((value) => [
      `${value} prompt 12 12`,
      `${value} rag 12 12`,
    ]),
  );
  const text = (await runCommandLine("report run --by pref_type", { cwd })).stdout;
  expect(text).toMatch(/1\.000 \[-\](?:.|\n)*\n\[-\]: no interval: fewer than 10 users/);
  const { code, stderr } = await runCommandLine("report run --by type", { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--by type: not in .*run; it has history-length, pref_type, who, updated/),
  ]);
});

test("a group counts and scores answered questions alone, and one without any has no line", () => {
  const outcome = (user: number, _: number, gold: string) =>
    user < 4 ? ({ kind: "failed", error: "e" } as const) : answered(user < 6 ? "none" : gold);
  const made = handMade([{ method: "prompt", outcome }]);
  const rows = made.rows.map((row, i) => ({ ...row, tags: { kind: i < 9 ? "lost" : "kept" } }));
  const [table] = groupTables({ by: "kind", over: "prompt", units: [] }, { ...made, rows });
  expect(table!.rows.map(([kind, , users, n, score]) => [kind, users, n, Object(score).value])).toEqual([
    ["kept", 8, 24, 0.75],
  ]);
});

test("a run is broken down by the length of histories: quarters of the questions, each with its gain", async () => {
  const cwd = tempDir();
  const users = [2, 3, 4, 5, 6, 7, 8, 9].map((length) => reviewUser(`u${length}`, length));
  writeReviews(join(cwd, "data"), users);
  await runCommandLine("run --task lamp3 --data data --method prompt,rag --out run", { cwd });
  const { stdout } = await runCommandLine("report run --by history-length --format json --reference rag", { cwd });
  const lines = JSON.parse(stdout).tables[0].rows as Record<string, number>[];
  expect(lines.map((line) => `${line["history-length"]} ${line.method} ${line.n}`)).toEqual(
    ["2 to 3", "4 to 5", "6 to 7", "8 to 9"].flatMap((range) => [`${range} prompt 4`, `${range} rag 4`]),
  );
  for (let at = 0; at < lines.length; at += 2) {
    const [prompt, rag] = [lines[at]!, lines[at + 1]!];
    expect(prompt.gain).toBeCloseTo(rag.mae! - prompt.mae!, 10);
    expect(rag.gain).toBeNull();
  }
});

test("a run is broken down by user: the means of its scores are those of the run", async () => {
  const cwd = tempDir();
  await runCommandLine("run --task lamp3 --method prompt,rag --limit 30 --out run", { cwd });
  const { stdout } = await runCommandLine("report run --per-user --format csv", { cwd });
  const [head, ...lines] = stdout.trimEnd().split("\n");
  expect(head).toBe("user,prompt,rag,n");
  const rows = lines.map((line) => line.split(","));
  expect(rows.reduce((sum, [, , , n]) => sum + Number(n), 0)).toBe(30);
  const { stdout: whole } = await runCommandLine("report run --format json", { cwd });
  for (const [a, { mae }] of armRecords(whole).slice(0, 2).entries())
    expect(rows.reduce((sum, row) => sum + Number(row[a + 1]) * Number(row[3]), 0) / 30).toBeCloseTo(Number(mae), 10);
  expect((await runCommandLine("report run --per-user --wide", { cwd })).code).toBe(2);
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });

beforeAll(async () => {
  const users = Array.from({ length: 3 }, (_, i) => reviewUser(`u${i}`));
  writeReviews(join(cwd, "data"), users);
  writeReviews(join(cwd, "other"), users.slice(1));
  await run("run --task lamp3 --method prompt,rag --data data --out results/first");
  await run("run --task lamp3 --method icl --data data --max-calls 2 --out results/second");
  await run("run --task lamp3 --method rag --data other --out results/third");
  mkdirSync(join(cwd, "results", "notes"));
  mkdirSync(join(cwd, "results", "broken"));
  writeFileSync(join(cwd, "results", "broken", "log.jsonl"), "{\n");
});

describe("report over several runs", () => {
  test("lists the runs of a folder with state, spend and score", async () => {
    const { code, stdout } = await run("report results");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 runs\nrun +state +arms +questions +spent +best score\n/);
    expect(stdout).toMatch(/^results\/first +done, SIMULATED +2 +12 +- +lamp3 mae \S+ \((prompt|rag)\)$/m);
    expect(stdout).toMatch(/^results\/second +not ended, SIMULATED +1 +2\/6 +- +lamp3 mae \S+ \(icl\)$/m);
    expect(stdout).toMatch(/^results\/broken +not readable +- +- +- +-$/m);
    expect(stdout).toMatch(/^results\/broken: .*log\.jsonl: neither .*$/m);
    expect(stdout).not.toContain("notes");
  });

  test("ranks arms that were asked the same, whole ones first, each data set by itself", async () => {
    const { stdout } = await run("report results/second results/first results/third --format json");
    const { rankings } = JSON.parse(stdout);
    const arms = rankings.map(({ arms: ranked }: { arms: { run: string; summary: { method: string } }[] }) =>
      ranked.map((arm) => `${arm.run} ${arm.summary.method}`),
    );
    expect(arms).toHaveLength(2);
    expect(arms[0]).toHaveLength(3);
    expect(arms[0]?.at(-1)).toBe("results/second icl");
    expect(arms[1]).toEqual(["results/third rag"]);
    const scores = rankings[0].arms
      .slice(0, 2)
      .map((arm: { summary: { metrics: { strict: number }[] } }) => arm.summary.metrics[0]?.strict);
    expect(scores).toEqual([...scores].sort((a, b) => a - b)); // mae: less is better
  });

  test("ranks a shard beside no whole run: it was asked a part of the questions", async () => {
    await run("run --task lamp3 --method rag --data data --shard 1/2 --out results-of/shard");
    await run("run --task lamp3 --method rag --data data --out results-of/whole");
    const { rankings } = JSON.parse((await run("report results-of --format json")).stdout);
    expect(rankings.map(({ arms }: { arms: { run: string }[] }) => arms.map((arm) => arm.run))).toEqual([
      ["results-of/shard"],
      ["results-of/whole"],
    ]);
  });

  test("names the settings that tell arms of different runs apart", async () => {
    await run("run --task lamp3 --method rag --set rag.k=1 --data data --out apart/one");
    await run("run --task lamp3 --method rag --set rag.k=2 --data data --out apart/two");
    const { stdout } = await run("report apart");
    expect(stdout).toMatch(/^apart\/one .* \(rag \(rag\.k=1\)\)$/m);
    expect(stdout).toMatch(/^apart\/two .* \(rag \(rag\.k=2\)\)$/m);
  });

  test("refuses what is of one run alone, and folders without a run", async () => {
    for (const [flags, named] of [
      ["--figures cost", "--figures is for one run"],
      ["--per-user", "--per-user is for one run"],
      ["--format csv", "--format csv is for one run"],
    ])
      expect(await run(`report results ${flags}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(named ?? ""),
      });
    expect((await run("report results/first nowhere")).stderr).toContain("nowhere: no run here (no log.jsonl)");
    expect((await run("report results/notes")).stderr).toContain("no run here");
  });
});

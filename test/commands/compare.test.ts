import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { OptionValue } from "../../src/types/index.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { writeRun } from "../helpers/written-run.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });

interface Planted {
  /** Ratings of one method for the 12 users' single questions; the gold is 3. */
  readonly ratings: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, OptionValue>>;
  readonly units?: string;
}

/** A run folder as a finished run leaves it. */
function plant(name: string, { ratings, options = {}, units = "same" }: Planted): void {
  const arms = Object.entries(ratings).map(([method, replies]) => ({
    ...{ task: "lamp3", method, options },
    ...{ golds: [...replies].map(() => "3"), replies: [...replies] },
  }));
  writeRun(join(cwd, name), { arms, units, ids: JSON.stringify([Object.keys(ratings)[0], options]) });
}

beforeAll(() => {
  plant("weak", { ratings: { rag: "555555555555", prompt: "111111111111" } });
  plant("strong", { ratings: { rag: "444444444433" }, options: { "rag.k": 8 }, units: "others" });
  plant("one", { ratings: { pag: "333333333333" } });
});

const compared = async (line: string) => JSON.parse((await run(`compare ${line} --json`)).stdout).comparisons;

describe("two runs", () => {
  test("are compared by the methods they share, with interval, p and users", async () => {
    const [only, ...more] = await compared("weak strong");
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      a: "rag, openai/gpt-test, weak",
      b: "rag (rag.k=8), openai/gpt-test, strong",
      simulated: false,
    });
    expect(only).toMatchObject({ questions: 12, users: 12 });
    const [mae] = only.metrics;
    expect(mae).toMatchObject({ name: "mae", a: 2 });
    expect(mae.gain).toBeCloseTo(14 / 12, 12);
    expect(mae.gain_low).toBeGreaterThan(0.8);
    expect(mae.p).toBeLessThan(0.05);
  });

  test("show what else differs between them", async () => {
    const [{ remarks }] = await compared("weak strong");
    expect(remarks).toEqual(["visible histories or questions differ"]);
    plant("strong-4", { ratings: { rag: "444444444433" }, options: { "rag.k": 4 } });
    const [changed] = await compared("strong strong-4 --metric rmse");
    expect(changed.remarks).toContain("rag.k: A 8, B 4");
    plant("spoilt", {
      ratings: { rag: "333333333333" },
      options: { "history.control": "deranged", select: "recency" },
    });
    plant("own", { ratings: { rag: "333333333333" }, options: { select: "own" } });
    const [spoilt] = await compared("own spoilt");
    expect(spoilt.remarks).toEqual(["history.control: A right, B deranged", "select: A own, B recency"]);
    expect(changed.metrics.map(({ name }: { name: string }) => name)).toEqual(["rmse"]);
    expect(changed.metrics[0].p).toBeUndefined(); // only the primary metric is tested
  });

  test("are compared by methods that are named", async () => {
    expect((await compared("weak one --methods prompt,pag"))[0]).toMatchObject({
      ...{ a: "prompt, openai/gpt-test, weak", b: "pag, openai/gpt-test, one" },
    });
    expect((await compared("strong one"))[0]).toMatchObject({ b: "pag, openai/gpt-test, one" }); // it has this method alone
  });

  test("with the same arm are told apart by the run", async () => {
    plant("again", { ratings: { rag: "444444444444", prompt: "111111111111" } });
    const [rag, prompt] = await compared("weak again");
    expect([rag.a, rag.b, prompt.metrics[0].gain]).toEqual([
      ...["rag (run=weak), openai/gpt-test", "rag (run=again), openai/gpt-test", 0],
    ]);
  });

  test("end in a table and the flipped questions", async () => {
    const { code, stdout } = await run("compare weak strong --flipped 2");
    expect(code).toBe(0);
    expect(stdout).toContain("B is better on 12 questions, the first 2:");
    expect(stdout).toMatch(/mae \(down\) +2\.000 +\.833 +\+1\.167 \[/);
  });
});

test("one run has two of its methods compared, and names them where none is named", async () => {
  expect((await compared("weak --methods rag,prompt"))[0]).toMatchObject({
    a: "rag, openai/gpt-test",
    b: "prompt, openai/gpt-test",
  });
  expect((await run("compare weak")).stderr).toBe(
    "lamp-eval: weak: name two methods of it, --methods A,B; it has rag, prompt",
  );
});

test("a real run on the embedded model is compared from its folder, says SIMULATED and is left as it was", async () => {
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );
  await run("run --task lamp3 --method prompt,rag --data reviews --out real");
  const before = readFileSync(join(cwd, "real", "rows.jsonl"), "utf8");
  const { code, stdout } = await run("compare real --methods prompt,rag");
  expect(code).toBe(0);
  expect(stdout).toContain("SIMULATED");
  expect(stdout).toContain("24 questions of 12 users");
  expect(stdout).toMatch(/^ {2}question \S+ · user u\d+ · ".+"\n {4}gold "\d" · A "\d" \(\d\.000\) · B "\d"/m);
  expect(stdout).toMatch(/^rmse \(down\)/m);
  expect(readFileSync(join(cwd, "real", "rows.jsonl"), "utf8")).toBe(before);
});

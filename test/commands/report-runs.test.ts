import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });

beforeAll(async () => {
  const users = Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`));
  writeReviews(join(cwd, "data"), users);
  writeReviews(join(cwd, "other"), users.slice(1));
  const lamp3 = "run --task lamp3 --data data";
  await run(`${lamp3} --method prompt,rag --out all/first`);
  await run(`${lamp3} --method prompt,icl --out all/second`);
  await run(`${lamp3} --method rag --set rag.k=1 --out k1`);
  await run(`${lamp3} --method prompt --users 11 --out fewer`);
  await run(`${lamp3} --method prompt --shard 1/2 --out shard`);
  await run("run --task lamp3 --data other --method prompt --out other-data");
  const golds = users.flatMap(({ user_id }) => [0, 1].map((q) => ({ id: `${user_id}-q${q}`, output: "3" })));
  writeFileSync(join(cwd, "p.json"), JSON.stringify(golds));
  await run("import --predictions p.json --task lamp3 --data data --name mine --out mine");
  mkdirSync(join(cwd, "all", "notes"));
});

describe("one table over several runs", () => {
  test("has every arm once, with the gain and p that each run alone has", async () => {
    const { code, stdout } = await run("report all/first all/second");
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^(prompt|rag|icl) /gm)].map(([, name]) => name)).toEqual(["prompt", "rag", "icl"]);
    const joined = armRecords((await run("report all/first all/second --format json")).stdout);
    for (const name of ["first", "second"])
      for (const { method, gain, p } of armRecords((await run(`report all/${name} --format json`)).stdout))
        expect(joined.find((arm) => arm.method === method)).toMatchObject({ gain, p });
    const rag = joined.find(({ method }) => method === "rag")!;
    expect(rag.p_holm).toBeGreaterThanOrEqual(rag.p!);
    expect((await run("report all")).stdout).toBe(stdout); // a folder of runs
  });

  test("tells arms of one method apart by their settings, and marks imported and simulated ones", async () => {
    const { stdout } = await run("report all/first k1 mine");
    expect(stdout).toMatch(/^rag \(rag\.k=4\) \(SIMULATED\) /m);
    expect(stdout).toMatch(/^rag \(rag\.k=1\) \(SIMULATED\) /m);
    expect(stdout).toMatch(/^mine \(imported\) /m);
  });

  test("is a page, which has no answers", async () => {
    expect((await run("report all/first all/second --html")).stdout).toBe("report.html");
    const page = readFileSync(join(cwd, "report.html"), "utf8");
    expect(page).toContain("icl");
    expect(page).not.toContain('<section id="answers"');
  });

  test.each([
    ["all/first fewer", "all/first and fewer: other questions or histories of lamp3"],
    ["all/first other-data", "all/first and other-data: other data of lamp3"],
    ["all/first shard", "shard: shard 1/2 of a run"],
    ["all/first nowhere", "nowhere: no run here"],
    ["all/notes", "all/notes: no run here"],
    ["all --figures gains", "--figures: name one run"],
    ["all/first all/second --reference pag", "--reference pag: not in all/first all/second"],
  ])("refuses in one line: report %s", async (line, message) => {
    const { code, stderr } = await run(`report ${line}`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("\n");
  });
});

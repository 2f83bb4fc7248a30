import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Aggregate, offencesOf } from "../helpers/every-eval-ever.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
const out = (name: string) => run(`export real --form every-eval-ever --organization Lab --out ${name}`);
let server: ProviderServer;

/** The files under a folder by their path from it. */
function filesIn(name: string): Map<string, string> {
  const entries = readdirSync(join(cwd, name), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    paths.map((path) => [relative(join(cwd, name), path).split(sep).join("/"), readFileSync(path, "utf8")]),
  );
}

beforeAll(async () => {
  // One question in seven fails for good.
  server = await startRatedServer({
    fault: ({ index }) => (index % 7 === 6 ? { kind: "status", status: 400 } : undefined),
  });
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );
  const model = `--model openai/acme/lamp:1 --base-url ${server.url}/v1`;
  const { stderr } = await run(
    `run --task lamp3 --method prompt,rag --data reviews ${model} --out real --concurrency 1`,
  );
  if (!stderr.includes("everything is in")) throw new Error(stderr);
});
afterAll(() => server.close());

test("every-eval-ever: files that the schema and its rules take, with the run's own numbers", async () => {
  const { code, stdout } = await out("aggregates");
  expect([code, stdout.split("\n").length]).toEqual([0, 2]);
  const files = filesIn("aggregates");
  expect(files.size).toBe(2);
  expect(offencesOf(files)).toEqual([]);
  const logs = [...files.values()].map((text) => JSON.parse(text) as Aggregate);
  for (const { method, mae, rmse, failed, n } of armRecords((await run("report real --format json")).stdout)) {
    const log = logs.find((one) => one.evaluation_results[0]!.evaluation_name === `lamp3.${method}`)!;
    expect(log.model_info.id).toBe("acme/lamp-1");
    expect(log.evaluation_results.map(({ score_details: { score } }) => score)).toEqual([mae, rmse]);
    expect(log.evaluation_results[0]!.score_details.details).toMatchObject({ failed: String(failed) });
    expect(log.evaluation_results[0]!.score_details.uncertainty.num_samples).toBe(n);
    expect(JSON.stringify(log)).not.toMatch(/http|u1-q0|fine lamp/);
  }
  await out("again");
  expect([...filesIn("again").keys()]).toEqual([...files.keys()]);
});

test("a changed file is found by these rules", async () => {
  await out("changed");
  const files = filesIn("changed");
  const [[path, text] = ["", ""]] = [...files].filter(([name]) => name.endsWith(".json"));
  const changed = (edit: (text: string) => string) => offencesOf(new Map([...files, [path, edit(text)]]));
  expect(changed((one) => one.replace(/"score": [\d.]+/, '"score": 9'))).toHaveLength(1);
  expect(changed((one) => one.replace('"unknown"', '"cloud"'))).toHaveLength(1);
  expect(changed((one) => one.replace('"schema_version"', '"weather": "fine", "schema_version"'))).toHaveLength(1);
});

test.each([
  ["export demo --form every-eval-ever --organization Lab --out x", "SIMULATED"],
  ["export real --form every-eval-ever --out x", "--organization NAME is missing"],
])("%s is refused in one line", async (line, said) => {
  if (line.includes("demo")) await run("run --task lamp3 --method prompt --users 2 --out demo");
  const { code, stderr } = await run(line);
  expect([code, stderr.split("\n").length]).toEqual([2, 1]);
  expect(stderr).toContain(said);
});

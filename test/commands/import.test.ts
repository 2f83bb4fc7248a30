import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const users = Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`));
const ids = users.flatMap(({ user_id }) => [`${user_id}-q0`, `${user_id}-q1`]);

const write = (name: string, value: unknown): void =>
  writeFileSync(join(cwd, name), typeof value === "string" ? value : JSON.stringify(value));
const all = (output: unknown) => ids.map((id) => ({ id, output }));
const flags = "--task lamp3 --name mine --data data --simulated";

beforeAll(async () => {
  writeReviews(join(cwd, "data"), users);
  write("official.json", { task: "LaMP_3", golds: all("5") });
  await run("run --task lamp3 --method rag,prompt --data data --out native");
});

describe("lamp-eval import", () => {
  test("takes predictions of trained methods as OPPU and PER-PCS write them", async () => {
    // OPPU.py @d2128d7: {task, golds, model}, the reply behind the prompt as it is. Per-Pcs lora_composition.py @8f8f53f: without "model".
    const file = fileURLToPath(new URL("../../docs/examples/oppu.json", import.meta.url));
    const { model: _, ...perPcs } = JSON.parse(readFileSync(file, "utf8"));
    write("per-pcs.json", perPcs);
    for (const name of [file, "per-pcs.json"]) {
      const out = `trained-${basename(name, ".json")}`;
      const asked = `import --task lamp2m --name OPPU --users 2 --simulated --predictions ${name} --out ${out}`;
      expect((await run(asked)).code).toBe(0);
      const rows = rowsOf(join(cwd, out));
      const kinds = ["answered", "answered", "answered", "answered", "answered", "unparsed", "answered"];
      expect(rows.map(({ outcome }) => outcome.kind)).toEqual(kinds); // a reply that goes on is no label
      const right = rows.filter(({ gold, outcome }) => outcome.kind !== "failed" && outcome.reply.trim() === gold);
      expect(right.map(({ question }) => question)).toEqual(["u01-q1", "u01-q2", "u01-q3", "u02-q1"]);
    }
  });

  test("makes a run of the same questions, users and golds as a native one, read as a run reads replies", async () => {
    const { code, stderr } = await run(`import --predictions official.json ${flags} --out imported`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/everything is in imported$/) });
    const facts = (folder: string, armSpec: (method: string) => boolean) => {
      const arms = manifestIn(join(cwd, folder))!.identity.arms.filter(({ method }) => armSpec(method));
      return rowsOf(join(cwd, folder))
        .filter((row) => arms.some(({ id }) => id === row.arm))
        .map(({ question, user, unit, gold }) => ({ question, user, unit, gold }));
    };
    expect(facts("imported", () => true)).toEqual(facts("native", (method) => method === "rag"));
    const plans = ["imported", "native"].map((folder) => manifestIn(join(cwd, folder))!.identity.data);
    expect(plans[0]).toEqual(plans[1]);
    const outcomes = rowsOf(join(cwd, "imported")).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(ids.map(() => ({ kind: "answered", reply: "5", lenient: "5" })));
  });

  test.each([
    // Written by inspect_ai 0.3.285 (without events), lm-evaluation-harness 0.4.13 and promptfoo 0.121.20, asked the same four questions.
    ["inspect.json", ["5", "1", "4", "4"]],
    ["lm-eval.jsonl", ["5", "1", "4", "4"]],
    ["promptfoo.json", ["5", "1", "4", "4"]],
  ])("takes the results of another evaluator: %s", async (name, replies) => {
    const file = fileURLToPath(new URL(`../fixtures/evaluators/${name}`, import.meta.url));
    const asked = `import --predictions ${file} --task lamp3 --data data --users 2 --name theirs --simulated`;
    expect(await run(`${asked} --out ${name}`)).toMatchObject({ code: 0 });
    const outcomes = rowsOf(join(cwd, name)).map(({ outcome }) => outcome);
    expect(outcomes.map((outcome) => outcome.kind === "answered" && outcome.reply)).toEqual(replies);
    const { comparisons } = JSON.parse((await run(`compare native ${name} --methods rag,theirs --json`)).stdout);
    expect(comparisons[0]).toMatchObject({ questions: 4, users: 2 });
    expect((await run(`import --predictions ${file} --task lamp2m --name theirs`)).stderr).toMatch(
      /none of its ids is/,
    );
  });

  test("report and compare take it beside a native run, and its costs are dashes", async () => {
    await run(`import --predictions official.json ${flags} --out beside`);
    const report = await run("report beside --wide");
    expect(report.stdout).toMatch(/^mine .* 24 .* -$/m);
    expect(report.stdout).toContain("imported from official.json: calls, tokens and cost are unknown");
    const compared = await run("compare native beside --methods rag,mine --json");
    const [comparison] = JSON.parse(compared.stdout).comparisons;
    expect(comparison).toMatchObject({
      questions: 24,
      users: 12,
      leftOut: { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 },
    });
    expect(comparison.metrics.find(({ name }: { name: string }) => name === "mae").b).toBe(2);
    expect((await run("verify beside --data data")).code).toBe(0);
    expect((await run("export beside --form pack --out beside.pack")).code).toBe(0);
    expect((await run("verify beside.pack --data data")).code).toBe(0);
    expect((await run("show beside --question u0-q0")).stdout).toMatch(/\[imported\]\s+official\.json/);
    expect((await run("report beside --html")).code).toBe(0);
  });

  test("takes fields by other names, and says which are there where one is missing", async () => {
    const text = `question_id,answer,source\n${ids.map((id) => `${id},5,x`).join("\n")}`;
    write("theirs.csv", text);
    const named = await run(
      `import --predictions theirs.csv --columns id=question_id,prediction=answer ${flags} --out theirs`,
    );
    expect(named.code).toBe(0);
    expect(rowsOf(join(cwd, "theirs")).every(({ outcome }) => outcome.kind === "answered")).toBe(true);
    const bare = await run(`import --predictions theirs.csv ${flags} --out bare`);
    expect([bare.code, bare.stderr]).toEqual([
      2,
      expect.stringMatching(/entry 1: no "id" in it \(it has question_id, answer, source\).*--columns id=NAME/),
    ]);
    const wrong = await run(`import --predictions theirs.csv --columns key=question_id ${flags} --out bare`);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("--columns key=question_id: expected id=NAME"),
    ]);
    write("foreign.json", [{ id: "x", output: "5" }]);
    const foreign = await run(`import --predictions foreign.json ${flags} --out bare`);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining("none of its ids is that of a question"),
    ]);
  });

  test.each([
    ["a list", JSON.stringify(all("5"))],
    [
      "JSON lines",
      all("5")
        .map((entry) => JSON.stringify(entry))
        .join("\n"),
    ],
    ["numbers", JSON.stringify({ task: "LaMP-3", golds: all(5) })],
    ["CSV", `id,output\n${ids.map((id) => `${id},5`).join("\n")}`],
  ])("takes %s as well", async (name, text) => {
    const file = name === "CSV" ? "form.csv" : "form.json";
    write(file, text);
    const out = `form-${name.replaceAll(" ", "-")}`;
    const { code } = await run(`import --predictions ${file} ${flags} --out ${out}`);
    expect(code).toBe(0);
    expect(rowsOf(join(cwd, out)).map(({ outcome }) => outcome)).toEqual(
      ids.map(() => ({ kind: "answered", reply: "5", lenient: "5" })),
    );
  });

  test("questions without a prediction are failed, counted and named, never scored as wrong", async () => {
    write("some.json", [...all("5").slice(0, 20), { id: ids[20], output: null }]);
    const { code, stdout, stderr } = await run(`import --predictions some.json ${flags} --out some`);
    expect(code).toBe(1);
    expect(stderr).toContain("16.7 % of the questions failed, more than --max-failed 0");
    expect((await run(`import --predictions some.json ${flags} --max-failed .2 --out some-more`)).code).toBe(0);
    expect(stderr).toContain(
      'some.json: 4 of 24 questions have no prediction: counted as failed, not scored (first "u10-q0")',
    );
    expect(stdout).toMatch(/^mine .* 20 +4 /m);
    expect(stdout).toMatch(/mine: 4 of 24 failed and are not in the scores; the imported predictions lack them$/m);
    const failed = rowsOf(join(cwd, "some")).filter(({ outcome }) => outcome.kind === "failed");
    expect(failed.map(({ question }) => question).sort()).toEqual(ids.slice(20).sort());
    expect(failed[0]?.outcome).toEqual({ kind: "failed", error: "no prediction in some.json" });
    expect((await run("verify some --data data")).code).toBe(0);
  });

  test("several files are repeats", async () => {
    write("second.json", all("1"));
    const { stdout } = await run(`import --predictions official.json --predictions second.json ${flags} --out repeats`);
    expect(stdout).toMatch(/^method .* sd /m);
    expect(rowsOf(join(cwd, "repeats"))).toHaveLength(48);
    expect(manifestIn(join(cwd, "repeats"))?.identity.imported?.map(({ name }) => name)).toEqual([
      "official.json",
      "second.json",
    ]);
  });

  test("rows and tables come back from the log; nobody knows what the answers cost", async () => {
    const again = `import --predictions official.json --predictions some.json ${flags} --out law`;
    await run(again);
    const names = ["rows.jsonl", "traces.jsonl", "results.json", "results.csv"];
    const files = () => names.map((name) => readFileSync(join(cwd, "law", name), "utf8"));
    const answers = () => readFileSync(join(cwd, "law/log.jsonl"), "utf8").split('"kind":"program"').length - 1;
    const before = [...files(), answers()];
    for (const name of names) rmSync(join(cwd, "law", name));
    await run(again);
    expect([...files(), answers()]).toEqual(before);
    expect(answers()).toBe(44);
    for (const row of rowsOf(join(cwd, "law")))
      expect(row).toMatchObject({ spendUnknown: true, simulated: true, spend: {} });
  });

  test("the same command twice is the same run; changed predictions need another folder", async () => {
    write("again.json", all("5"));
    await run(`import --predictions again.json ${flags} --out again`);
    const rows = readFileSync(join(cwd, "again/rows.jsonl"), "utf8");
    expect((await run(`import --predictions again.json ${flags} --out again`)).code).toBe(0);
    expect(readFileSync(join(cwd, "again/rows.jsonl"), "utf8")).toBe(rows);
    write("again.json", all("4"));
    const { code, stderr } = await run(`import --predictions again.json ${flags} --out again`);
    expect(code).toBe(2);
    expect(stderr).toContain("holds a run with other settings (");
  });
});

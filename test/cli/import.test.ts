import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { readManifest } from "../../src/run/manifest.js";
import { rowsOf } from "../../src/run/rows.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
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
    expect({ code, stderr }).toEqual({ code: 0, stderr: "everything is in imported" });
    const facts = (folder: string, cell: (method: string) => boolean) => {
      const cells = readManifest(join(cwd, folder))!.plan.cells.filter(({ method }) => cell(method));
      return rowsOf(join(cwd, folder))
        .filter((row) => cells.some(({ id }) => id === row.cell))
        .map(({ question, user, unit, gold }) => ({ question, user, unit, gold }));
    };
    expect(facts("imported", () => true)).toEqual(facts("native", (method) => method === "rag"));
    const plans = ["imported", "native"].map((folder) => readManifest(join(cwd, folder))!.plan.data);
    expect(plans[0]).toEqual(plans[1]);
    const outcomes = rowsOf(join(cwd, "imported")).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(ids.map(() => ({ kind: "answered", reply: "5", lenient: "5" })));
  });

  test("report and compare take it beside a native run, and its costs are dashes", async () => {
    await run(`import --predictions official.json ${flags} --out beside`);
    const report = await run("report beside");
    expect(report.stdout).toMatch(/^mine .* 24 +-$/m);
    expect(report.stdout).toContain("imported from official.json: calls, tokens and cost are unknown");
    const compared = await run("compare native beside --method rag --method-b mine --json");
    const [{ comparison }] = JSON.parse(compared.stdout);
    expect(comparison).toMatchObject({
      questions: 24,
      users: 12,
      leftOut: { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 },
    });
    expect(comparison.metrics.find(({ name }: { name: string }) => name === "mae").b).toBe(2);
    expect((await run("verify beside --data data")).code).toBe(0);
    expect((await run("show beside --question u0-q0")).stdout).toMatch(/\[imported\]\s+official\.json/);
    expect((await run("report beside --html")).code).toBe(0);
  });

  test("gate takes it as candidate and as baseline", async () => {
    write("worse.json", all("1"));
    await run(`import --predictions official.json ${flags} --out base`);
    await run(`import --predictions worse.json ${flags} --out worse`);
    const itself = JSON.parse((await run("gate base --baseline base --json")).stdout);
    expect(itself).toMatchObject({ lines: [{ gain: 0, identical: false }] }); // nobody knows what was asked
    const answers = await run("gate base --baseline base --claim answers --json");
    expect(JSON.parse(answers.stdout)).toMatchObject({ verdict: "pass" });
    write(
      "bad-half.json",
      ids.map((id) => ({ id, output: id.endsWith("0") ? "1" : "5" })),
    );
    await run(`import --predictions bad-half.json ${flags} --out half`);
    const { code, stdout } = await run("gate half --baseline base --json");
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "fail" });
    expect(code).toBeGreaterThan(2);
  });

  test("an imported run is not SIMULATED unless it is said to be, and is then not compared with one that is", async () => {
    await run("import --predictions official.json --task lamp3 --name mine --data data --out real");
    expect((await run("report real")).stdout).not.toContain("SIMULATED");
    const { code, stderr } = await run("compare native real --method rag --method-b mine");
    expect(code).toBe(2);
    expect(stderr).toContain("SIMULATED");
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
  ])("takes %s as well", async (name, text) => {
    write("form.json", text);
    const out = `form-${name.replaceAll(" ", "-")}`;
    const { code } = await run(`import --predictions form.json ${flags} --out ${out}`);
    expect(code).toBe(0);
    expect(rowsOf(join(cwd, out)).map(({ outcome }) => outcome)).toEqual(
      ids.map(() => ({ kind: "answered", reply: "5", lenient: "5" })),
    );
  });

  test("questions without a prediction are failed, counted and named, never scored as wrong", async () => {
    write("some.json", [...all("5").slice(0, 20), { id: ids[20], output: null }]);
    const { code, stdout, stderr } = await run(`import --predictions some.json ${flags} --out some`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "16.7 % of the questions have no prediction, more than --max-failed 0; the run is written",
    );
    expect((await run(`import --predictions some.json ${flags} --max-failed .2 --out some-more`)).code).toBe(0);
    expect(stderr).toContain(
      'some.json: 4 of 24 questions have no prediction (first "u10-q0"): counted as failed, not scored',
    );
    expect(stdout).toMatch(/^mine .* 20 +4\* /m);
    expect(stdout).toMatch(/mine: 4 of 24 failed and are not in the scores; the imported predictions lack them$/m);
    const failed = rowsOf(join(cwd, "some")).filter(({ outcome }) => outcome.kind === "failed");
    expect(failed.map(({ question }) => question).sort()).toEqual(ids.slice(20).sort());
  });

  test("a question without gold that has no prediction fails nothing, and is named", async () => {
    const [{ user_id, profile, query }] = [users[0]!];
    const [first, second] = query;
    const asked = [{ user_id, profile, query: [first, { ...second, gold: undefined }] }, ...users.slice(1)];
    writeReviews(join(cwd, "ungold"), asked);
    write(
      "but-one.json",
      all("5").filter(({ id }) => id !== "u0-q1"),
    );
    const { code, stderr } = await run(
      `import --predictions but-one.json ${flags.replace("--data data", "--data ungold")} --out ungold-run`,
    );
    expect(code).toBe(0);
    expect(stderr).toContain(
      'but-one.json: 1 question without gold has no prediction (first "u0-q1"): listed with an empty answer, not scored',
    );
  });

  test("several files are repeats", async () => {
    write("second.json", all("1"));
    const { stdout } = await run(`import --predictions official.json --predictions second.json ${flags} --out repeats`);
    expect(stdout).toMatch(/^method .* sd /m);
    expect(rowsOf(join(cwd, "repeats"))).toHaveLength(48);
    expect(readManifest(join(cwd, "repeats"))?.plan.imported?.map(({ name }) => name)).toEqual([
      "official.json",
      "second.json",
    ]);
  });

  test("predictions outside the chosen users are left out and counted", async () => {
    const { code, stderr } = await run(`import --predictions official.json ${flags} --users 3 --out few`);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "official.json: 18 predictions are outside the chosen users and questions and are left out",
    );
    expect(rowsOf(join(cwd, "few"))).toHaveLength(6);
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
    expect(stderr).toContain("holds a run with");
  });
});

describe("numbers of a metric counted elsewhere", () => {
  const values = (of: (at: number) => number) => ids.map((id, at) => ({ id, value: of(at) }));
  const meteor = { better: "higher", title: "METEOR", values: values((at) => (at % 4) / 4) };
  const given = `import --predictions official.json ${flags}`;

  beforeAll(async () => {
    write("meteor.json", meteor);
    write("better.json", { ...meteor, values: values((at) => Math.min(1, (at % 4) / 4 + 0.25)) });
    write("human.json", { better: "lower", most: 5, values: values((at) => 1 + (at % 5)) });
    await run(`${given} --metric meteor=meteor.json --metric human=human.json --out a`);
    write("other.json", { task: "LaMP_3", golds: all("4") });
    await run(`import --predictions other.json ${flags} --metric meteor=better.json --out b`);
  });

  test("have a column, an interval, a test, a gate and a place in the page, as every metric", async () => {
    const { results } = JSON.parse((await run("report a --format json")).stdout);
    const of = (name: string) => results[0].metrics.find((metric: { name: string }) => metric.name === name);
    expect(of("meteor")).toMatchObject({ title: "METEOR", better: "higher", strict: 0.375 });
    expect(of("human").better).toBe("lower");
    for (const name of ["meteor", "human"]) {
      const { low, high } = of(name).interval;
      expect([low < of(name).strict, of(name).strict < high]).toEqual([true, true]);
    }
    const [{ comparison }] = JSON.parse((await run("compare a b --json")).stdout);
    expect(comparison.metrics.map(({ name }: { name: string }) => name)).toEqual(["mae", "rmse", "meteor"]);
    expect(comparison.metrics[2]).toMatchObject({ a: 0.375, b: 0.625 });
    expect([comparison.metrics[2].holm < 0.05, comparison.metrics[2].overUsers === undefined]).toEqual([true, false]);
    expect((await run("gate a --write-baseline base.json")).code).toBe(0);
    const meteorOf = async (name: string) => {
      const { code, stdout } = await run(`gate ${name} --baseline base.json --metric meteor --json`);
      return [code, JSON.parse(stdout).lines?.[0]?.gain];
    };
    expect(await meteorOf("b")).toEqual([0, 0.25]);
    expect((await meteorOf("a"))[1]).toBe(0);
    await run("report a --html --out page.html");
    expect(readFileSync(join(cwd, "page.html"), "utf8")).toContain("METEOR");
    expect((await run("verify a --data data")).code).toBe(0);
    await run("export a --form csv --out rows.csv");
    expect(readFileSync(join(cwd, "rows.csv"), "utf8")).toMatch(/,meteor\.alone,.*\n.*,0,/);
  });

  test("are added to the answers of a method of an own run, on its data and questions", async () => {
    const own = "import --run native --method rag --metric meteor=meteor.json --out own";
    expect(await run(own)).toMatchObject({ code: 0, stderr: "everything is in own" });
    const summary = async (folder: string, method: string) => {
      const { results } = JSON.parse((await run(`report ${folder} --format json`)).stdout);
      return results.find((one: { method: string }) => one.method === method);
    };
    const [added, native] = [await summary("own", "rag of native"), await summary("native", "rag")];
    expect(added.metrics[2]).toMatchObject({ name: "meteor", strict: 0.375, interval: { low: expect.any(Number) } });
    expect(added.metrics.slice(0, 2)).toEqual(native.metrics);
    expect((await run("report own")).stdout).toContain("SIMULATED");
    expect((await run("compare own b --json")).code).toBe(0);
    expect((await run(own.replace("--method rag", "--method rag --users 3"))).stderr).toContain("leave --users out");
    expect((await run(own.replace("--method rag ", ""))).stderr).toContain("name one: --method rag or --method prompt");
    write("bad.json", { ...meteor, values: meteor.values.slice(2) });
    expect((await run(own.replace("=meteor.json", "=bad.json"))).stderr).toContain(
      "2 of 24 answered questions have no",
    );
  });

  test("are left out beside a run that has none of them", async () => {
    const [{ comparison }] = JSON.parse((await run("compare a native --method mine --method-b rag --json")).stdout);
    expect(comparison.metrics.map(({ name }: { name: string }) => name)).toEqual(["mae", "rmse"]);
  });

  test("come one file a repeat", async () => {
    const two = `${given} --predictions official.json`;
    expect((await run(`${two} --metric meteor=meteor.json --metric meteor=better.json --out two`)).code).toBe(0);
    expect(JSON.parse((await run("report two --format json")).stdout).results[0].metrics[2].strict).toBe(0.5);
    expect((await run(`${two} --metric meteor=meteor.json --out none`)).stderr).toContain(
      "1 file for 2 files of predictions",
    );
  });

  test.each([
    [
      { ...meteor, values: [...meteor.values, { id: "nobody", value: 1 }] },
      '1 of 25 ids is no question of data (first "nobody")',
    ],
    [{ ...meteor, values: meteor.values.slice(2) }, '2 of 24 answered questions have no value (first "u0-q0")'],
    [{ ...meteor, values: [...meteor.values, meteor.values[0]] }, 'values[24]: id "u0-q0" stands twice; keep one'],
    [{ ...meteor, values: values(() => 3) }, 'value 3 is not between 0 and 1; name the largest value as "most"'],
    [{ values: meteor.values }, "better"],
    ["nothing", "not JSON"],
  ])("are refused where ids are unknown, absent or doubled, or the scale is not told: %#", async (file, named) => {
    write("bad.json", file);
    expect(await run(`${given} --metric meteor=bad.json --out bad`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(named),
    });
  });

  test("have a name of their own", async () => {
    expect((await run(`${given} --metric mae=meteor.json --out bad`)).stderr).toContain(
      "a built-in metric is called so",
    );
    expect((await run(`${given} --metric Meteor=meteor.json --out bad`)).stderr).toContain("small letters");
  });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsOf, tracesOf, unitRecordsOf } from "../../src/record/rows.js";
import { entriesOf } from "../helpers/planted-log.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { type CommandResult, runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const configs = {
  "iterations.yaml": "sweep: { align.iterations: [1, 2, 3] }",
  "sizes.yaml": "sweep: { align.batchSize: [1, 2, 3] }",
  "both.yaml": "sweep: { align.iterations: [1, 2], align.batchSize: [1, 2, 3] }",
  "points.yaml": "points: [{ memory.k: 1, align.iterations: 2 }, { temperature: 0.5 }]",
  "ablation.yaml": "kind: ablation",
};
let server: ProviderServer;

beforeAll(async () => {
  for (const [name, content] of Object.entries(configs)) writeFileSync(join(cwd, name), `task: lamp2m\n${content}\n`);
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 6 }, (_, i) => reviewUser(`u${i + 10}`)),
  );
  server = await startRatedServer({ latencyMs: 2 });
});
afterAll(() => server.close());

const small = "--method persona-agent --users 2 --queries-per-user 2";
const run = (line: string) => runCommandLine(line, { cwd });
const sent = (stderr: string) => Number(/(\d+) calls sent/.exec(stderr)?.[1]);
const specsOf = (out: string) => manifestIn(join(cwd, out))!.identity.arms;
const storedCalls = (out: string) =>
  entriesOf(join(cwd, out)).flatMap((one) => (one.t === "answer" && one.kind === "reply" ? [one] : []));

/** The runs that several tests look at. */
const lines = {
  "E1-3": `sweep scaling --config iterations.yaml ${small}`,
  shared: `sweep scaling --config both.yaml ${small} --concurrency 32`,
  parts: "sweep ablation --config ablation.yaml --users 10 --queries-per-user 1 --set align.iterations=1",
  points: "run --config points.yaml --method rag,persona-agent --users 2",
};
const begun = new Map<string, Promise<CommandResult>>();

/** One of them, done when it is first asked for. */
function done(out: keyof typeof lines): Promise<CommandResult> {
  const result = begun.get(out) ?? run(`${lines[out]} --out ${out}`);
  begun.set(out, result);
  return result;
}

/** Requests made to prepare users, each once, whichever arms made them. */
function preparations(out: string): Set<string> {
  const traces = [...tracesOf(join(cwd, out))];
  return new Set(traces.filter(({ question }) => question === undefined).flatMap(({ requests }) => requests));
}

describe("work that arms share is bought once", () => {
  test("one run to the most iterations serves all: 1..3 prepare with exactly the calls of 3 alone", async () => {
    const all = await done("E1-3");
    const most = await run(`run --task lamp2m ${small} --set align.iterations=3 --out E3`);
    expect([all.code, most.code]).toEqual([0, 0]);
    expect(preparations("E1-3")).toEqual(preparations("E3"));
    expect(sent(all.stderr)).toBe(storedCalls("E1-3").length);
    const alone = unitRecordsOf(join(cwd, "E1-3")).map(({ spend }) =>
      Object.values(spend).reduce((sum, { calls }) => sum + calls, 0),
    );
    expect(new Set(alone)).toEqual(new Set([14, 27, 40])); // what each arm would cost by itself
  });

  test("batch sizes and iterations share the summaries, and no request in flight is sent twice", async () => {
    const { stderr } = await done("shared");
    const summaries = unitRecordsOf(join(cwd, "shared")).map(({ spend }) => spend.summary?.calls);
    expect(summaries).toHaveLength(4 * 2); // n in 1..3 and E in 1..2 meet in one arm
    expect(summaries.every((calls) => calls === 1)).toBe(true);
    expect(sent(stderr)).toBe(storedCalls("shared").length);
  });

  test("batch sizes share the summary, the simulations and the gradients; only the updates differ", async () => {
    await run(`sweep scaling --config sizes.yaml ${small} --out sizes`);
    expect(preparations("sizes").size).toBe(2 * (1 + 3 * 3 + 3 + 3)); // three turns a simulation
  });

  type Dry = { readonly expected: Readonly<Record<string, number>> };

  test.each([
    ["E1-3", true],
    ["shared", true],
    ["parts", true],
    ["points", false],
  ] as const)("what is sent lies within the total of --dry-run: %s", async (out, shared) => {
    const dry = JSON.parse((await run(`${lines[out]} --dry-run --json`)).stdout);
    const calls = sent((await done(out)).stderr);
    expect(dry.total.callsLow).toBeGreaterThan(0);
    expect(calls).toBeGreaterThanOrEqual(dry.total.callsLow);
    expect(calls).toBeLessThanOrEqual(dry.total.callsHigh);
    const high = dry.phases.reduce((all: number, { callsHigh }: { callsHigh: number }) => all + callsHigh, 0);
    expect(dry.total.callsHigh).toBe(high);
    for (const part of ["calls", "tokensIn", "tokensOut"]) {
      const asked = dry.phases.reduce((all: number, { expected }: Dry) => all + (expected[part] ?? 0), 0);
      if (shared) expect(dry.total.expected[part]).toBeLessThan(asked);
      else expect(dry.total.expected[part] / asked).toBeGreaterThan(0.9); // few requests are equal by chance
    }
  });

  test("where no request depends on a reply, the total is exact", async () => {
    writeFileSync(join(cwd, "certain.yaml"), "task: lamp2m\nsweep: { rag.k: [1, 2], temperature: [0.1, 0.5] }\n");
    const line = "run --config certain.yaml --method prompt,rag --users 4";
    const { total } = JSON.parse((await run(`${line} --dry-run --json`)).stdout);
    const calls = sent((await run(`${line} --out exact`)).stderr);
    expect([total.callsLow, total.callsHigh]).toEqual([calls, calls]);
  });

  test("all arms answer the same questions", async () => {
    await done("shared");
    const arms = specsOf("shared").map(({ id }) => id);
    const questions = arms.map((id) =>
      rowsOf(join(cwd, "shared"))
        .filter(({ arm }) => arm === id)
        .map(({ question }) => question)
        .sort(),
    );
    for (const own of questions) expect(own).toEqual(questions[0]);
    expect(questions[0]!.length).toBeGreaterThan(3);
  });
});

describe("the arms of a sweep", () => {
  test("have explicit points, run options among them; a method without the option has one arm", async () => {
    await done("points");
    const arms = specsOf("points").map(({ method, options }) => [method, options["memory.k"], options.temperature]);
    expect(arms).toEqual([
      ["rag", undefined, 0.1],
      ["rag", undefined, 0.5],
      ["persona-agent", 1, 0.1],
      ["persona-agent", 4, 0.5],
    ]);
    const temperatures = storedCalls("points").map(({ request }) => request?.temperature);
    expect(new Set(temperatures)).toEqual(new Set([0.1, 0.5]));
  });

  test("are shown along each axis, with the score's interval and the cost, and stand in results.json and .csv", async () => {
    await done("E1-3");
    const { stdout } = await run("report E1-3");
    expect(stdout).toMatch(/^align\.iterations on LaMP-2M.*SIMULATED/m);
    expect(stdout).toMatch(
      /^method +align\.iterations +accuracy \[95 %\] +gain over align\.iterations=1 \[95 %\] +p +f1 +n +tok\/q$/m,
    );
    expect([...stdout.matchAll(/^persona-agent +(\d) /gm)].map((match) => match[1])).toEqual(["1", "2", "3"]);
    expect(existsSync(join(cwd, "E1-3", "figures"))).toBe(false); // charts are drawn when they are asked for
    const arms = armRecords(readFileSync(join(cwd, "E1-3", "results.json"), "utf8"));
    expect(arms.map((arm) => arm["align.iterations"])).toEqual(["1", "2", "3"]);
    expect(readFileSync(join(cwd, "E1-3", "results.csv"), "utf8")).toMatch(
      /^lamp2m-demo,persona-agent \(align\.iterations=2\),lamp2m,.*,persona-agent,2,/m,
    );
    expect(manifestIn(join(cwd, "E1-3"))!.sweep).toEqual({
      kind: "scaling",
      axes: [{ option: "align.iterations", values: [1, 2, 3], base: 1 }],
    });
  });

  test("of an ablation are every part left out, as paired differences to the full method", async () => {
    const { code, stdout } = await done("parts");
    expect(code).toBe(0);
    expect(specsOf("parts")).toHaveLength(5);
    expect(stdout).toContain("gain over persona-agent [95 %]");
    expect([...stdout.matchAll(/^persona-agent-wo-\w+ +\.\d{3}†? \[[^\]]+\] +[+-]?\.\d{3} \[/gm)]).toHaveLength(4);
    const latex = (await run("report parts --format latex")).stdout;
    expect(latex).toContain("after Holm over 4 comparisons");
  });

  test("are compared by what tells them apart", async () => {
    await done("E1-3");
    const arm = (iterations: number) => `persona-agent align.iterations=${iterations}`;
    const comparing = (...methods: readonly string[]) =>
      runCommandLine(["compare", "E1-3", "--methods", methods.join(","), "--flipped", "0"], { cwd });
    const { code, stdout } = await comparing(arm(1), arm(3));
    expect(code).toBe(0);
    expect(stdout).toMatch(/align\.iterations: A 1, B 3/);
  });
});

describe("a sweep over models", () => {
  /** A sweep and a run over the same models write the same records and tables. */
  const line = (out: string, more = "") =>
    `${out === "two" ? "sweep backbones" : "run"} --task lamp3 --method prompt,pag --data reviews --model openai/a,openai/b --base-url ${server.url}/v1 --concurrency 4 --out ${out} ${more}`;
  const env = { OPENAI_API_KEY: fakeKey };
  const start = async (out: string, more = "") => {
    const before = server.requests.length;
    const result = await runCommandLine(line(out, more), { cwd, env });
    return { ...result, asked: server.requests.slice(before).map(({ body }) => body.model as string) };
  };
  /** 12 questions by prompt, 6 summaries and 12 questions by pag. */
  const perModel = 12 + 6 + 12;

  test("asks each the same, within the one limit of calls in flight, and shows them apart", async () => {
    const { code, stdout, asked } = await start("two");
    expect(code).toBe(0);
    for (const model of ["a", "b"]) expect(asked.filter((name) => name === model)).toHaveLength(perModel);
    expect(server.mostInFlight).toBeLessThanOrEqual(4);
    expect(stdout).toMatch(/^pag \(model=openai\/a\)/m);
    expect(stdout).toMatch(/^pag +openai\/b +/m);
    expect(specsOf("two").map(({ method, model }) => [method, model])).toEqual([
      ["prompt", "openai/a"],
      ["prompt", "openai/b"],
      ["pag", "openai/a"],
      ["pag", "openai/b"],
    ]);
  });

  test("keeps a cap over all of them together, and resumes where it stopped", async () => {
    const first = await start("capped", "--max-calls 35");
    expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/--max-calls 35 is reached/) });
    expect(first.asked.length).toBeLessThanOrEqual(35);
    expect(first.asked.length).toBeGreaterThan(35 - 4); // calls that wait for a slot when the cap is met are not sent
    const rest = await start("capped");
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.asked).toHaveLength(2 * perModel - first.asked.length);
    expect(comparable(join(cwd, "capped"))).toEqual(comparable(join(cwd, "two")));
  });
});

describe("a run that cannot begin", () => {
  test("shows no table of dashes, gives no advice to repeat the mistake, and binds the folder to nothing", async () => {
    const refused = await startRatedServer({
      fault: () => ({ kind: "status", status: 404, message: "no such model" }),
    });
    const line = (model: string, url: string) =>
      `run --task lamp3 --method prompt --data reviews --model openai/${model} --base-url ${url}/v1 --out wrong-id`;
    const env = { OPENAI_API_KEY: fakeKey };
    const wrong = await runCommandLine(line("typo", refused.url), { cwd, env });
    await refused.close();
    expect(wrong).toMatchObject({ code: 3, stdout: "" });
    expect(wrong.stderr).toMatch(/nothing is answered yet: mend that and begin again/);
    expect(wrong.stderr).not.toMatch(/the same command/);
    expect((await runCommandLine(line("right", server.url), { cwd, env })).code).toBe(0);
    expect(specsOf("wrong-id").map(({ model }) => model)).toEqual(["openai/right"]);
  });
});

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compare } from "../../src/commands/compare.js";
import { type JudgeRequest, type JudgeRun, judgeRun, judgesOf, optionsOf } from "../../src/commands/judge.js";
import { main } from "../../src/commands/main.js";
import { report } from "../../src/commands/report.js";
import { verify } from "../../src/commands/verify.js";
import { ModelError } from "../../src/errors.js";
import { casesOf } from "../../src/judges/cases.js";
import { builtIn, extended } from "../../src/plan/catalogue.js";
import { judgementsOf } from "../../src/record/judgements.js";
import { type ReadingIo, Runs } from "../../src/record/stored-run.js";
import { scoresOf, winsOf } from "../../src/results/judge-scores.js";
import { dataOfRun } from "../../src/run/data.js";
import type { Model, ModelReply, ModelRequest, Provider, Row } from "../../src/types/index.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine, testIo } from "../helpers/test-io.js";

const cwd = suiteDir();
const asked: ModelRequest[] = [];
/** What the planted judges answer, by name. */
const replies: Record<string, (request: ModelRequest, call: number) => string> = {
  "first-place": () => '{"better": 1, "reason": "it stands first"}',
  "longer-reply": (request) => (lengthOf(request, 1) > lengthOf(request, 2) ? '{"better": 1}' : '{"better": 2}'),
  seven: () => '{"score": 7, "reason": "fine"}',
  eight: () => '{"score": 8, "reason": "fine"}',
  mumbling: (_request, call) => (call % 3 === 0 ? '{"score": 9}' : "I would say nine."),
  mute: () => "no verdict",
};
const planted: Provider = {
  name: "planted",
  summary: "judges made for a test",
  async open(id): Promise<Model> {
    let calls = 0;
    return {
      id: `planted/${id}`,
      capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
      simulated: true,
      async complete(request): Promise<ModelReply> {
        asked.push(request);
        const text = replies[id]!(request, calls++);
        return { text, toolCalls: [], stop: "end", usage: { in: 10, out: 2 }, model: id, simulated: true };
      },
    };
  },
};
/** A model that is no embedded one; its first `silent` tries bring no answer. */
const paid = { sent: 0, silent: 0 };
const paying: Provider = {
  name: "paid",
  summary: "a judge that costs",
  async open(id): Promise<Model> {
    return {
      id: `paid/${id}`,
      capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
      simulated: false,
      async complete(): Promise<ModelReply> {
        paid.sent += 1;
        if (paid.sent <= paid.silent) throw new ModelError("no answer", { retryable: true, bill: "unknown" });
        const usage = { in: 10, out: 2 };
        return { text: '{"score": 7, "reason": "fine"}', toolCalls: [], stop: "end", usage, model: id };
      },
    };
  },
};
const io = { ...testIo({ cwd }), catalogue: extended(builtIn, { providers: [planted, paying] }, "the test") };
/** Runs the one judge that is asked for, and gives its table. */
async function judgeOf(settings: JudgeRequest, told: ReadingIo = io): Promise<JudgeRun & { readonly text: string }> {
  const said = await judgeRun({ concurrency: 1, ...judgesOf(settings, io)[0]! }, reading(told)); // one is named
  return { ...said, text: said.result.tables.text };
}
const judge = (
  model: string,
  { judge: name, ...more }: Partial<Omit<JudgeRequest, "judge">> & { judge?: string } = {},
) => judgeOf({ run: "talk", model: [`planted/${model}`], ...(name === undefined ? {} : { judge: [name] }), ...more });
const filesOf = (folder: string): Map<string, string> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
/** What comes of a file that is changed meanwhile. */
async function changed<T>(path: string, change: (text: string) => string, job: () => Promise<T>): Promise<T> {
  const before = readFileSync(path, "utf8");
  writeFileSync(path, change(before));
  return job().finally(() => writeFileSync(path, before));
}
/** Folders change between two calls. */
const reading = (given: ReadingIo = io): ReadingIo => ({ ...given, runs: new Runs(cwd) });
const talk = () => new Runs(cwd).get("talk");
const arms = () => manifestIn(join(cwd, "talk"))!.identity.arms;

beforeAll(async () => {
  const line = "run --task alex-like --method stateless,buffer,assistant --users 2 --queries-per-user 4 --out talk";
  const { code, stderr } = await runCommandLine(line, { cwd });
  if (code !== 0) throw new Error(stderr);
});

describe("aspects of a rubric", () => {
  const scores = [0, 1, 2, 1, 2, 2];
  replies.aspects = (_request, call) => (call % 2 === 0 ? "hm" : `{"match_score": ${scores[((call - 1) / 2) % 6]}}`);
  beforeAll(() => runCommandLine("run --task lamp-qa --method prompt --users 2 --out qa", { cwd }));
  const judged = (set: Readonly<Record<string, string | number>>) =>
    judge("aspects", { run: "qa", judge: "aspects", set });

  test("a question's value is the sum of its aspects over the largest; each further try is hotter", async () => {
    asked.length = 0;
    const { judgements, text } = await judged({ "judge.tries": 3 });
    expect(judgements.map(({ judged, calls }) => [judged, calls])).toEqual([
      [{ kind: "judged", value: 0.5, why: "parts: 0, 0.5, 1" }, 6],
      [{ kind: "judged", value: expect.closeTo(5 / 6), why: "parts: 0.5, 1, 1" }, 6],
    ]);
    expect([...new Set(asked.map(({ temperature }) => temperature))]).toEqual([0, 0.1]);
    expect(text).toContain("0.67");
  });

  test("a judged score is a score: in table, gain, JSON, CSV and comparison, and in no column of the methods' cost", async () => {
    const line = "run --task lamp-qa --method prompt,rag --users 12 --out scored";
    const before = (await runCommandLine(line, { cwd })).stdout;
    const { judgements } = await judge("aspects", { run: "scored", judge: "aspects" }); // "hm", then a score
    const said = judgements.flatMap(({ judged }) => (judged.kind === "judged" ? judged.value : []));
    const wanted = said.slice(0, 12).reduce((sum, value) => sum + value / 12, 0);
    const { results } = await report({ runs: ["scored"] }, reading());
    const name = "aspects (aspects, SIMULATED)";
    const [prompt, rag] = results.map(({ metrics }) => metrics.find((metric) => metric.name === name)!.strict!);
    expect([prompt, results[0]!.counts.unscored]).toEqual([expect.closeTo(wanted), 0]);
    const read = async (form: string) => (await runCommandLine(`report scored --format ${form}`, { cwd })).stdout;
    expect([await read("text"), await read("csv")]).toEqual([
      expect.stringMatching(new RegExp(`prompt +${wanted.toFixed(3).slice(1)} `)),
      expect.stringContaining(name),
    ]);
    expect(JSON.parse(await read("json")).tables[0].rows[0][name]).toBeCloseTo(wanted);
    const [compared] = await compare({ a: "scored", methods: ["prompt", "rag"] }, reading());
    expect(compared?.comparison).toMatchObject({
      questions: 12,
      metrics: [{ name, gain: expect.closeTo(rag! - prompt!) }],
    });
    const tokens = /prompt .* ([\d,.]+)$/m;
    expect(tokens.exec(await read("text"))?.[1]).toBe(tokens.exec(before)?.[1]);
  });

  test("an unreadable aspect leaves its question unjudged, or counts 0", async () => {
    const kinds = async (rule: string) => {
      const { judgements } = await judged({ "judge.tries": 1, "judge.onParseFail": rule });
      return judgements.map(({ judged }) => (judged.kind === "judged" ? judged.value : judged.kind));
    };
    expect(await kinds("exclude")).toEqual(["unjudged", "unjudged"]);
    expect(await kinds("zero")).toEqual([0, 0.5]);
  });
});

describe("judging a run", () => {
  test("a judge that prefers a place is cancelled by both orders; one that prefers a reply is not", async () => {
    const { judgements } = await judge("first-place", { against: "stateless" });
    const [buffer, assistant] = winsOf(judgements, arms());
    for (const wins of [buffer, assistant])
      expect(wins).toMatchObject({ pairs: 8, wins: 0, losses: 0, turned: 8, net: 0, firstPreferred: 1 });
    const [, fair] = winsOf((await judge("longer-reply", { against: "stateless" })).judgements, arms());
    expect(fair).toMatchObject({ pairs: 8, turned: 0, unjudged: 0 });
    expect(fair!.wins + fair!.losses).toBe(8);
    expect(fair!.net).toBe((fair!.wins - fair!.losses) / 8);
  });

  test("what is no verdict is asked once more, then unjudged and in no mean", async () => {
    asked.length = 0;
    const { judgements, text } = await judge("mute");
    expect(new Set(judgements.map(({ calls }) => calls))).toEqual(new Set([2]));
    expect(new Set(judgements.map(({ judged }) => judged.kind))).toEqual(new Set(["unjudged"]));
    for (const { mean, unjudged } of scoresOf(judgements, arms(), { options: {}, range: [1, 10] }))
      expect([mean, unjudged]).toEqual([undefined, 8]);
    expect(text).toMatch(/ stateless +- +0 +8 /);
    const mixed = await judge("mumbling");
    for (const { mean } of scoresOf(mixed.judgements, arms(), { options: {}, range: [1, 10] })) expect(mean).toBe(9);
  });

  test("a second judgement by another judge sends no answer call and leaves the judged run and the first judge alone", async () => {
    const before = ["rows.jsonl", "log.jsonl", "traces.jsonl"].map((name) => readFileSync(join(cwd, "talk", name)));
    const first = await judge("mute");
    const log = readFileSync(join(first.result.folder, "log.jsonl"));
    asked.length = 0;
    const second = await judge("seven");
    expect(second.result.folder).not.toBe(first.result.folder);
    expect(asked.length).toBeGreaterThan(0);
    expect(second.judgements.every(({ calls }) => calls === 1)).toBe(true);
    expect(asked.every(({ system }) => system?.startsWith("You judge replies"))).toBe(true);
    const after = ["rows.jsonl", "log.jsonl", "traces.jsonl"].map((name) => readFileSync(join(cwd, "talk", name)));
    expect(after).toEqual(before);
    expect(readFileSync(join(first.result.folder, "log.jsonl"))).toEqual(log);
  });

  test("derived files of a judge's folder are made again from its log: 0 calls, equal bytes; and verify recomputes them", async () => {
    const { result } = await judge("longer-reply", { against: "assistant" });
    const before = filesOf(result.folder);
    expect([...before.keys()].sort()).toEqual([
      "README.md",
      "log.jsonl",
      "results.csv",
      "results.json",
      "results.md",
      "results.tex",
      "rows.jsonl",
      "traces.jsonl",
    ]);
    for (const name of before.keys()) if (name !== "log.jsonl") rmSync(join(result.folder, name));
    asked.length = 0;
    await judge("longer-reply", { against: "assistant" });
    expect(asked).toEqual([]);
    const [made, wanted] = [filesOf(result.folder), before];
    for (const files of [made, wanted]) files.delete("log.jsonl"); // it notes that rows were made anew
    expect(made).toEqual(wanted);
    expect((await verify({ run: result.folder }, reading())).map(({ said }) => said)).toEqual([
      "recomputed and equal",
      "recomputed and equal",
      "recomputed and equal",
    ]);
    const rows = join(result.folder, "rows.jsonl");
    const [first] = await changed(
      rows,
      (text) => text.replace('\\"value\\":1', '\\"value\\":-1'),
      () => verify({ run: result.folder }, reading()),
    );
    expect(first).toMatchObject({ equal: false, said: expect.stringContaining("outcome is") });
  });

  test("a pack of a judge's run is replayed and verified; what it holds is sent by no other judge of the same", async () => {
    const { result, judgements } = await judge("seven");
    await main(["export", result.folder, "--form", "pack", "--out", "seven.pack"], io);
    asked.length = 0;
    const replayed = await judge("seven", { replay: "seven.pack", out: "replayed" });
    const reusing = await judge("seven", { reuse: ["seven.pack"], out: "reusing" });
    expect([replayed.judgements, reusing.judgements, asked.length]).toEqual([judgements, judgements, 0]);
    const [line] = await verify({ run: "seven.pack", data: "talk" }, reading());
    expect(line).toMatchObject({ arm: "judge dialogue-score", equal: true });
  });

  test("a judge goes on with the replies that the judged run has by now", async () => {
    const line = "run --task alex-like --method buffer --users 1 --queries-per-user 3 --out grows";
    await runCommandLine(`${line} --max-calls 2`, { cwd });
    const grown = () => judge("seven", { run: "grows" });
    const first = await grown();
    expect(first.judgements).toHaveLength(2);
    await runCommandLine(line, { cwd });
    asked.length = 0;
    const second = await grown();
    expect([second.result.folder, second.judgements.length, asked.length]).toEqual([first.result.folder, 3, 1]);
  });

  test("several judges are compared: pairs of replies with the same verdict, and the order of the methods", async () => {
    const { code, stdout } = await runCommandLine(
      "judge talk --judge dialogue-score,better-reply --against stateless --json",
      { cwd },
    );
    expect(code).toBe(0);
    const { judges, agreements } = JSON.parse(stdout);
    expect(judges.map(({ facts }: JudgeRun) => [facts.judge, facts.against])).toEqual([
      ["dialogue-score", undefined],
      ["better-reply", "stateless"],
    ]);
    expect(agreements).toEqual([
      {
        judges: ["dialogue-score (offline/lexical)", "better-reply (offline/lexical)"],
        pairs: 16,
        same: expect.any(Number),
        reversed: [],
      },
    ]);
    const text = await runCommandLine("judge talk --judge dialogue-score,better-reply --against stateless", { cwd });
    expect(text.stdout).toMatch(/the same verdict on \d+ of 16 pairs of replies/);
  });

  test("tries are written down before they are sent, and an answer that never came is named and counted under the cap", async () => {
    const set = { "judge.onParseFail": "zero" };
    paid.silent = 2;
    const lines: string[] = [];
    const heard = { ...io, tell: (line: string) => void lines.push(line) };
    const dear = async (more = {}) =>
      (await judgeOf({ run: "talk", model: ["paid/m"], set, ...more }, heard)).result.ended;
    expect([await dear({ maxCalls: 4 }), paid.sent]).toEqual(["cap", 4]);
    expect([await dear({ maxCalls: 6 }), paid.sent]).toEqual(["cap", 6]);
    expect(lines.join("\n")).toContain("answer unknown: 2 tries were sent and no answer came");
  });

  test("a judge sees the dialogue up to the question, by judge.history both sides or the user's alone", async () => {
    asked.length = 0;
    await judge("seven", { set: { "judge.history": "user-only" } });
    const texts = asked.map(({ messages }) => (messages[0]?.role === "user" ? messages[0].content : ""));
    // Two arms give the same first reply: equal requests may be sent once.
    const first = texts.filter((text) => text.includes("What was said before:\nnothing"));
    expect(new Set(first).size).toBe(2 * 2);
    expect(texts.some((text) => /before:\nUser: .*\nUser: /.test(text))).toBe(true);
    expect(texts.some((text) => text.includes("Assistant: "))).toBe(false);
    expect(texts.every((text) => text.includes("- My name is "))).toBe(true);
  });

  test("a judge is asked at 0, and at the provider's default where judge.temperature=none", async () => {
    asked.length = 0;
    await judge("eight");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ temperature }) => temperature === 0)).toBe(true);
    asked.length = 0;
    await judge("eight", { set: { "judge.temperature": "none" } });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((request) => !("temperature" in request))).toBe(true);
  });

  test("a cap ends it in one line, keeps what was judged, and the same command goes on", async () => {
    asked.length = 0;
    const set = { "judge.history": "user-only", "judge.onParseFail": "zero" };
    const { result } = await judge("seven", { set, maxCalls: 5 });
    expect([result.ended, asked.length]).toEqual(["cap", 5]);
    expect(result.notices.map(({ text }) => text).join("\n")).toContain("--max-calls 5 is reached");
    expect(
      judgementsOf(talk()).some(
        ({ facts: { options } }) =>
          options["judge.history"] === set["judge.history"] && options["judge.onParseFail"] === "zero",
      ),
    ).toBe(false);
    const second = await judge("seven", { set });
    expect(second.judgements).toHaveLength(2 * 3 * 4);
    expect(second.result.calls.sent).toBeLessThanOrEqual(2 * 3 * 4 - 5);
  });

  test("show prints every verdict behind its reply, of a comparison in words of the reply, and what is unjudged as such", async () => {
    await judge("seven");
    await judge("mute");
    await judge("longer-reply", { against: "stateless" });
    const { stdout } = await runCommandLine("show talk --method assistant --limit 8", { cwd });
    expect(stdout).toContain("[verdict of dialogue-score, planted/seven, SIMULATED]\n  7: fine");
    expect(stdout).toContain(
      '[verdict of dialogue-score, planted/mute, SIMULATED]\n  unjudged: "no verdict"; "no verdict"',
    );
    const orders = [
      ...stdout.matchAll(
        /longer-reply, SIMULATED against stateless, (this|the other) reply first\]\n {2}(better|worse)/g,
      ),
    ];
    expect(orders.length).toBe(2 * 8);
    const first = orders.filter(([, order]) => order === "this").map(([, , word]) => word);
    expect(orders.filter(([, order]) => order !== "this").map(([, , word]) => word)).toEqual(first);
  });

  test("a failed answer is shown to no judge, alone or beside another", async () => {
    const { rows } = talk();
    const [first] = rows;
    const failed = rows.map(
      (row): Row => (row === first ? { ...row, outcome: { kind: "failed", error: "busy" } } : row),
    );
    const loaded = [await dataOfRun(talk(), { task: "alex-like" }, io)];
    const shown = (against?: string) => {
      const options = optionsOf(arms(), "talk");
      const judges = builtIn.judges.get(against === undefined ? "dialogue-score" : "better-reply");
      const units = casesOf({ judge: judges, options, against, specs: arms(), rows: failed, loaded });
      const tags = [...units].flatMap(({ examples }) => examples.map(({ facts }) => facts?.tags ?? {}));
      return tags.filter(({ question }) => question === first!.question).map(({ arm }) => arm);
    };
    const others = arms().flatMap(({ id }) => (id === first!.arm ? [] : [id]));
    expect(shown()).toEqual(others);
    expect(shown(arms().find(({ id }) => id === first!.arm)!.method)).toEqual([]);
  });

  test("mistakes are told before the first call", async () => {
    asked.length = 0;
    await expect(judge("seven", { judge: "better-reply" })).rejects.toThrow("name one with --against");
    await expect(judge("seven", { judge: "dialogue-score", against: "buffer" })).rejects.toThrow("one reply at a time");
    await expect(judge("seven", { against: "rag" })).rejects.toThrow("--against rag: not in talk");
    await expect(judge("seven", { judge: "dialog-score" })).rejects.toThrow('did you mean "dialogue-score"');
    await expect(judge("seven", { set: { "judge.histories": "both" } })).rejects.toThrow("judge.histories");
    expect(asked).toEqual([]);
  });
});

function lengthOf({ messages }: ModelRequest, place: number): number {
  const text = messages[0]?.role === "user" ? messages[0].content : "";
  return (new RegExp(`Reply ${place}:\\n([\\s\\S]*?)\\n\\n`).exec(text)?.[1] ?? "").length;
}

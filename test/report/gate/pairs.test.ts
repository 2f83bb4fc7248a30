import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { baselineOf, type GatedRun, readBaseline, renderBaseline } from "../../../src/report/gate/baseline.js";
import { baselineQuestions, pairWithBaseline } from "../../../src/report/gate/pairs.js";
import { contentId } from "../../../src/text/content-id.js";
import type { Outcome } from "../../../src/types/index.js";
import { gatedSide } from "../../helpers/gated-arm.js";

const names = { baseline: "base.json", candidate: "run" };
const files = (sha256: string) => ({ files: [{ name: "/data/users.json", sha256 }], units: "u", wording: "w" });
type Question = (typeof gatedSide)["questions"][number];
const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  user: "u",
  replies: ["a"],
  failed: 0,
  ...more,
});
const sideOf = (questions: readonly Question[], repeats = 1) => ({ ...gatedSide, repeats, questions: [...questions] });
const paired = (
  before: readonly Question[],
  now: readonly Question[],
  repeats = [1, 1],
  gold: Parameters<typeof pairWithBaseline>[2] = () => "a",
) => pairWithBaseline(sideOf(before, repeats[0]), sideOf(now, repeats[1]), gold, names);

describe("baseline and run side by side", () => {
  test("have each reply at its own repeat, and nothing where that repeat failed", () => {
    const before = question("q", { replies: ["x", "z"], at: [0, 2], failed: 1 });
    const { questions } = paired([before], [question("q", { replies: ["y", ""] })], [3, 2]);
    const pair = (prediction: string) => ({ prediction, gold: "a" });
    expect(questions).toEqual([
      { id: "q", user: "u", baseline: [pair("x"), undefined, pair("z")], candidate: [pair("y"), pair("")] },
    ]);
  });

  test("leave out, and count, what one of them lacks, what failed in all repeats of one, and what has no gold", () => {
    const failed = { replies: [], failed: 1 };
    const { questions, leftOut } = paired(
      [
        question("both"),
        question("gone"),
        question("gone too"),
        question("old", failed),
        question("new"),
        question("blank"),
      ],
      [
        question("new", failed),
        question("old"),
        question("both"),
        question("blank"),
        question("more"),
        question("and"),
        question("third"),
      ],
      [1, 1],
      (id) => (id === "blank" ? undefined : "a"),
    );
    expect(questions.map(({ id }) => id)).toEqual(["both"]);
    expect(leftOut).toEqual({ onlyA: 2, onlyB: 3, failed: 2, noGold: 1 });
  });

  test("know the questions that the run lost: answered before, and absent or failed in every repeat now", () => {
    const failed = { replies: [], failed: 2 };
    const known = { gold: "id" };
    const { lost } = paired(
      [
        question("both", known),
        question("gone", { replies: ["x", "y"], ...known }),
        question("gone, unknown now", known),
        question("gone, never known"),
        question("gone, failed before", { ...failed, ...known }),
        question("failed", { replies: ["z"], at: [1], failed: 1 }),
        question("failed twice", failed),
        question("failed, no gold"),
        question("no gold"),
      ],
      [
        question("both", known),
        question("failed", failed),
        question("failed twice", failed),
        question("failed, no gold", failed),
        question("no gold"),
      ],
      [2, 3],
      (id, ofTask) => (id.endsWith("no gold") || id.includes("unknown") ? undefined : `${ofTask ?? "own"} gold`),
    );
    const silent = [undefined, undefined, undefined];
    const pair = (prediction: string, gold: string) => ({ prediction, gold });
    expect(lost).toEqual([
      { id: "gone", user: "u", baseline: [pair("x", "id gold"), pair("y", "id gold")], candidate: silent },
      { id: "gone, unknown now", user: "u", baseline: [], candidate: silent },
      { id: "failed", user: "u", baseline: [undefined, pair("z", "own gold")], candidate: silent },
    ]);
  });

  test("are, for a plan, the baseline beside itself, where it answered and the gold is known", () => {
    const asked = [question("q"), question("unknown"), question("failed", { replies: [], failed: 2 })];
    const both = [{ prediction: "a", gold: "g" }, undefined];
    expect(baselineQuestions(sideOf(asked, 2), (id) => (id === "unknown" ? undefined : "g"))).toEqual([
      { id: "q", user: "u", baseline: both, candidate: both },
    ]);
  });

  test("know which share of the run's answers to the baseline's questions failed or is absent", () => {
    const before = ["a", "b", "c", "d"].map((id) => question(id));
    const two = (id: string, failed: number) => question(id, { replies: ["a", "a"].slice(failed), failed });
    const { failedShare } = paired(before, [two("a", 0), two("b", 1), two("c", 2), two("added", 2)], [1, 2]);
    expect(failedShare).toBe((0 + 1 + 2 + 2) / 8);
    expect(paired([], [question("a", { failed: 1 })]).failedShare).toBe(0);
  });

  test("are refused where a question is another user's or has another gold, and where the files differ", () => {
    const refused = (now: Partial<Question>) => () =>
      paired([question("q", { gold: "g" })], [question("q", { gold: "g", ...now })]);
    expect(refused({ gold: "h" })).toThrow(/question q: its gold answer is another in run than in base.json/);
    expect(refused({ user: "v" })).toThrow(/question q: its user is another/);
    expect(refused({})).not.toThrow();
    const of = (sha256: string) => ({ ...gatedSide, data: files(sha256) });
    const pairing = (sha256: string) => () => pairWithBaseline(of("aaaaaaaaaa"), of(sha256), () => "a", names);
    expect(pairing("bbbbbbbbbb")).toThrow(UsageError);
    expect(pairing("bbbbbbbbbb")).toThrow(
      "base.json ran on d (users.json sha256 aaaaaaaa), run ran on d (users.json sha256 bbbbbbbb)",
    );
    expect(pairing("aaaaaaaaaa")).not.toThrow();
  });
});

describe("a baseline", () => {
  const cell = (id: string, repeat: number, method = "m") => ({
    id,
    repeat,
    method,
    task: "t",
    dataset: "d",
    model: "x/y",
    options: { k: 1 },
    seed: 7,
  });
  const row = (at: string, question: string, outcome: Outcome, gold?: string) => ({
    cell: at,
    user: "u",
    unit: "u",
    question,
    ...(gold === undefined ? {} : { gold }),
    outcome,
    spend: {},
    incidents: {},
  });
  const answered = { kind: "answered", reply: "yes" } as const;
  const run: GatedRun = {
    simulated: true,
    version: "1.2",
    cells: [cell("a", 0), cell("b", 1), cell("c", 0, "other")],
    data: [
      { task: "else", ...files("s0") },
      { task: "t", ...files("s1") },
    ],
    requests: { a: "r0", b: "r1" },
    rows: [
      row("a", "q", answered, "yes"),
      row("b", "q", { kind: "unparsed", reply: "hm" }, "yes"),
      row("b", "p", { kind: "failed", error: "e" }),
      row("c", "q", answered, "yes"),
    ],
  };

  test("has an arm for all repeats of a method, with its data, requests, settings and replies", () => {
    const { arms, ...head } = baselineOf(run);
    expect(head).toEqual({ format: "lamp-eval-baseline", version: 2, simulated: true, madeBy: "1.2" });
    expect(arms).toHaveLength(2);
    expect(arms[0]).toEqual({
      task: "t",
      dataset: "d",
      method: "m",
      model: "x/y",
      options: { k: 1 },
      seed: 7,
      repeats: 2,
      data: files("s1"),
      requests: ["r0", "r1"],
      questions: [
        { id: "q", user: "u", gold: contentId("yes"), replies: ["yes", ""], failed: 0 },
        { id: "p", user: "u", replies: [], failed: 1 },
      ],
    });
    expect(arms[1]).toMatchObject({ method: "other", requests: [], questions: [{ id: "q" }] });
  });

  test("cannot be made of a run without rows, or of one that does not say what data it is of", () => {
    expect(() => baselineOf({ ...run, rows: [] })).toThrow("the run has no rows yet");
    expect(() => baselineOf({ ...run, data: [] })).toThrow("says nothing of the data of t");
  });

  test("is written with one question a line, and read back as it was", () => {
    const baseline = baselineOf(run);
    const text = renderBaseline(baseline);
    expect(readBaseline(JSON.parse(text), "f")).toEqual(baseline);
    const starts = [
      '{"format":',
      '{"method":',
      '{"id":"q"',
      '{"id":"p"',
      "]},",
      '{"method":',
      '{"id":"q"',
      "]}",
      "]}",
      "",
    ];
    expect(text.split("\n").map((line, at) => line.slice(0, starts[at]?.length))).toEqual(starts);
  });

  test("keeps the margins that it was planned with", () => {
    const counted = baselineOf({ ...run, rows: ["a", "b"].map((at) => row(at, "q", answered, "yes")) });
    const margins = { accuracy: { set: 0.05, users: 0.1 } };
    const planned = {
      ...counted,
      planned: { alpha: 0.05, noise: 0.1 },
      arms: counted.arms.map((arm) => ({ ...arm, margins })),
    };
    expect(readBaseline(JSON.parse(renderBaseline(planned)), "f")).toEqual(planned);
  });

  test.each([
    [() => ({ ...baselineOf(run), arms: [] }), "f: no baseline of this version (arms: "],
    [() => ({ ...baselineOf(run), version: 3 }), "f: no baseline of this version (version: "],
    [
      () => ({ ...baselineOf(run), arms: [{ ...baselineOf(run).arms[0], seed: "7" }] }),
      "f: no baseline of this version (arms.0.seed: ",
    ],
    [() => "text", "f: no baseline of this version (the file: "],
  ])("of another form is refused, naming the place: %#", (made, message) => {
    expect(() => readBaseline(made(), "f")).toThrow(message);
    expect(() => readBaseline(made(), "f")).toThrow(UsageError);
  });
});

import { describe, expect, test } from "vitest";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { baselineOf, readBaseline, renderBaseline } from "../../../src/report/gate/baseline.js";
import { exactLossP, isIdentical } from "../../../src/report/gate/exact.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import { renderJunit } from "../../../src/report/gate/junit.js";
import type { GatedArm, GatedQuestion } from "../../../src/report/gate/pairs.js";
import { checkFailedRows, type GateResult, verdictOf } from "../../../src/report/gate/result.js";
import { renderAnnotations, sentence } from "../../../src/report/gate/text.js";
import { mcNemar } from "../../../src/statistics/mcnemar.js";
import { contentId } from "../../../src/text/content-id.js";
import { changed, gatedArm, gatedSide, gateOf, gateSettings, replies, yesNo } from "../../helpers/gated-arm.js";

const metric = yesNo;
const settings = gateSettings;
const side = gatedSide;
const arm = (questions: readonly GatedQuestion[], repeats = 1): GatedArm =>
  gatedArm(questions, { candidate: { ...side, repeats } });
const gate = gateOf;

describe("a gate line", () => {
  test("passes where the same requests gave the same answers, whatever the margin, since nothing was sampled", () => {
    const asked = { ...side, requests: ["r0"] };
    const judged = (requests: readonly string[], questions = changed(0)) =>
      gateLines(
        [
          {
            arm: { ...arm(questions), baseline: asked, candidate: { ...side, requests: [...requests] } },
            metrics: [metric],
          },
        ],
        { ...settings, margin: () => 0 },
      )[0]!;
    expect(judged(["r0"])).toMatchObject({
      verdict: "pass",
      identical: true,
      gain: 0,
      low: 0,
      p: 1,
      signP: 1,
      changed: 0,
    });
    expect(judged(["r0"], changed(0).slice(0, 4))).toMatchObject({ verdict: "pass", low: undefined });
    expect(judged(["r0"], changed(1)).identical).toBe(false);
    for (const other of [["r1"], []])
      expect(judged(other)).toMatchObject({ verdict: "inconclusive", identical: false });
  });

  test("passes without change only where so many questions make a loss of the margin implausible", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, q) => ({ ...changed(0)[0]!, id: `q${q}`, user: `u${q}` }));
    const margin = { margin: () => 0.02 };
    expect(gate(many(149), margin)).toMatchObject({ verdict: "pass", changed: 0 });
    const few = gate(many(148), margin);
    expect(few).toMatchObject({ verdict: "inconclusive", low: 0, needed: 149 });
    expect(few.exactP).toBeCloseTo(0.98 ** 148, 12);
    expect(sentence(few)).toContain("at least 149 questions are needed");
  });

  test("asks of values between right and wrong that even the largest losses stay within the margin", () => {
    const rated = (lost: number) =>
      changed(0).map((question, q) => ({
        ...question,
        baseline: [{ prediction: "3", gold: "3" }],
        candidate: [{ prediction: q < lost ? "4" : "3", gold: "3" }],
      }));
    const [line] = gateLines([{ arm: arm(rated(2)), metrics: [mae] }], { ...settings, margin: () => 0.2 });
    expect(line!.low).toBeGreaterThan(-0.2);
    expect(line).toMatchObject({ verdict: "inconclusive" });
    expect(line!.exactP).toBeCloseTo(0.95 ** 80 + 80 * 0.05 * 0.95 ** 79 + 3160 * 0.05 ** 2 * 0.95 ** 78, 12);
    const corpus = gateLines([{ arm: arm(rated(0)), metrics: [rmse] }], { ...settings, margin: () => 0.02 })[0]!;
    expect(corpus).toMatchObject({ verdict: "inconclusive", needed: 149 });
  });

  test("takes nothing as identical where nothing was asked, as of imported predictions, or where answers are left out", () => {
    const judged = (requests: string[], leftOut = arm([]).leftOut) =>
      isIdentical({
        ...arm(changed(0)),
        baseline: { ...side, requests },
        candidate: { ...side, requests },
        leftOut,
      });
    expect(judged(["r0"])).toBe(true);
    expect(judged([contentId([])])).toBe(false);
    expect(judged(["r0"], { ...arm([]).leftOut, failed: 1 })).toBe(false);
  });

  test("asks exactly of means over labels too where few readings changed, and with unequal repeats", () => {
    const labels = ["yes", "no"];
    const said = (prediction: string) => ({ prediction, gold: "yes" });
    const questions = (now: (q: number) => readonly string[]) =>
      Array.from({ length: 40 }, (_, q) => ({
        id: `q${q}`,
        user: `u${q >> 1}`,
        baseline: [said(q === 0 ? "no" : "yes")],
        candidate: now(q).map(said),
      }));
    const f1 = macroF1(labels);
    expect(
      exactLossP(
        f1,
        questions(() => ["yes"]),
        0.02,
      )?.p,
    ).toBeGreaterThan(0.05); // one better
    const thrice = questions((q) => Array<string>(3).fill(q === 0 ? "no" : "yes")); // none changed
    expect(exactLossP(f1, thrice, 0.02)?.p).toBeCloseTo(0.98 ** 40, 12);
  });

  test("names the labels that are too rare for the bounds of a mean over labels", () => {
    const labels = ["yes", "no", "maybe"];
    const rare = changed(30).map((question, q) =>
      q < 3
        ? { ...question, baseline: [{ prediction: "no", gold: "no" }], candidate: [{ prediction: "no", gold: "no" }] }
        : question,
    );
    const [f1, plain] = gateLines([{ arm: arm(rare), metrics: [macroF1(labels), metric] }], settings);
    expect([f1!.sparseLabels, plain!.sparseLabels]).toEqual([1, undefined]);
  });

  test("regresses where a loss beyond the margin is shown, and is inconclusive where it is not", () => {
    expect(gate(changed(30)).verdict).toBe("regress");
    expect(gate(changed(8)).verdict).toBe("inconclusive");
    expect(gate(changed(8), { margin: () => 0.3 }).verdict).toBe("pass");
  });

  test("has half of McNemar's p as its check where all changes are losses", () =>
    expect(gate(changed(8)).signP).toBeCloseTo(mcNemar(8, 0) / 2, 12));

  test("has the mean of its repeats' scores, each over the questions that it answered", () => {
    const questions = changed(0).map((question, q) => ({
      ...question,
      candidate: q === 0 ? [undefined, ...replies(0, 1)] : replies(...Array<number>(3).fill(q < 60 ? 1 : 0)),
    }));
    const [line] = gateLines([{ arm: arm(questions, 3), metrics: [metric] }], settings);
    expect(line!.candidate).toBeCloseTo((59 / 79 + 59 / 80 + 60 / 80) / 3, 12);
  });

  test("gives metrics of the whole corpus bounds, but no test over questions", () => {
    const [line] = gateLines([{ arm: arm(changed(30)), metrics: [macroF1(["yes", "no"])] }], settings);
    expect(line).toMatchObject({ verdict: "regress", changed: undefined, signP: undefined });
  });

  test("needs fewer questions for a wider margin, with the square of it", () => {
    const [narrow, wide] = [0.02, 0.04].map((size) => gate(changed(8, 74), { margin: () => size }).needed!);
    expect(narrow! / wide!).toBeCloseTo(4, 1);
  });

  test("pays for company: one of many lines regresses only by Holm's standard", () => {
    const random = seeded("company");
    const quiet = () =>
      arm(
        Array.from({ length: 80 }, (_, q) => ({
          id: `q${q}`,
          user: `u${q >> 1}`,
          baseline: replies(random.below(2)),
          candidate: replies(random.below(2)),
        })),
      );
    const alone = gate(changed(12), { margin: () => 0.06 });
    expect(alone.verdict).toBe("regress");
    const arms = [arm(changed(12)), ...Array.from({ length: 9 }, quiet)].map((one) => ({
      arm: one,
      metrics: [metric],
    }));
    const [together] = gateLines(arms, { ...settings, margin: () => 0.06 });
    expect(together!.p).toBe(alone.p);
    expect(together!.holm).toBeGreaterThan(alone.p! * 5);
    expect(together!.verdict).toBe("inconclusive");
  });
});

describe("the verdict of a gate", () => {
  const check = (name: "failed-rows" | "budget" | "stale-cassette") => ({ name, passed: false, finding: "" });

  test("is the gravest: a void comparison, then a shown loss, a cost, a doubt", () => {
    const pass = gate(changed(0), { margin: () => 0.3 });
    const [regress, unsure] = [gate(changed(30)), gate(changed(8))];
    expect(verdictOf([pass, pass], [])).toBe("pass");
    expect(verdictOf([pass, unsure], [])).toBe("inconclusive");
    expect(verdictOf([unsure], [check("budget")])).toBe("budget");
    expect(verdictOf([unsure, regress], [check("budget")])).toBe("regress");
    expect(verdictOf([regress], [check("budget"), check("failed-rows")])).toBe("failed-rows");
    expect(verdictOf([regress], [check("failed-rows"), check("stale-cassette")])).toBe("stale-cassette");
  });

  test("judges failed rows by the worst arm", () => {
    const arms = [0, 0.04].map((failedShare) => ({ ...arm([]), failedShare }));
    expect(checkFailedRows(arms, 0.05).passed).toBe(true);
    expect(checkFailedRows(arms, 0.01)).toMatchObject({ passed: false, finding: expect.stringContaining("4.0 %") });
  });
});

describe("what CI reads", () => {
  const nasty = `<b> & "x" 'y' \u0000\u001b\ud800 % a:b,c\nd`;
  const result = (): GateResult => ({
    verdict: "regress",
    run: nasty,
    baseline: "b",
    simulated: false,
    alpha: 0.05,
    lines: [{ ...gate(changed(30)), method: nasty }],
    checks: [{ name: "budget", passed: false, finding: nasty }],
    remarks: [],
  });

  test("JUnit escapes what XML cannot hold", () => {
    const xml = renderJunit(result());
    expect(xml).toContain("&lt;b&gt; &amp; &quot;x&quot; &apos;y&apos; \ufffd\ufffd\ufffd % a:b,c&#10;d");
    expect(xml).not.toMatch(/[\u0000-\u0008\u001b\ud800]/);
    const withoutTags = xml.replace(/<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>|<\?xml [^>]*\?>/g, "");
    expect(withoutTags).not.toMatch(/[<>"]/);
  });

  test("annotations stay on one line each and keep their title", () => {
    const lines = renderAnnotations(result());
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^::error title=lamp-eval gate%3A regress::[^\n\r]*$/);
    expect(lines[0]).toContain("%25 a:b,c%0Ad");
  });

  test("a gate without offence is one notice", () => {
    const fine = renderAnnotations({
      ...result(),
      verdict: "pass",
      lines: [gate(changed(0), { margin: () => 0.3 })],
      checks: [],
    });
    expect(fine).toEqual([expect.stringMatching(/^::notice /)]);
  });
});

test("a baseline file reads back as it was, one question a line", () => {
  const cells = [0, 1].map((repeat) => ({ ...side, id: `c${repeat}`, repeat }));
  const rows = cells.flatMap(({ id }, repeat) =>
    ["a", "b"].map((question) => ({
      cell: id,
      user: "u",
      unit: "u",
      question,
      gold: "yes",
      outcome:
        question === "b" && repeat === 1
          ? ({ kind: "failed", error: "e" } as const)
          : ({ kind: "answered", reply: "yes\n" } as const),
      spend: {},
      incidents: {},
    })),
  );
  const data = [{ task: "t", files: [{ name: "f", sha256: "s" }], units: "u", wording: "w" }];
  const baseline = baselineOf({ simulated: false, version: "1", cells, data, requests: { c0: "r0", c1: "r1" }, rows });
  expect(baseline.arms[0]).toMatchObject({ repeats: 2, requests: ["r0", "r1"] });
  expect(baseline.arms[0]!.questions.map(({ replies, failed }) => [replies.length, failed])).toEqual([
    [2, 0],
    [1, 1],
  ]);
  expect(baseline.arms[0]!.questions.map(({ at }) => at)).toEqual([undefined, [0]]);
  const text = renderBaseline(baseline);
  expect(readBaseline(JSON.parse(text), "f")).toEqual(baseline);
  expect(text.split("\n").filter((line) => line.startsWith('{"id":'))).toHaveLength(2);
});

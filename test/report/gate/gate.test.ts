import { describe, expect, test } from "vitest";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { baselineOf, readBaseline, renderBaseline } from "../../../src/report/gate/baseline.js";
import type { Claim } from "../../../src/report/gate/claims.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import { renderJunit } from "../../../src/report/gate/junit.js";
import type { GatedArm } from "../../../src/report/gate/pairs.js";
import { planOf } from "../../../src/report/gate/planner.js";
import { checkFailedRows, type GateResult, verdictOf } from "../../../src/report/gate/result.js";
import { renderAnnotations, sentence } from "../../../src/report/gate/text.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import {
  changed,
  gatedArm,
  gatedQuestions,
  gatedSide,
  gateOf,
  gateSettings,
  replies,
  yesNo,
} from "../../helpers/gated-arm.js";

const metric = yesNo;
const settings = gateSettings;
const side = gatedSide;
const arm = (questions: readonly PairedQuestion[], repeats = 1): GatedArm =>
  gatedArm(questions, { candidate: { ...side, repeats } });
const gate = gateOf;

const many = (count: number, lost = 0) =>
  Array.from({ length: count }, (_, q) => ({
    id: `q${q}`,
    user: `u${q}`,
    baseline: replies(1),
    candidate: replies(q < lost ? 0 : 1),
  }));

describe("a gate line", () => {
  test("passes every claim where the same requests gave the same answers, since nothing was sampled", () => {
    const asked = { ...side, requests: ["r0"] };
    const judged = (requests: readonly string[], questions = changed(0), claim: Claim = "users") =>
      gateLines(
        [
          {
            arm: { ...arm(questions), baseline: asked, candidate: { ...side, requests: [...requests] } },
            metrics: [metric],
          },
        ],
        { ...settings, claim, margin: () => 0 },
      )[0]!;
    expect(judged(["r0"])).toMatchObject({ verdict: "pass", reach: "users", identical: true, gain: 0, shown: "none" });
    expect(judged(["r0"], changed(0).slice(0, 4))).toMatchObject({ verdict: "pass" });
    expect(judged(["r0"], changed(1)).identical).toBe(false);
    for (const other of [["r1"], []]) {
      expect(judged(other)).toMatchObject({ verdict: "unsure", reach: "answers", identical: false });
      expect(judged(other, changed(0), "answers")).toMatchObject({ verdict: "pass", reach: "answers" });
    }
  });

  test("without a change claims of users what the rule of three allows, and no more", () => {
    const at = (count: number) => gate(many(count), { claim: "users", margin: () => 0.02 });
    expect(at(149)).toMatchObject({ verdict: "pass", reach: "users", feasible: true });
    const few = at(148);
    expect(few).toMatchObject({ verdict: "unsure", reach: "answers", feasible: false, needed: { users: 149 } });
    expect(few.p.users).toBeCloseTo(0.98 ** 148, 12);
    expect(sentence(few)).toContain("148 users cannot rule out a loss beyond .020, even where nothing is lost");
  });

  test("of users lets no loss pass that sits in users it cannot have seen", () => {
    // 30 users of 10 questions, none of whom lost anything: the set lost nothing, other users may.
    const line = (claim: Claim) =>
      gate(
        many(300).map((question, q) => ({ ...question, user: `u${q % 30}` })),
        { claim, margin: () => 0.05 },
      );
    expect(line("set")).toMatchObject({ verdict: "pass", reach: "set" });
    expect(line("users")).toMatchObject({ verdict: "unsure", reach: "set", feasible: false });
    expect(line("users").needed.margin).toBeGreaterThanOrEqual(0.095);
    expect(sentence(line("users"))).toContain("for this set run again it is ruled out");
  });

  test("calls a shown loss what it is under every claim, and a loss of these answers a fact", () => {
    for (const claim of ["set", "users"] as const)
      expect(gate(changed(30), { claim })).toMatchObject({ verdict: "fail", reach: "none", shown: "beyond margin" });
    expect(gate(changed(1), { claim: "answers", margin: () => 0 })).toMatchObject({ verdict: "fail" });
    expect(gate(changed(1), { claim: "answers", margin: () => 0.02 })).toMatchObject({
      verdict: "pass",
      shown: "loss",
    });
    // Shown, but neither beyond the margin nor shown to stay within it.
    expect(gate(changed(8))).toMatchObject({ verdict: "fail", shown: "loss" });
    expect(gate(changed(8), { margin: () => 0.3 })).toMatchObject({ verdict: "pass", shown: "loss" });
    expect(gate(changed(1), { margin: () => 0.3 })).toMatchObject({ verdict: "pass", shown: "none" });
  });

  test("claims nothing of another run with fewer than five users, and says so", () => {
    const four = many(40).map((question, q) => ({ ...question, user: `u${q % 4}` }));
    const line = gate(four, { margin: () => 0.5 });
    expect(line).toMatchObject({ verdict: "unsure", reach: "answers" });
    expect(sentence(line)).toContain("4 users are too few to say anything of another run (5 needed)");
  });

  test("counts failed and absent answers as the worst value, not in the scores", () => {
    const [kept, lost] = [
      many(100),
      many(3).map(({ id, user, baseline }) => ({ id: `lost ${id}`, user, baseline, candidate: [undefined] })),
    ];
    const line = gateLines([{ arm: { ...arm(kept), lost }, metrics: [metric] }], {
      ...settings,
      claim: "answers",
      margin: () => 0.02,
    })[0]!;
    expect(line).toMatchObject({ candidate: 1, gain: 0, lost: 3, questions: 100, verdict: "fail" });
    const all = (claim: Claim) =>
      gateLines([{ arm: arm([...kept, ...many(103, 3).slice(0, 3)]), metrics: [metric] }], { ...settings, claim })[0]!;
    const three = gateLines([{ arm: { ...arm(kept), lost }, metrics: [metric] }], { ...settings, claim: "set" })[0]!;
    expect(three.p.questions).toBeCloseTo(all("set").p.questions!, 12);
    const rated = lost.map((question) => ({ ...question, baseline: [{ prediction: "3", gold: "3" }] }));
    const error = gateLines([{ arm: { ...arm([]), lost: rated }, metrics: [mae] }], {
      ...settings,
      claim: "answers",
      margin: () => 3.9,
    })[0]!;
    expect(error).toMatchObject({ verdict: "fail", lost: 3 });
    const unknown = lost.map((question) => ({ ...question, baseline: [] }));
    expect(
      gateLines([{ arm: { ...arm(kept), lost: unknown }, metrics: [metric] }], {
        ...settings,
        claim: "answers",
        margin: () => 0.02,
      })[0]!.verdict,
    ).toBe("fail");
  });

  test("judges RMSE by squared errors, at the margin that is the same at the baseline's error", () => {
    const rows = changed(0).map((question, q) => ({
      ...question,
      baseline: [{ prediction: q < 40 ? "2" : "3", gold: "3" }],
      candidate: [{ prediction: q < 42 ? "2" : "3", gold: "3" }],
    }));
    const at = (size: number) =>
      gateLines([{ arm: arm(rows), metrics: [rmse] }], { ...settings, claim: "answers", margin: () => size })[0]!;
    expect(at(0.5).gain).toBeCloseTo(Math.sqrt(0.5) - Math.sqrt(42 / 80), 12);
    expect(at(0.018).verdict).toBe("pass");
    expect(at(0.017).verdict).toBe("fail");
  });

  test("names the labels that are too rare for a mean over labels, which then claims nothing beyond its answers", () => {
    const labels = ["yes", "no", "maybe"];
    const rare = changed(30).map((question, q) =>
      q < 3
        ? { ...question, baseline: [{ prediction: "no", gold: "no" }], candidate: [{ prediction: "no", gold: "no" }] }
        : question,
    );
    const [f1, plain] = gateLines([{ arm: arm(rare), metrics: [macroF1(labels), metric] }], settings);
    expect([f1!.sparseLabels, plain!.sparseLabels]).toEqual([1, undefined]);
    expect(f1!.verdict).toBe("unsure");
    expect(sentence(f1!)).toContain("1 label has fewer than 5 gold answers");
  });

  test("of a metric whose largest loss is unknown claims its answers only", () => {
    const { most: _, ...plain } = metric;
    const judged = (claim: Claim) =>
      gateLines([{ arm: arm(changed(30)), metrics: [plain] }], { ...settings, claim })[0]!;
    expect(judged("set")).toMatchObject({ verdict: "unsure", p: { users: undefined } });
    expect(judged("answers")).toMatchObject({ verdict: "fail" });
  });

  test("has the mean of its repeats' scores, each over the questions that it answered", () => {
    const questions = changed(0).map((question, q) => ({
      ...question,
      candidate: q === 0 ? [undefined, ...replies(0, 1)] : replies(...Array<number>(3).fill(q < 60 ? 1 : 0)),
    }));
    const [line] = gateLines([{ arm: arm(questions, 3), metrics: [metric] }], settings);
    expect(line!.candidate).toBeCloseTo((59 / 79 + 59 / 80 + 60 / 80) / 3, 12);
  });

  test("takes noise that repeats show to be shared into every claim", () => {
    const at = (score: readonly number[]) =>
      gatedQuestions(
        Array.from({ length: 100 }, (_, q) => replies(...score.map((hits) => (q < hits ? 1 : 0)))),
        Array.from({ length: 100 }, (_, q) => replies(...score.map((hits) => (q < hits ? 1 : 0)))),
      );
    const still = gate(at([80, 80, 80]), { margin: () => 0.05 });
    const shaken = gate(at([85, 80, 75]), { margin: () => 0.05 });
    expect(still).toMatchObject({ verdict: "pass", shock: { sd: 0 } });
    expect(shaken.p.set).toBe(1);
    expect(gate(at([80]), {}).shock).toBe("unknown");
  });

  test("pays for company: one of many lines fails only by Holm's standard", () => {
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
    const alone = gate(changed(6), { margin: () => 0.06 });
    expect(alone.verdict).toBe("fail");
    const arms = [arm(changed(6)), ...Array.from({ length: 9 }, quiet)].map((one) => ({
      arm: one,
      metrics: [metric],
    }));
    const [together] = gateLines(arms, { ...settings, margin: () => 0.06 });
    expect(together!.p.worse).toBe(alone.p.worse);
    expect(together!.p.worseHolm).toBeGreaterThan(alone.p.worse! * 5);
    expect(together!.verdict).toBe("unsure");
  });

  test("never gets worse by one more right answer, nor its bounds by more changes", () => {
    const random = seeded("one more");
    const rank = { fail: 0, unsure: 1, pass: 2 };
    for (let sample = 0; sample < 40; sample++) {
      const users = 5 + random.below(30);
      const questions = Array.from({ length: 60 }, (_, q) => ({
        id: `q${q}`,
        user: `u${random.below(users)}`,
        baseline: replies(random.next() < 0.7 ? 1 : 0),
        candidate: replies(random.next() < 0.5 ? 1 : 0),
      }));
      const wrong = questions.findIndex(({ candidate }) => candidate[0]!.prediction === "no");
      const improved = questions.map((question, q) =>
        q === wrong ? { ...question, candidate: replies(1) } : question,
      );
      const claim = random.below(2) === 0 ? ("set" as const) : ("users" as const);
      const [one, more] = [questions, improved].map((all) => gate(all, { claim, margin: () => 0.1 }));
      expect(rank[more!.verdict]).toBeGreaterThanOrEqual(rank[one!.verdict]);
      expect(more!.p.users!).toBeLessThanOrEqual(one!.p.users! + 1e-12);
      expect(more!.p.questions!).toBeLessThanOrEqual(one!.p.questions! + 1e-12);
      expect(more!.bounds.users!.low).toBeGreaterThanOrEqual(one!.bounds.users!.low - 1e-9);
    }
    const balanced = (pairs: number) =>
      many(300).map((question, q) =>
        q >= 2 * pairs ? question : { ...question, baseline: replies(q % 2), candidate: replies(1 - (q % 2)) },
      );
    const lows = [0, 1, 2, 5, 10].map((pairs) => gate(balanced(pairs)).bounds.set!.low);
    expect(lows.map((low) => low.toFixed(3))).toEqual(["-0.010", "-0.013", "-0.016", "-0.022", "-0.028"]);
  });
});

describe("the margin of a line", () => {
  const asked = { ...side, margins: { accuracy: { set: 0.03, users: 0.12 } } };
  const judged = (claim: Claim, baseline = side, margin?: number) =>
    gateLines([{ arm: { ...arm(changed(1)), baseline }, metrics: [metric] }], {
      ...settings,
      claim,
      margin: () => margin,
    })[0]!;

  test("is the flag's, else the baseline's, else planned from its answers, and none for these answers", () => {
    expect(judged("set", asked, 0.4)).toMatchObject({ margin: 0.4, marginFrom: "flag" });
    expect(judged("set", asked)).toMatchObject({ margin: 0.03, marginFrom: "baseline" });
    expect(judged("users", asked)).toMatchObject({ margin: 0.12, marginFrom: "baseline" });
    expect(judged("users")).toMatchObject({ marginFrom: "planner" });
    expect(judged("answers", asked)).toMatchObject({ margin: 0, marginFrom: "planner" });
  });

  const half = (question: PairedQuestion, q: number): PairedQuestion => ({ ...question, baseline: replies(q % 2) });

  test("planned without noise is the rule of three, rounded up to .005 of the range", () => {
    const planned = planOf(metric, many(30), { alpha: 0.05, noise: 0 })!;
    expect(planned.smallest.users).toBeCloseTo(1 - 0.05 ** (1 / 30), 9);
    expect(planned.margins!.users).toBeCloseTo(0.1, 12);
    expect(planned.neededUsers("users", 0.05)).toBe(59);
    expect(planned.neededUsers("users", 0.95)).toBe(5);
  });

  test("grows with the noise, and is read off repeats where there are some", () => {
    const random = seeded("repeats");
    const mixed = (repeats: number) =>
      many(60).map((question) => ({
        ...question,
        baseline: replies(...Array.from({ length: repeats }, () => random.below(2))),
      }));
    const at = (noise: number) => planOf(metric, mixed(1), { alpha: 0.05, noise })!.margins!.set;
    expect(at(0.2)).toBeGreaterThan(at(0.05));
    const repeated = mixed(2);
    const [none, all] = [0, 1].map((noise) => planOf(metric, repeated, { alpha: 0.05, noise })!.margins!.set);
    expect(none).toBe(all);
    expect(none).toBeGreaterThan(at(0.2));
  });

  test("is what an unchanged run still passes that is as unlucky as one in five by given noise, as one in seven by noise seen in repeats", () => {
    // Half of 100 answers drawn anew, half of all right: a difference with this standard error; the exact test and rounding up cost more.
    const alone = planOf(metric, many(100).map(half), { alpha: 0.05, noise: 0.5 })!.margins!.set;
    const given = (0.8416 + 1.6449) * Math.sqrt((2 * 0.5 * 0.25) / 100);
    expect(alone).toBeGreaterThan(given);
    expect(alone).toBeLessThan(given + 0.018);
    // Any two of three repeats differ by 20 answers each way: the shared noise that four degrees leave possible is added.
    const thrice = many(300).map((question, q) => ({
      ...question,
      baseline: replies(...[0, 1, 2].map((r) => (q % 60 < 12 ? Number(q % 3 === r) : q % 2))),
    }));
    const margin = planOf(metric, thrice, { alpha: 0.05, noise: 0.2 })!.margins!.set;
    const error = Math.sqrt(40 / 300 ** 2 / 3);
    const measured = (1.0364 + Math.hypot(1.6449, 2.1318)) * error;
    expect(margin).toBeGreaterThan(measured);
    expect(margin).toBeLessThan(measured + 0.006);
  });

  test("of two repeats pays for what so few cannot rule out of noise that runs share, as the gate does", () => {
    // Repeats of equal scores: only single answers change between them, a tenth to and fro.
    const repeated = (repeats: number) =>
      many(60).map((question, q) => ({
        ...question,
        baseline: replies(
          ...Array.from({ length: repeats }, (_, r) => ((q + r) % 20 < 2 ? r % 2 : q % 3 === 0 ? 0 : 1)),
        ),
      }));
    const plan = (repeats: number) => planOf(metric, repeated(repeats), { alpha: 0.05, noise: 0.1 })!;
    expect(plan(2).margins!.set).toBeGreaterThan(1.2 * plan(3).margins!.set);
    const { margins, neededUsers } = plan(2);
    expect(neededUsers("set", margins!.set)).toBeLessThanOrEqual(60);
    expect(neededUsers("set", margins!.set / 2) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(60);
  });
});

describe("the verdict of a gate", () => {
  const check = (name: "failed-rows" | "budget" | "stale-cassette") => ({ name, passed: false, finding: "" });
  const byDefault = ["fail"] as const;
  const pass = gate(changed(1), { margin: () => 0.3 });
  const accepted = gate(changed(8), { margin: () => 0.3 });
  const [regress, unsure] = [gate(changed(30)), gate(changed(2))];

  test("is the gravest: a void comparison, then a shown loss, a cost, a doubt", () => {
    const verdict = (...[lines, checks]: [Parameters<typeof verdictOf>[0], Parameters<typeof verdictOf>[1]]) =>
      verdictOf(lines, checks, byDefault).verdict;
    expect(verdict([pass, pass], [])).toBe("pass");
    expect(verdict([pass, unsure], [])).toBe("unsure");
    expect(verdict([unsure], [check("budget")])).toBe("budget");
    expect(verdict([unsure, regress], [check("budget")])).toBe("fail");
    expect(verdict([regress], [check("budget"), check("failed-rows")])).toBe("failed-rows");
    expect(verdict([regress], [check("failed-rows"), check("stale-cassette")])).toBe("stale-cassette");
  });

  test("fails by what --fail-on lists, and by every condition of the run", () => {
    expect(accepted).toMatchObject({ verdict: "pass", shown: "loss" });
    expect(verdictOf([accepted], [], byDefault)).toEqual({ verdict: "pass", fails: false });
    expect(verdictOf([unsure], [], byDefault)).toEqual({ verdict: "unsure", fails: false });
    expect(verdictOf([unsure], [], ["fail", "unsure"])).toEqual({ verdict: "unsure", fails: true });
    expect(verdictOf([regress, unsure], [], byDefault)).toEqual({ verdict: "fail", fails: true });
    expect(verdictOf([regress], [], ["unsure"])).toEqual({ verdict: "fail", fails: false });
    expect(verdictOf([regress, unsure], [], ["unsure"])).toEqual({ verdict: "unsure", fails: true });
    expect(verdictOf([regress], [check("budget")], [])).toEqual({ verdict: "budget", fails: true });
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
    verdict: "fail",
    fails: true,
    failOn: ["fail"],
    claim: "set",
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
    expect(xml).toContain("&#60;b&#62; &#38; &#34;x&#34; &#39;y&#39; \ufffd\ufffd\ufffd % a:b,c&#10;d");
    expect(xml).not.toMatch(/[\u0000-\u0008\u001b\ud800]/);
    const withoutTags = xml.replace(/<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>|<\?xml [^>]*\?>/g, "");
    expect(withoutTags).not.toMatch(/[<>"]/);
  });

  test("annotations stay on one line each and keep their title", () => {
    const lines = renderAnnotations(result());
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^::error title=lamp-eval gate::[^\n\r]*$/);
    expect(lines[0]).toContain("%25 a:b,c%0Ad");
  });

  test("a gate without offence is one notice", () => {
    const fine = renderAnnotations({
      ...result(),
      verdict: "pass",
      fails: false,
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

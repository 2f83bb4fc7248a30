import { describe, expect, test } from "vitest";
import type { Judgement } from "../../src/report/judgements/judgement.js";
import { scoresOf } from "../../src/report/judgements/scores.js";
import type { Cell } from "../../src/types.js";

const cell = (id: string, method: string): Cell => ({
  id,
  task: "alex-like",
  dataset: "made",
  method,
  model: "made/up",
  options: {},
  seed: 0,
  repeat: 0,
});
const cells = [cell("a", "stateless"), cell("b", "assistant")];
const judgement = (of: string, user: number, question: string, value: number | undefined): Judgement => ({
  key: `${of} ${user} ${question}`,
  cell: of,
  question: `${user}-${question}`,
  user: `u${user}`,
  judged: value === undefined ? { kind: "unjudged", replies: ["?", "?"] } : { kind: "judged", value, why: "" },
  tokens: { in: 1, out: 1 },
  calls: 1,
});
const users = Array.from({ length: 12 }, (_, user) => user);

describe("scores of a judge", () => {
  test("are means with intervals over users; equal verdicts of all users give no interval", () => {
    const judgements = users.flatMap((user) => [
      judgement("a", user, "q", 5),
      judgement("b", user, "q", 5 + (user % 3)),
    ]);
    const [a, b] = scoresOf(judgements, cells, "exclude", 0);
    expect(a).toMatchObject({ mean: 5, interval: undefined, judged: 12, users: 12 });
    expect(b?.mean).toBe(6);
    expect(b?.interval?.low).toBeGreaterThan(5);
    expect(b?.interval?.high).toBeLessThan(7);
    expect(b?.difference).toMatchObject({ value: 1, questions: 12 });
  });

  test("an unjudged reply changes n, not the mean, and leaves the comparison; as zero it counts", () => {
    const judgements = users.flatMap((user) => [
      judgement("a", user, "q", 4),
      judgement("b", user, "q", user === 0 ? undefined : 8),
    ]);
    const [, b] = scoresOf(judgements, cells, "exclude", 0);
    expect(b).toMatchObject({ mean: 8, judged: 11, unjudged: 1 });
    expect(b?.difference).toMatchObject({ value: 4, questions: 11 });
    const [, zero] = scoresOf(judgements, cells, "zero", 0);
    expect(zero?.mean).toBeCloseTo((8 * 11) / 12, 10);
  });

  test("below ten users there is no interval and no difference", () => {
    const judgements = users
      .slice(0, 9)
      .flatMap((user) => [judgement("a", user, "q", 3), judgement("b", user, "q", user)]);
    for (const score of scoresOf(judgements, cells, "exclude", 0)) {
      expect(score.interval).toBeUndefined();
      expect(score.difference).toBeUndefined();
    }
  });
});

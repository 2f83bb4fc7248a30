import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { auditOf, type JudgeSetting } from "../../src/report/judgements/audit.js";
import type { CountedVerdict } from "../../src/report/judgements/scores.js";

const USERS = 40;
const arms = (count: number) => Array.from({ length: count }, (_, a) => ({ task: "t", label: `arm ${a}` }));

/** What a noisy judge says of answers to 2 questions a user, each right with its arm's chance: 1 to 10. */
function judged(label: string, chances: readonly number[], seed: string, noise = 0.1): JudgeSetting {
  const answers = seeded(`answers ${seed}`);
  const verdicts = seeded(`${seed} ${label}`);
  return {
    label,
    arms: chances.map((chance) =>
      Array.from({ length: USERS * 2 }, (_, q): CountedVerdict => {
        const isRight = answers.next() < chance;
        const isFlipped = verdicts.next() < noise;
        return { user: `u${q >> 1}`, question: `q${q}`, value: isRight === isFlipped ? 3 : 8 };
      }),
    ),
  };
}

describe("audit of judges", () => {
  test("a planted reversal is found, and named with the judges that show it", () => {
    const settings = [judged("kind", [0.9, 0.5, 0.2], "r"), judged("stern", [0.2, 0.5, 0.9], "r")];
    const audit = auditOf({ arms: arms(3), settings, again: judged("kind again", [0.9, 0.5, 0.2], "r"), seed: 0 });
    expect(audit.verdict).toBe("ORDER DEPENDS ON THE JUDGE");
    expect(audit.reversals).toContainEqual({ task: "t", arms: ["arm 0", "arm 2"], settings: ["kind", "stern"] });
    expect(audit).toMatchObject({ tau: { median: -1, lowest: -1 }, tauAgain: 1, flips: { share: 1 } });
    expect(audit.flipsAgain.share).toBe(0);
  });

  test("an order that every judge keeps holds; another scale changes nothing", () => {
    const chances = [0.9, 0.5, 0.1];
    const scaled = judged("thousands", chances, "h");
    const settings = [
      judged("ten", chances, "h"),
      { ...scaled, arms: scaled.arms.map((of) => of.map((one) => ({ ...one, value: one.value * 1000 }))) },
    ];
    expect(auditOf({ arms: arms(3), settings, again: settings[0]!, seed: 0 })).toMatchObject({
      verdict: "ORDER HOLDS",
      tau: { median: 1 },
      shown: 3,
      pairs: 3,
    });
  });

  test("arms of two tasks are not compared, and nine users show nothing", () => {
    const [one, two] = [judged("a", [0.9, 0.1], "f"), judged("b", [0.9, 0.1], "f")];
    const few = (setting: JudgeSetting): JudgeSetting => ({
      ...setting,
      arms: setting.arms.map((of) => of.slice(0, 18)),
    });
    const tasks = [
      { task: "t", label: "arm" },
      { task: "other", label: "arm" },
    ];
    expect(auditOf({ arms: tasks, settings: [one, two], again: one, seed: 0 }).pairs).toBe(0);
    expect(auditOf({ arms: arms(2), settings: [few(one), few(two)], again: few(one), seed: 0 })).toMatchObject({
      verdict: "NOT SHOWN",
      flips: { interval: undefined },
    });
  });

  test("of equal arms no reversal is shown in 95 of 100, whatever the judges' noise", () => {
    const draws = Number(process.env.AUDIT_DRAWS ?? 40);
    const equal = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
    const audits = Array.from({ length: draws }, (_, n) => {
      const settings = [judged("a", equal, `${n}`), judged("b", equal, `${n}`, 0.3), judged("c", equal, `${n}`)];
      return auditOf({ arms: arms(6), settings, again: judged("d", equal, `${n}`), seed: n });
    });
    const reversed = audits.filter(({ reversals }) => reversals.length > 0).length;
    expect(reversed).toBeLessThanOrEqual(draws * 0.05);
    // Verdict noise alone flips pairs: the share says so, the reversals do not.
    expect(audits.some(({ flips }) => (flips.share ?? 0) > 0.2)).toBe(true);
  });
});

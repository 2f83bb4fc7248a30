import { cohenH } from "../../statistics/cohen-h.js";
import { deviation } from "../../statistics/deviation.js";
import { mcNemar } from "../../statistics/mcnemar.js";
import { detectableMean, detectableShares, neededForMean, neededForShares } from "../../statistics/power.js";
import { signedRank } from "../../statistics/wilcoxon.js";

/** A test over questions, which it takes as independent. `needed` and `detectable`: 80 % power at alpha .05. */
export interface QuestionTest {
  readonly name: "mcnemar" | "wilcoxon";
  readonly p: number;
  /** McNemar: Cohen's h. Wilcoxon: rank-biserial correlation of B - A. */
  readonly effect: number;
  /** McNemar: questions that only A, or only B, has right. */
  readonly discordant?: { readonly onlyA: number; readonly onlyB: number };
  /** Questions needed, were the difference seen the true one. Undefined for no difference. */
  readonly needed: number | undefined;
  /** Smallest difference that as many questions find. Undefined where no difference would be found. */
  readonly detectable: number | undefined;
}

/** McNemar where every question is right or wrong in both arms, the signed-rank test elsewhere. Values: one per question. */
export function testQuestions(a: readonly number[], b: readonly number[]): QuestionTest {
  return [...a, ...b].every((value) => value === 0 || value === 1) ? testAnswers(a, b) : testValues(a, b);
}

// --- internal ---

function testAnswers(a: readonly number[], b: readonly number[]): QuestionTest {
  const count = a.length;
  const onlyA = a.filter((value, i) => value > b[i]!).length;
  const onlyB = a.filter((value, i) => value < b[i]!).length;
  const share = (onlyA + onlyB) / count;
  return {
    name: "mcnemar",
    p: mcNemar(onlyA, onlyB),
    effect: cohenH(mean(a), mean(b)),
    discordant: { onlyA, onlyB },
    needed: neededForShares((onlyB - onlyA) / count, share),
    detectable: detectableShares(count, share),
  };
}

function testValues(a: readonly number[], b: readonly number[]): QuestionTest {
  const differences = b.map((value, i) => value - a[i]!);
  const center = mean(differences);
  const spread = deviation(differences);
  const { p, effect } = signedRank(differences);
  return {
    name: "wilcoxon",
    p,
    effect,
    needed: spread === undefined ? undefined : neededForMean(center, spread),
    detectable: spread === undefined || spread === 0 ? undefined : detectableMean(a.length, spread),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

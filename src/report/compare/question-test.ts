import { cohenH } from "../../statistics/cohen-h.js";
import { mcNemar } from "../../statistics/mcnemar.js";
import { signedRank } from "../../statistics/wilcoxon.js";

/** A test over questions, which it takes as independent. */
export interface QuestionTest {
  readonly name: "mcnemar" | "wilcoxon";
  readonly p: number;
  /** McNemar: Cohen's h. Wilcoxon: rank-biserial correlation of B - A. */
  readonly effect: number;
  /** McNemar: questions that only A, or only B, has right. */
  readonly discordant?: { readonly onlyA: number; readonly onlyB: number };
}

/** McNemar where every question is right or wrong in both arms, the signed-rank test elsewhere. Values: one per question. */
export function testQuestions(a: readonly number[], b: readonly number[]): QuestionTest {
  return [...a, ...b].every((value) => value === 0 || value === 1) ? testAnswers(a, b) : testValues(a, b);
}

function testAnswers(a: readonly number[], b: readonly number[]): QuestionTest {
  const onlyA = a.filter((value, i) => value > b[i]!).length;
  const onlyB = a.filter((value, i) => value < b[i]!).length;
  return {
    name: "mcnemar",
    p: mcNemar(onlyA, onlyB),
    effect: cohenH(mean(a), mean(b)),
    discordant: { onlyA, onlyB },
  };
}

function testValues(a: readonly number[], b: readonly number[]): QuestionTest {
  const { p, effect } = signedRank(b.map((value, i) => value - a[i]!));
  return { name: "wilcoxon", p, effect };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

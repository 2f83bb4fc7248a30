import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Random } from "../../../src/types/index.js";

/** Five to sixteen users of equal or unequal numbers of questions, some answered anew in the run. `wrong`: answers that are no gold. */
export function reanswered(
  random: Random,
  golds: readonly string[],
  repeats = 1,
  wrong: readonly string[] = ["no"],
): PairedQuestion[] {
  const [most, isEven] = [1 + random.below(8), random.below(2) === 0];
  const of = (values: readonly string[]) => values[random.below(values.length)]!;
  const answer = (gold: string) => (random.next() < 0.6 ? gold : of([...golds, ...wrong]));
  return Array.from({ length: 5 + random.below(12) }, (_, u) =>
    Array.from({ length: isEven ? most : 1 + random.below(most) }, (_, q) => {
      const gold = of(golds);
      const baseline = Array.from({ length: repeats }, () => ({ prediction: answer(gold), gold }));
      const candidate = baseline.map(({ prediction }) => ({
        prediction: random.next() < 0.3 ? answer(gold) : prediction,
        gold,
      }));
      return { id: `${u}/${q}`, user: `u${u}`, baseline, candidate };
    }),
  ).flat();
}

/** The same run with one wrong answer of one repeat right; undefined where all are. */
export function improved(questions: readonly PairedQuestion[], random: Random): PairedQuestion[] | undefined {
  const wrong = questions.flatMap(({ candidate }, q) =>
    candidate.flatMap((pair, r) => (pair!.prediction === pair!.gold ? [] : [{ q, r }])),
  );
  const chosen = wrong[random.below(Math.max(1, wrong.length))];
  if (chosen === undefined) return undefined;
  return questions.map((question, q) => {
    if (q !== chosen.q) return question;
    const right = (gold: string) => ({ prediction: gold, gold });
    return { ...question, candidate: question.candidate.map((pair, r) => (r === chosen.r ? right(pair!.gold) : pair)) };
  });
}

/** A run of ratings in which most right answers are off by one and one repeat of one question is read far beyond the scale; and that one right. */
export function farReading(
  random: Random,
  golds: readonly string[],
  repeats: number,
): [run: PairedQuestion[], better: PairedQuestion[]] {
  const questions = reanswered(random, golds, repeats);
  const [chosen, far] = [random.below(questions.length), random.below(2) === 0 ? "100" : "-7"];
  const beside = (gold: string) => (gold === "5" ? "4" : String(Number(gold) + 1));
  const spoilt = questions.map(({ candidate, ...question }) => ({
    ...question,
    candidate: candidate.map((pair) => {
      const { prediction, gold } = pair!;
      return { prediction: prediction === gold && random.next() < 0.6 ? beside(gold) : prediction, gold };
    }),
  }));
  const withFirst = (answer: (gold: string) => string) =>
    spoilt.map((question, q) => {
      const [first, ...others] = question.candidate;
      const changed = { prediction: answer(first!.gold), gold: first!.gold };
      return q === chosen ? { ...question, candidate: [changed, ...others] } : question;
    });
  return [withFirst(() => far), withFirst((gold) => gold)];
}

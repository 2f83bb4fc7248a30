import type { GatedQuestion } from "../../../src/report/gate/pairs.js";
import type { Random } from "../../../src/types.js";

/** Five to sixteen users of equal or unequal numbers of questions, some answered anew in the run. */
export function reanswered(random: Random, golds: readonly string[], repeats = 1): GatedQuestion[] {
  const [most, isEven] = [1 + random.below(8), random.below(2) === 0];
  const of = (values: readonly string[]) => values[random.below(values.length)]!;
  const answer = (gold: string) => (random.next() < 0.6 ? gold : of([...golds, "no"]));
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
export function improved(questions: readonly GatedQuestion[], random: Random): GatedQuestion[] | undefined {
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

import { macroF1, macroPrecision, macroRecall, mae, rmse, rouge1 } from "../../../src/metrics/index.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Random } from "../../../src/types/index.js";
import { farReading, improved, reanswered } from "../simulation/improved.js";
import { sampleOf } from "../simulation/losses.js";
import type { Cell } from "./cell.js";
import { Gated, yesNo } from "./gated.js";

/**
 * Pairs of runs, the second with one more right answer: how often its verdict is worse. Never for a mean [proof]; printed only where
 * contributions are in linear order, and where one of several repeats that does better shows noise.
 */
export const monotoneCells = (): Cell[] =>
  judged.flatMap((one) =>
    [1, 3].map((repeats) => {
      const isMean = one.metric.slopes === undefined && repeats === 1;
      return cell(`${one.title}, ${repeats} ${repeats === 1 ? "repeat" : "repeats"}`, one.metric, {
        what: isMean ? NEVER : `the same, ${kindOf(one.metric, repeats)}`,
        widest: 1,
        pair(random) {
          const questions = reanswered(random, one.golds, repeats);
          const better = improved(questions, random);
          return better === undefined ? undefined : [questions, better];
        },
      });
    }),
  );

/** The answer that becomes right was read far beyond the scale, which is the largest loss that the run has seen. */
export const farReadingCells = (): Cell[] =>
  [mae, rmse].flatMap((metric) =>
    [1, 3].map((repeats) =>
      cell(`${metric.title}, a reading of 100 or -7, ${repeats} ${repeats === 1 ? "repeat" : "repeats"}`, metric, {
        what: repeats === 1 ? NEVER : "the same, a far reading in one of 3 repeats",
        widest: 0.3,
        pair: (random) => farReading(random, ratings, repeats),
      }),
    ),
  );

const NEVER = "one more right answer worsens a verdict";

/** How pairs are made, and the widest margin that they are judged at, as a share of the range. */
interface Pairs {
  readonly what: string;
  readonly widest: number;
  pair(random: Random): readonly [run: PairedQuestion[], better: PairedQuestion[]] | undefined;
}

function cell(name: string, metric: Metric, { what, widest, pair }: Pairs): Cell {
  return {
    part: "monotone",
    name,
    run(samples) {
      let [worse, pairs] = [0, 0];
      for (let sample = 0; sample < samples; sample++) {
        const random = sampleOf(name, sample);
        const both = pair(random);
        if (both === undefined) continue;
        const margin = (0.02 + 0.3 * random.next()) * widest * (metric.most ?? 1);
        const [one, more] = both.map((all) => new Gated(metric, all, margin));
        const ranks = (gated: Gated) => [gated.set, gated.users && gated.set].map((passes) => rankOf(gated, passes));
        const before = ranks(one!);
        pairs++;
        if (ranks(more!).some((rank, claim) => rank < before[claim]!)) worse++;
      }
      return [{ what, hits: worse, of: pairs, ...(what === NEVER ? { most: 0 } : {}) }];
    },
  };
}

const ratings = ["1", "2", "3", "4", "5"];
const labels = ["a", "b", "c"];

const judged: readonly { readonly title: string; readonly metric: Metric; readonly golds: readonly string[] }[] = [
  { title: "accuracy", metric: yesNo, golds: ["yes"] },
  { title: "MAE", metric: mae, golds: ratings },
  { title: "RMSE", metric: rmse, golds: ratings },
  { title: "ROUGE-1", metric: rouge1, golds: ["the one text", "another text of it"] },
  { title: "macro-F1", metric: macroF1(labels), golds: labels },
  { title: "macro-precision", metric: macroPrecision(labels), golds: labels },
  { title: "macro-recall", metric: macroRecall(labels), golds: labels },
];

const kindOf = (metric: Metric, repeats: number): string =>
  [...(metric.slopes === undefined ? [] : ["macro metrics"]), ...(repeats === 1 ? [] : [`${repeats} repeats`])].join(
    ", ",
  );

const rankOf = (gated: Gated, passes: boolean): number => (gated.regress ? 0 : passes ? 2 : 1);

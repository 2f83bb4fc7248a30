import { macroF1, macroPrecision, macroRecall, mae, rmse, rouge1 } from "../../../src/metrics/index.js";
import type { Metric } from "../../../src/types.js";
import { improved, reanswered } from "../simulation/improved.js";
import { sampleOf } from "../simulation/losses.js";
import type { Cell } from "./cell.js";
import { Gated, yesNo } from "./gated.js";

/**
 * Pairs of runs, the second with one more right answer: how often its verdict is worse. Never for a mean [proof]; printed only where
 * contributions are in linear order, and where one of several repeats that does better shows noise.
 */
export const monotoneCells = (): Cell[] =>
  judged.flatMap(({ title, metric, golds }) =>
    [1, 3].map((repeats): Cell => {
      const name = `${title}, ${repeats} ${repeats === 1 ? "repeat" : "repeats"}`;
      return {
        part: "monotone",
        name,
        run(samples) {
          let [worse, pairs] = [0, 0];
          for (let sample = 0; sample < samples; sample++) {
            const random = sampleOf(name, sample);
            const questions = reanswered(random, golds, repeats);
            const better = improved(questions, random);
            if (better === undefined) continue;
            const margin = (0.02 + 0.3 * random.next()) * (metric.most ?? 1);
            const [one, more] = [questions, better].map((all) => new Gated(metric, all, margin));
            const ranks = (gated: Gated) =>
              [gated.set, gated.users && gated.set].map((passes) => rankOf(gated, passes));
            const before = ranks(one!);
            pairs++;
            if (ranks(more!).some((rank, claim) => rank < before[claim]!)) worse++;
          }
          const isMean = metric.slopes === undefined && repeats === 1;
          const what = isMean ? "one more right answer worsens a verdict" : `the same, ${kindOf(metric, repeats)}`;
          return [{ what, hits: worse, of: pairs, ...(isMean ? { most: 0 } : {}) }];
        },
      };
    }),
  );

// --- internal ---

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

import type { Metric } from "../types/index.js";

/** Whether the gold stands in the answer, as whole words in any case. */
export const mention: Metric = {
  name: "mention",
  title: "Mentioned",
  better: "higher",
  source: "own: the words of the gold, in their order, stand in the answer",
  sumCount: 1,
  maxPerPair: 1,
  add({ prediction, gold }, sums, offset = 0) {
    const wanted = words(gold);
    if (wanted !== "" && ` ${words(prediction)} `.includes(` ${wanted} `)) sums[offset]! += 1;
  },
  value: (sums, count) => sums[0]! / count,
};

/** Lower-cased words with one blank between. */
const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

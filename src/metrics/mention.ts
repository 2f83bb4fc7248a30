import { meanMetric } from "./mean.js";

/** Share of answers in which the gold stands, as whole words in any case. */
export const mention = meanMetric(
  { name: "mention", title: "Mentioned", source: "own: the words of the gold, in their order, stand in the answer" },
  ({ prediction, gold }) => {
    const wanted = words(gold);
    return wanted !== "" && ` ${words(prediction)} `.includes(` ${wanted} `);
  },
);

/** Returns lower-cased words with one blank between. */
function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

import { ScoreError } from "../errors.js";
import type { Metric } from "../types/index.js";

/** What is known of a metric that another program counted. */
export interface GivenMetric {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  /** The largest value that a question can have; the smallest is 0. */
  readonly most: number;
}

/** The mean of numbers that stand in the rows, one a question (`lamp-eval import --metric`). */
export const givenMetric = ({ name, title, better, most }: GivenMetric): Metric => ({
  name,
  title,
  better,
  most,
  source: "a number for each question, counted by another program",
  given: true,
  width: 1,
  add({ given }, sums, offset = 0) {
    const value = given?.[name];
    if (value === undefined)
      throw new ScoreError(`${name}: a question without a number; import the run again with --metric`);
    sums[offset]! += value;
  },
  value: (sums, count) => sums[0]! / count,
});

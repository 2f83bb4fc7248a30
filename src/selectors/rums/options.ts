import { choice, decimal, integer, thing } from "../../registry/options.js";
import { retrievers } from "../../retrievers/index.js";
import type { Options } from "../../types/index.js";

/** Options of RUMS (METHODS 9). */
export const rumsOptions = {
  "rums.filter": thing({
    default: "dense",
    or: "llm",
    of: () => retrievers,
    help: "narrows the history to rums.filterItems candidates (RUMS: llm)",
  }),
  "rums.filterItems": integer({ default: 10, min: 1, max: 50, help: "candidates that are scored (RUMS: 10)" }),
  "rums.search": choice({
    default: "greedy",
    of: ["greedy", "singletons", "exhaustive", "llm"],
    help: "which subsets are scored: forward search; each candidate alone; all subsets; those that a model names (RUMS, Algorithm 1)",
  }),
  "rums.maxItems": integer({ default: 4, min: 1, max: 10, help: "most events that are chosen (RUMS: 5)" }),
  "rums.threshold": decimal({
    default: 0,
    help: "least utility in nats; nothing is chosen below it, nor, unless it is negative, at a utility of 0 or less (RUMS: 0.29; lamp-eval rums train --threshold)",
  }),
  "rums.entropy": choice({
    default: "auto",
    of: ["auto", "label", "token", "sample"],
    help: "label: shares of the labels in the first tokens; token: mean over sampled tokens; sample: counts of sampled answers; auto: label for label tasks, else token, and sample where no logprobs come",
  }),
  "rums.samples": integer({ default: 5, min: 1, max: 50, help: "sampled continuations, N (RUMS: 5)" }),
  "rums.tokens": integer({ default: 20, min: 1, max: 200, help: "most tokens of a continuation, T (RUMS: 20)" }),
  "rums.temperature": decimal({ default: 0.7, min: 0, max: 2, help: "temperature of the continuations" }),
} as const;

export type RumsOptions = Options<typeof rumsOptions>;

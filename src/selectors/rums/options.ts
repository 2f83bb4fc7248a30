import { UsageError } from "../../errors.js";
import { choice, decimal, integer } from "../../registry/options.js";
import { retrievers } from "../../retrievers/index.js";
import type { Option, Options, OptionValue, Registry } from "../../types/index.js";

/** Knobs of RUMS (METHODS 9). */
export const rumsOptions = {
  "rums.filter": withWord({
    default: "dense",
    word: "llm",
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
    help: "least utility in nats; below it, and at 0 or less unless it is negative, nothing is chosen (RUMS: 0.29; lamp-eval rums train --threshold)",
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

/** A word, or a named thing. */
type WordOr<T> = { readonly word: true } | { readonly word: false; readonly thing: T };

/** An option that takes one word besides the names of a registry. */
function withWord<T extends { readonly name: string }>(o: {
  readonly default: string;
  readonly word: string;
  readonly of: () => Registry<T>;
  readonly help: string;
}): Option<WordOr<T>> {
  const read = (name: string, value: OptionValue): WordOr<T> => {
    if (value === o.word) return { word: true };
    const thing = o.of().find(String(value));
    if (thing !== undefined) return { word: false, thing };
    throw new UsageError(`${name}=${value}: expected one of ${[o.word, ...o.of().names].join(", ")}`);
  };
  return {
    default: o.default,
    help: o.help,
    get accepts() {
      return `one of ${[o.word, ...o.of().names].join(", ")}`;
    },
    read,
    canonical: (name, value) => {
      const found = read(name, value);
      return found.word ? o.word : found.thing.name;
    },
    over: (lists) => {
      const list = lists.find(({ kind }) => kind === o.of().kind) as Registry<T> | undefined; // a kind's list holds its things
      return list === undefined ? withWord(o) : withWord({ ...o, of: () => list });
    },
  };
}

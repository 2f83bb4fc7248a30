import type { CallRange } from "../../types.js";
import type { RumsOptions } from "./options.js";
import { subsetCount } from "./search.js";

/**
 * Calls of one selection (METHODS 0.4): F + (1 + S) estimates, F of the filter, S the subsets scored. None where there is no
 * past. A list of a model's that cannot be read is asked for once more. Estimates are of the reference model, where one is named.
 */
export function rumsCalls(options: RumsOptions): CallRange {
  const lists = (options["rums.filter"].word ? 2 : 0) + (options["rums.search"] === "llm" ? 2 : 0);
  const estimates = 1 + mostScored(options, options["rums.filterItems"]);
  return {
    ...(lists === 0 ? {} : { select: { low: 0, high: lists } }),
    "select@reference": { low: 0, high: estimates * callsOfEstimate(options) },
  };
}

/** The question whether logprobs come back is asked once for all users. */
export const probeCalls = (options: RumsOptions): CallRange =>
  options["rums.entropy"] === "sample" ? {} : { "select@reference": { low: 0, high: 1 } };

/** Subsets that a search scores at most, over `count` candidates. */
function mostScored(options: RumsOptions, count: number): number {
  const most = Math.min(options["rums.maxItems"], count);
  switch (options["rums.search"]) {
    case "singletons":
      return count;
    case "exhaustive":
      return subsetCount(count, most);
    case "llm":
      return options["rums.subsets"];
    case "greedy":
      return Array.from({ length: most }, (_, taken) => count - taken).reduce((sum, size) => sum + size, 0);
  }
}

/** Most calls of one estimate of an entropy. */
function callsOfEstimate(options: RumsOptions): number {
  const calls = {
    label: 1 + options["rums.expansions"],
    token: options["rums.samples"],
    sample: options["rums.answers"],
  };
  const kind = options["rums.entropy"];
  return kind === "auto" ? Math.max(...Object.values(calls)) : calls[kind];
}

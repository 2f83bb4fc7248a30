import type {
  CallRange,
  Event,
  Kit,
  OpenSelector,
  SelectionRequest,
  SelectionResult,
  Selector,
  SelectorContext,
} from "../../types/index.js";
import { openFromFunction } from "../always.js";
import { askLists, MAX_LISTED } from "../llm.js";
import { retrieverSelector } from "../of-retriever.js";
import { ANSWERS, EXPANSIONS, estimator, kindOf, probeLogprobs } from "./estimate.js";
import { type RumsOptions, rumsOptions } from "./options.js";
import { greedy, isWorth, type Searched, scoreSubsets, subsetCount, subsetsOf, type Utility } from "./search.js";

export const rumsSelector: Selector<typeof rumsOptions> = {
  name: "rums",
  summary: "the events that reduce the entropy of the answer most; none below a threshold",
  source: "RUMS, section 3 and Algorithm 1; METHODS 9",
  options: rumsOptions,
  embeds: ({ "rums.filter": filter }) => filter !== "llm" && filter.embeds === true,
  async open(history, options, use, unitKit) {
    const filter = await openFilter(history, options, use, unitKit);
    const needsLogprobs = options["rums.entropy"] !== "sample";
    let known = history.length;
    const selecting: OpenSelector = async (ask, kit) => {
      if (known === 0 || ask.k === 0) return { chosen: [], abstained: "there is no past to choose from" };
      const alternatives = needsLogprobs ? await probeLogprobs(kit) : 0;
      const found = await filter({ ...ask, k: options["rums.filterItems"] }, kit);
      const candidates = found.chosen.map(({ event }) => event);
      return selectFrom(candidates, ask, options, alternatives, kit);
    };
    selecting.add = async (event, kit) => {
      known += 1;
      await filter.add(event, kit);
    };
    return selecting;
  },
  plan: rumsCalls,
  planArm: probeCalls,
};

async function selectFrom(
  candidates: readonly Event[],
  ask: SelectionRequest,
  options: RumsOptions,
  alternatives: number,
  kit: Kit,
): Promise<SelectionResult> {
  const kind = kindOf(options, alternatives, kit);
  const estimate = estimator(kind, options, kit);
  const prior = await estimate(ask.prompt([]));
  const eventsOf = (subset: readonly number[]): Event[] => subset.map((at) => candidates[at]!);
  const utility: Utility = async (subset) => {
    const informed = prior === undefined ? undefined : await estimate(ask.prompt(eventsOf(subset)));
    return informed === undefined || prior === undefined ? undefined : prior.entropy - informed.entropy;
  };
  const searched = await search(candidates, utility, ask, options, kit);
  const { best } = searched;
  const threshold = options["rums.threshold"];
  const abstained = reasonToAbstain(best?.utility, threshold);
  kit.note({
    kind: "utilities",
    data: {
      entropy: kind,
      plain: prior?.entropy ?? null,
      rest: prior?.unseen ?? 0,
      threshold,
      candidates: candidates.map(({ id }) => id),
      scored: searched.scored.map(({ items, utility: value }) => ({
        events: eventsOf(items).map(({ id }) => id),
        utility: value,
      })),
      best: best?.utility ?? null,
    },
  });
  if (best === undefined || abstained !== undefined)
    return { chosen: [], ...(abstained === undefined ? {} : { abstained }) };
  return {
    chosen: eventsOf(best.items).map((event) => ({
      event,
      score: best.utility,
      reason: `one of ${best.items.length} with utility ${best.utility.toFixed(3)}`,
    })),
  };
}

function reasonToAbstain(utility: number | undefined, threshold: number): string | undefined {
  if (utility === undefined) return "no entropy could be measured";
  if (isWorth(utility, threshold)) return undefined;
  if (utility <= 0 && threshold >= 0) return "no event reduces the entropy of the answer";
  return `largest utility ${utility.toFixed(3)} is below ${threshold}`;
}

function search(
  candidates: readonly Event[],
  utility: Utility,
  ask: SelectionRequest,
  options: RumsOptions,
  kit: Kit,
): Promise<Searched> {
  const most = Math.min(ask.k, options["rums.maxItems"]);
  switch (options["rums.search"]) {
    case "singletons":
      return scoreSubsets(subsetsOf(candidates.length, 1), utility);
    case "exhaustive":
      return scoreSubsets(subsetsOf(candidates.length, most), utility);
    case "greedy":
      return greedy(candidates.length, utility, most);
    case "llm":
      return searchNamedSubsets(candidates, utility, ask, most, kit);
  }
}

/** Most subsets that a model names. Ours. */
const SUBSETS = 10;

/** Algorithm 1 of RUMS: a model names the subsets. Where its list cannot be read, each candidate alone. */
async function searchNamedSubsets(
  candidates: readonly Event[],
  utility: Utility,
  ask: SelectionRequest,
  most: number,
  kit: Kit,
): Promise<Searched> {
  const instruction = `Name up to ${SUBSETS} sets of these, each of 1 to ${most}, that together might help to answer this user. Answer with JSON only: {"chosen": [[numbers], [numbers]]}`;
  const lists = await askLists(ask.question, candidates, instruction, kit);
  const subsets = new Map<string, number[]>();
  for (const list of lists ?? []) {
    const subset = [...list].slice(0, most).sort((a, b) => a - b);
    if (subset.length > 0) subsets.set(subset.join(), subset);
  }
  if (subsets.size === 0) return scoreSubsets(subsetsOf(Math.min(candidates.length, SUBSETS), 1), utility);
  return scoreSubsets([...subsets.values()].slice(0, SUBSETS), utility);
}

/**
 * Narrows a history to the candidates that are scored, best first. By a model (RUMS, Prompt 7, in our words): one item or
 * more; a list that cannot be read leaves the newest.
 */
async function openFilter(
  history: readonly Event[],
  options: RumsOptions,
  use: SelectorContext,
  unitKit: Kit,
): Promise<OpenSelector> {
  const { "rums.filter": filter, "rums.filterItems": most } = options;
  if (filter !== "llm") return retrieverSelector(filter).open(history, {}, use, unitKit);
  return openFromFunction(history, async (known, { question }, kit) => {
    const pool = known.slice(-MAX_LISTED);
    if (pool.length <= 1) return { chosen: pool.map((event) => ({ event, reason: "the only one" })) };
    const instruction = `Which of these might matter for answering this user? Choose at least 1 and at most ${most}. Answer with JSON only: {"chosen": [numbers]}`;
    const lists = await askLists(question, pool, instruction, kit);
    const [numbers = []] = lists ?? [];
    const events = numbers.map((at) => pool[at]!);
    const chosen = events.length === 0 ? pool.slice(-most).reverse() : events.slice(0, most);
    return { chosen: chosen.map((event) => ({ event, reason: "named by the model" })) };
  });
}

/**
 * Plans calls of one selection (METHODS 0.4): F + (1 + S) estimates, F of the filter, S the subsets scored. None where there is no
 * past. A list of a model's that cannot be read is asked for once more. Estimates are of the reference model, where one is named.
 */
export function rumsCalls(options: RumsOptions): CallRange {
  const lists = (options["rums.filter"] === "llm" ? 2 : 0) + (options["rums.search"] === "llm" ? 2 : 0);
  const estimates = 1 + mostScored(options, options["rums.filterItems"]);
  return {
    ...(lists === 0 ? {} : { select: { low: 0, high: lists } }),
    "select@reference": { low: 0, high: estimates * callsOfEstimate(options) },
  };
}

/** The question whether logprobs come back is asked once for all users. */
export function probeCalls(options: RumsOptions): CallRange {
  return options["rums.entropy"] === "sample" ? {} : { "select@reference": { low: 0, high: 1 } };
}

/** Counts the subsets that a search scores at most, over `count` candidates. */
function mostScored(options: RumsOptions, count: number): number {
  const most = Math.min(options["rums.maxItems"], count);
  const scored = {
    singletons: count,
    exhaustive: subsetCount(count, most),
    llm: SUBSETS,
    greedy: Array.from({ length: most }, (_, taken) => count - taken).reduce((sum, size) => sum + size, 0),
  };
  return scored[options["rums.search"]];
}

/** Most calls of one estimate of an entropy. */
function callsOfEstimate(options: RumsOptions): number {
  const calls = {
    label: 1 + EXPANSIONS,
    token: options["rums.samples"],
    sample: ANSWERS,
  };
  const kind = options["rums.entropy"];
  return kind === "auto" ? Math.max(...Object.values(calls)) : calls[kind];
}

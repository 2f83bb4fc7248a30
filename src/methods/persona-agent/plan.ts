import { selectionCalls, sharedSelectionCalls } from "../../selectors/open.js";
import type { CallPlan, CallRange, Event } from "../../types/index.js";
import { summaryCalls } from "../pag-summary.js";
import { agentCalls } from "../react.js";
import { aligns, hasSummary, type Parts, type PersonaAgentOptions, searchesMemory } from "./options.js";

/**
 * Plans calls by the formulas of METHODS 0.4: per user 1 + E(nA + n + 1), per question A, less what a variant leaves out. A, the
 * turns of one agent run, lies between 1 and the step limit. Calls that fail for good are not foreseen.
 */
export function planCalls(parts: Parts, options: PersonaAgentOptions): CallPlan {
  const turns = parts.action ? agentCalls(options) : ONE_CALL;
  const schedule = options["align.schedule"];
  const simulatedRuns = ({ simulate }: CallRange): number => (simulate?.high ?? 0) / turns.high;
  return {
    perUnit(history) {
      const summary = hasSummary(parts) ? summaryCalls(history, options) : {};
      if (schedule === "per-query") return summary;
      const aligned = alignCalls(labelled(history), parts, options, turns);
      return { ...summary, ...aligned, ...memoryCalls(simulatedRuns(aligned), parts, options) };
    },
    perQuestion() {
      const aligned = schedule === "once" ? {} : fromNone(alignCalls(Number.POSITIVE_INFINITY, parts, options, turns));
      return { ...aligned, ...memoryCalls(1 + simulatedRuns(aligned), parts, options), answer: turns };
    },
    perArm: () => (searchesMemory(parts, options) ? sharedSelectionCalls(options) : {}),
  };
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** Plans the calls of a selector behind the memory tool: at most one selection a turn. */
function memoryCalls(runs: number, parts: Parts, options: PersonaAgentOptions): CallRange {
  if (!searchesMemory(parts, options) || runs === 0) return {};
  return selectionCalls(options, runs * options["agent.maxSteps"]);
}

const ONE_CALL: Range = { low: 1, high: 1 };

const labelled = (history: readonly Event[]): number => history.filter(({ label }) => label !== undefined).length;

function alignCalls(askable: number, parts: Parts, options: PersonaAgentOptions, turns: Range): CallRange {
  const iterations = options["align.iterations"];
  const most = Math.min(options["align.batchSize"], askable);
  if (!aligns(parts) || iterations === 0 || most === 0) return {};
  const rolling = options["align.batch"] === "rolling";
  const least = rolling ? smallestWindow(askable, most) : most;
  const { gradientsPerSample } = options["align.optimizer"];
  return {
    simulate: { low: iterations * least * turns.low, high: iterations * most * turns.high },
    gradient: { low: iterations * least * gradientsPerSample, high: iterations * most * gradientsPerSample },
    update: { low: iterations, high: 2 * iterations }, // an unusable rewrite is asked for once more
  };
}

/** The oldest window of a rolling batch holds what is left over. */
const smallestWindow = (askable: number, size: number): number =>
  Number.isFinite(askable) && askable % size !== 0 ? askable % size : size;

/** Lowers the fewest calls to 0: before the question it is not known whether there is a history, or anything new in it. */
const fromNone = (calls: CallRange): CallRange =>
  Object.fromEntries(Object.entries(calls).map(([phase, { high }]) => [phase, { low: 0, high }]));

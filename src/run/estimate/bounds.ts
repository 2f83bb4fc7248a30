import { modelOf, plannedIn } from "../../registry/further-models.js";
import type { CallPlan, CallRange, PhaseAt, TaskBrief, Usage } from "../../types/index.js";
import type { Arm } from "../plan/types.js";
import type { Counts, Load, PriceOf, Times } from "./execute.js";

/** What one phase of an arm asks for. */
export interface PhaseEstimate {
  readonly phase: PhaseAt;
  /** Whether it prepares what all users share. */
  readonly isShared: boolean;
  /** The fewest and the most calls by the method's plan. */
  readonly low: number;
  readonly high: number;
  readonly expected: Load;
  /** Every reply as long as allowed, every loop as long as allowed. */
  readonly most: Load;
}

export function phasesOf(
  { method, options, cell }: Arm,
  { whole, some }: { readonly whole: Counts; readonly some: Counts },
  { planned, times: each }: { readonly planned: CallRange; readonly times: Times },
  price: PriceOf,
): PhaseEstimate[] {
  const shared = whole.isAnswered("") === true ? {} : (method.plan(options).perCell?.() ?? {});
  return [planned, shared].flatMap((range) => {
    const isShared = range === shared;
    const ranges = Object.entries(plannedIn(range, cell)) as [PhaseAt, { low: number; high: number }][];
    return ranges.map(([phase, { low, high }]) => {
      const played = whole.of(phase, isShared);
      const expected = some.of(phase, isShared, each);
      const priced = (usage: Usage) => price(modelOf(phase, cell), usage);
      return {
        ...{ phase, isShared, low, high },
        expected: { ...expected, calls: Math.min(Math.max(expected.calls, low), high) },
        most: isShared ? played : mostOf(high, played, whole.longest, priced), // shared values hold no loops
      };
    });
  });
}

/** What a tool may add to the prompt of the next turn (4000 characters). */
const OBSERVATION_TOKENS = 1000;

/**
 * The most that so many calls of a phase come to, where `played` were. Calls beyond those are later turns of a loop: each carries the
 * earlier turns' replies and observations. A phase of which nothing was played is asked by tools: each call is as long as the longest,
 * with what was written before and what was found.
 */
function mostOf(
  high: number,
  played: Load,
  longest: Counts["longest"],
  price: (usage: Usage) => number | undefined,
): Load {
  const { calls } = played;
  if (high <= calls || longest.in === 0) return played;
  let [tokensIn, tokensOut] = [high * (longest.in + 2 * longest.out + OBSERVATION_TOKENS), high * longest.out];
  if (calls > 0) {
    const turns = high / calls;
    const growth = calls * (played.tokensOut / calls + OBSERVATION_TOKENS) * ((turns * (turns - 1)) / 2);
    [tokensIn, tokensOut] = [Math.ceil(played.tokensIn * turns + growth), Math.ceil(played.tokensOut * turns)];
  }
  const usd = price({ in: tokensIn / high, out: tokensOut / high });
  return { calls: high, tokensIn, tokensOut, usd: usd === undefined ? undefined : usd * high };
}

/** The fewest calls of a phase, with a fifth fewer tokens a prompt than is expected and replies of one token. */
export function fewestOf({ phase, low: calls, expected }: PhaseEstimate, { cell }: Arm, price: PriceOf): Load {
  const each = expected.calls === 0 ? 0 : Math.floor((expected.tokensIn / expected.calls) * 0.8);
  const usd = price(modelOf(phase, cell), { in: each, out: 1 });
  return { calls, tokensIn: calls * each, tokensOut: calls, usd: usd === undefined ? undefined : usd * calls };
}

/**
 * What one question may ask: its answer, and what lets it into memory, as a turn of a dialogue or with its gold in prequential mode;
 * with the turns of the dialogue `before` it that nobody is asked about.
 */
export function callsPerQuestion(
  plan: CallPlan,
  task: Pick<TaskBrief, "dialogue">,
  online: boolean,
  before = 0,
): CallRange {
  const learning = online ? plan.perLearned?.() : undefined;
  const remembering = task.dialogue === true ? (plan.perObserved?.(true) ?? plan.perLearned?.()) : learning;
  const heard = Array.from({ length: before }, () => plan.perObserved?.(false) ?? {});
  return [remembering ?? {}, ...heard].reduce(both, plan.perQuestion());
}

export function both(one: CallRange, other: CallRange): CallRange {
  const phases = [...new Set([...Object.keys(one), ...Object.keys(other)])] as PhaseAt[];
  const sum = (phase: PhaseAt, end: "low" | "high") => (one[phase]?.[end] ?? 0) + (other[phase]?.[end] ?? 0);
  return Object.fromEntries(phases.map((phase) => [phase, { low: sum(phase, "low"), high: sum(phase, "high") }]));
}

import type { CallPlan, CallRange, PhaseAt, TaskBrief } from "../../types.js";

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

function both(one: CallRange, other: CallRange): CallRange {
  const phases = [...new Set([...Object.keys(one), ...Object.keys(other)])] as PhaseAt[];
  const sum = (phase: PhaseAt, end: "low" | "high") => (one[phase]?.[end] ?? 0) + (other[phase]?.[end] ?? 0);
  return Object.fromEntries(phases.map((phase) => [phase, { low: sum(phase, "low"), high: sum(phase, "high") }]));
}

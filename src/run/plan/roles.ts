import { modelKnob, modelRoles, roleOf, serverKnob } from "../../registry/further-models.js";
import type {
  CallPlan,
  CallRange,
  Event,
  Method,
  Model,
  ModelRole,
  Options,
  OptionTable,
  OptionValue,
  PhaseAt,
  TaskBrief,
} from "../../types/index.js";
import type { Arm } from "./types.js";

/** Returns the further models that a method asks under these options, by its plan. Those that no call is planned of are never asked. */
export function askedRoles(method: Pick<Method, "plan">, options: Options<OptionTable>): ReadonlySet<ModelRole> {
  const plan = method.plan(options);
  const ranges = [
    ...[plan.perUnit(HISTORY), plan.perQuestion(), plan.perCell?.()],
    ...[plan.perLearned?.(), plan.perObserved?.(true), plan.perObserved?.(false)],
  ];
  return new Set(ranges.flatMap((range) => Object.keys(range ?? {})).flatMap((phase) => roleOf(phase) ?? []));
}

/** Returns the options of a cell without the further models that it does not ask: it is the same cell whatever these are. */
export function withoutUnasked(
  options: Readonly<Record<string, OptionValue>>,
  asked: ReadonlySet<ModelRole>,
): Record<string, OptionValue> {
  const unasked = modelRoles.filter((role) => !asked.has(role));
  const dropped = new Set<string>(unasked.flatMap((role) => [modelKnob(role), serverKnob(role)]));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !dropped.has(name)));
}

/** Plans may go by a history: any will do. */
const HISTORY: readonly Event[] = Array.from({ length: 100 }, (_, index) => {
  const id = `past-${index}`;
  const date = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  return { id, date, fields: { id }, content: id, document: id, label: "1" };
});

/**
 * Returns how many replies are drawn to each prompt of an arm in all: as many as it has repeats, where a question is one call whose
 * prompt rests on no reply, so that every repeat asks the same; else 1. Only the first repeat draws for all.
 */
export function drawsOf(arm: Arm, arms: readonly Arm[]): number {
  const { cell, method, options } = arm;
  if (cell.repeat > 0 || method.callsElsewhere === true) return 1;
  const plan = method.plan(options);
  const { answer, ...others } = plan.perQuestion();
  const most = (range: CallRange): number => Object.values(range).reduce((sum, { high }) => sum + high, 0);
  const beside = most(others) + most({ ...plan.perUnit([]), ...plan.perCell?.() });
  if (answer?.low !== 1 || answer.high !== 1 || beside > 0) return 1;
  const contentOf = ({ id: _, repeat: __, ...content }: Arm["cell"]): string => JSON.stringify(content);
  const own = contentOf(cell);
  return arms.filter((other) => other.loaded.task === arm.loaded.task && contentOf(other.cell) === own).length;
}

/** The model, asked for so many replies to each prompt of a first repeat. */
export function drawing(model: Model, draws: number): Model {
  if (draws === 1 || model.simulated) return model;
  return { ...model, complete: (request, signal) => model.complete({ ...request, samples: draws }, signal) };
}

/**
 * Returns what one question may ask: its answer, and what lets it into memory, as a turn of a dialogue or with its gold in prequential
 * mode; with the turns of the dialogue `before` it that nobody is asked about.
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

/** The calls of both. */
export function both(one: CallRange, other: CallRange): CallRange {
  const phases = [...new Set([...Object.keys(one), ...Object.keys(other)])] as PhaseAt[];
  const sum = (phase: PhaseAt, end: "low" | "high") => (one[phase]?.[end] ?? 0) + (other[phase]?.[end] ?? 0);
  return Object.fromEntries(phases.map((phase) => [phase, { low: sum(phase, "low"), high: sum(phase, "high") }]));
}

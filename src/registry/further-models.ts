import type {
  ArmSpec,
  CallPlan,
  CallRange,
  Event,
  Method,
  ModelRole,
  Options,
  OptionTable,
  OptionValue,
  Phase,
  PhaseAt,
  TaskBrief,
} from "../types/index.js";

export const modelRoles = ["reference", "judge"] as const satisfies readonly ModelRole[];

/** The ids of an arm's further models, by role. Empty where it has none. */
export function furtherModels({ options }: Pick<ArmSpec, "options">): Partial<Record<ModelRole, string>> {
  const named = modelRoles.flatMap((role) => {
    const id = options[modelOption(role)];
    return id === undefined || id === "" ? [] : [[role, String(id)] as const];
  });
  return Object.fromEntries(named);
}

/** The option that names a further model. */
export const modelOption = (role: ModelRole) => `model.${role}` as const;

/** A phase as spends and plans name it. */
export const phaseAt = (phase: Phase, role: ModelRole | undefined): PhaseAt =>
  role === undefined ? phase : `${phase}@${role}`;

/** The id of the model that answered the calls of a phase of this arm. */
export function modelOf(phase: string, arm: Pick<ArmSpec, "model" | "options">): string {
  const role = roleOf(phase);
  return role === undefined ? arm.model : (furtherModels(arm)[role] ?? arm.model);
}

/** Moves the calls of roles that the arm sets no model for to the answering model. */
export function plannedIn(range: CallRange, arm: Pick<ArmSpec, "options">): CallRange {
  const named = furtherModels(arm);
  const planned: Record<PhaseAt, CallRange[PhaseAt]> = {};
  for (const [phase, { low, high }] of Object.entries(range)) {
    const role = roleOf(phase);
    const key = (role === undefined || named[role] !== undefined ? phase : phase.split("@")[0]) as PhaseAt;
    const sofar = planned[key] ?? { low: 0, high: 0 };
    planned[key] = { low: sofar.low + low, high: sofar.high + high };
  }
  return planned;
}

/** The role of the model that answered these calls; undefined: the one that answers questions. */
const roleOf = (phase: string): ModelRole | undefined => {
  const [, role] = phase.split("@");
  return modelRoles.find((one) => one === role);
};

/** Returns the further models that a method asks under these options, by its plan. Those that no call is planned of are never asked. */
export function askedRoles(method: Pick<Method, "plan">, options: Options<OptionTable>): ReadonlySet<ModelRole> {
  const plan = method.plan(options);
  const ranges = [
    ...[plan.perUnit(SAMPLE_HISTORY), plan.perQuestion(), plan.perArm?.()],
    ...[plan.perLearned?.(), plan.perObserved?.(true), plan.perObserved?.(false)],
  ];
  return new Set(ranges.flatMap((range) => Object.keys(range ?? {})).flatMap((phase) => roleOf(phase) ?? []));
}

/** Returns options without the further models that are not asked: an arm is the same whatever these are. */
export function withoutUnasked(
  options: Readonly<Record<string, OptionValue>>,
  asked: ReadonlySet<ModelRole>,
): Record<string, OptionValue> {
  const unasked: readonly string[] = modelRoles.filter((role) => !asked.has(role)).map(modelOption);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !unasked.includes(name)));
}

/** A history for plans that depend on its length. */
const SAMPLE_HISTORY: readonly Event[] = Array.from({ length: 100 }, (_, index) => {
  const id = `past-${index}`;
  const date = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  return { id, date, fields: { id }, content: id, document: id, label: "1" };
});

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

/** Returns the calls of both. */
export function both(one: CallRange, other: CallRange): CallRange {
  const phases = [...new Set([...Object.keys(one), ...Object.keys(other)])] as PhaseAt[];
  const sum = (phase: PhaseAt, end: "low" | "high") => (one[phase]?.[end] ?? 0) + (other[phase]?.[end] ?? 0);
  return Object.fromEntries(phases.map((phase) => [phase, { low: sum(phase, "low"), high: sum(phase, "high") }]));
}

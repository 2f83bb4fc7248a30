import type { CallRange, Cell, ModelRole, Phase, PhaseAt } from "../types/index.js";

export const modelRoles = ["reference", "judge"] as const satisfies readonly ModelRole[];

/** The ids of a cell's further models, by role. Empty where it has none. */
export function furtherModels({ options }: Pick<Cell, "options">): Partial<Record<ModelRole, string>> {
  const named = modelRoles.flatMap((role) => {
    const id = options[modelKnob(role)];
    return id === undefined || id === "" ? [] : [[role, String(id)] as const];
  });
  return Object.fromEntries(named);
}

/** The option that names a further model. */
export const modelKnob = (role: ModelRole) => `model.${role}` as const;

/** The option that names its server. */
export const serverKnob = (role: ModelRole) => `model.${role}.baseUrl` as const;

/** A phase as spends and plans name it. */
export const phaseAt = (phase: Phase, role: ModelRole | undefined): PhaseAt =>
  role === undefined ? phase : `${phase}@${role}`;

/** The id of the model that answered the calls of a phase of this cell. */
export function modelOf(phase: string, cell: Pick<Cell, "model" | "options">): string {
  const role = roleOf(phase);
  return role === undefined ? cell.model : (furtherModels(cell)[role] ?? cell.model);
}

/** A plan as this cell has it: calls of a model that it does not name are those of the one that answers. */
export function plannedIn(range: CallRange, cell: Pick<Cell, "options">): CallRange {
  const named = furtherModels(cell);
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
export const roleOf = (phase: string): ModelRole | undefined => {
  const [, role] = phase.split("@");
  return modelRoles.find((one) => one === role);
};

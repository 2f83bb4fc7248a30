import { modelKnob, modelRoles, roleOf, serverKnob } from "../../registry/further-models.js";
import type { Event, Method, ModelRole, Options, OptionTable, OptionValue } from "../../types/index.js";

/** The further models that a method asks under these options, by its plan. Those that no call is planned of are never asked. */
export function askedRoles(method: Pick<Method, "plan">, options: Options<OptionTable>): ReadonlySet<ModelRole> {
  const plan = method.plan(options);
  const ranges = [
    plan.perUnit(PAST),
    plan.perQuestion(),
    plan.perLearned?.(),
    plan.perObserved?.(true),
    plan.perObserved?.(false),
    plan.perCell?.(),
  ];
  const roles = ranges.flatMap((range) => Object.keys(range ?? {})).flatMap((phase) => roleOf(phase) ?? []);
  return new Set(roles);
}

/** Options of a cell without the further models that it does not ask: it is the same cell whatever these are. */
export function withoutUnasked(
  options: Readonly<Record<string, OptionValue>>,
  asked: ReadonlySet<ModelRole>,
): Record<string, OptionValue> {
  const unasked = modelRoles.filter((role) => !asked.has(role));
  const dropped = new Set<string>(unasked.flatMap((role) => [modelKnob(role), serverKnob(role)]));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !dropped.has(name)));
}

/** Plans may go by a past: any will do. */
const PAST: readonly Event[] = Array.from({ length: 100 }, (_, index) => {
  const id = `past-${index}`;
  const date = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  return { id, date, fields: { id }, content: id, document: id, label: "1" };
});

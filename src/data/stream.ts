import type { Event, Example, Unit } from "../types.js";
import { byDate } from "./dates.js";
import { itemKey } from "./same-item.js";

/**
 * One unit per user for prequential mode: all of the user's questions in order of time, and as the past to start from
 * only what every one of them may see, so that what is hidden from a later question never enters its memory.
 */
export function streamsOf(units: readonly Unit[]): Unit[] {
  const byUser = new Map<string, Unit[]>();
  for (const unit of units) byUser.set(unit.user.id, [...(byUser.get(unit.user.id) ?? []), unit]);
  return [...byUser].map(([id, queries]) => ({
    id,
    user: { id, history: commonPast(queries) },
    examples: inOrder(queries),
  }));
}

// --- internal ---

function commonPast(units: readonly Unit[]): readonly Event[] {
  const [first, ...rest] = units.map(({ user }) => user.history);
  const others = rest.map((history) => new Set(history.map(({ fields }) => itemKey(fields))));
  return (first ?? []).filter(({ fields }) => others.every((keys) => keys.has(itemKey(fields))));
}

function inOrder(units: readonly Unit[]): readonly Example[] {
  const examples = units.flatMap((unit) => unit.examples);
  const dated = examples.map((example) => ({ ...example.question, example }));
  return byDate(dated).map(({ example }) => example);
}

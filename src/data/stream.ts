import type { Event, Example, Sequence, Unit } from "../types.js";
import { byDate } from "./dates.js";
import { itemKey } from "./same-content.js";
import { lazily, nth } from "./sequence.js";

/**
 * One unit per user for prequential mode: all of the user's questions in order of time, and as the past to start from
 * only what every one of them may see, so that what is hidden from a later question never enters its memory.
 */
export function streamsOf(units: Sequence<Unit>): Sequence<Unit> {
  if (Array.isArray(units)) return [...streams(units as readonly Unit[])];
  let length = 0;
  for (const _ of streams(units)) length += 1;
  return lazily(
    length,
    () => streams(units),
    (index) => nth(streams(units), index),
  );
}

/** The units of one user stand together. */
function* streams(units: Iterable<Unit>): Generator<Unit> {
  let ofUser: Unit[] = [];
  for (const unit of units) {
    if (ofUser[0] !== undefined && ofUser[0].user.id !== unit.user.id) {
      yield streamOf(ofUser);
      ofUser = [];
    }
    ofUser.push(unit);
  }
  if (ofUser.length > 0) yield streamOf(ofUser);
}

function streamOf(units: readonly Unit[]): Unit {
  const { id } = units[0]!.user; // one at least
  return { id, user: { id, history: commonPast(units) }, examples: inOrder(units) };
}

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

import type { Dataset, Event, OthersPool, PoolEvent, Task, Unit } from "../types.js";
import { dateOrder } from "./dates.js";
import { normalized } from "./same-content.js";
import { itemKey } from "./same-item.js";

export interface OthersSettings {
  readonly others: "auto" | "training-users" | "leave-one-out" | "all";
  readonly visible: "before-query" | "all";
}

/**
 * Other users' pasts: those of training users where the data set has them, else the other test users' visible pasts, or both.
 * Never a test question, nor an item with the text of one; never an event of the asking user, nor of a test user passed off as
 * a training user.
 */
export function othersOf(dataset: Dataset, task: Task, settings: OthersSettings, units: readonly Unit[]): OthersPool {
  const training = settings.others === "leave-one-out" ? [] : (dataset.others ?? []);
  const both = settings.others === "all";
  const useTraining = both || settings.others === "training-users" || training.length > 0;
  const testUsers = new Set(units.map(({ user }) => user.id));
  const trained = training
    .filter(({ id }) => !testUsers.has(id))
    .map(({ id, profile }) => ({ owner: id, events: profile.map((item) => task.event(item)) }));
  const pasts = [...(useTraining ? trained : []), ...(both || !useTraining ? pastsOf(units) : [])];
  return poolOf(withoutQuestions(pasts, units), {
    kind: both ? "training users and leave-one-out" : useTraining ? "training users" : "leave-one-out",
    askers: testUsers,
    dated: settings.visible === "before-query",
  });
}

export interface PoolSettings {
  readonly kind: string;
  /** The users who will ask. Only `size` depends on them. */
  readonly askers: Iterable<string>;
  /** Whether events dated after a question are hidden from it. */
  readonly dated: boolean;
}

/** The pool over ready events. Owners and dates are kept as numbers, so that a test of one event is two comparisons. */
export function poolOf(events: readonly PoolEvent[], { kind, askers, dated }: PoolSettings): OthersPool {
  const ownerNumbers = new Map<string, number>();
  const sizes: number[] = [];
  const owners = new Uint32Array(events.length);
  const orders = new Float64Array(events.length);
  for (const [index, { owner, event }] of events.entries()) {
    const number = ownerNumbers.get(owner) ?? ownerNumbers.size;
    ownerNumbers.set(owner, number);
    owners[index] = number;
    sizes[number] = (sizes[number] ?? 0) + 1;
    orders[index] = dateOrder(event.date) ?? Number.NaN; // undated: never later
  }
  const asking = [...new Set(askers)];
  const labelledBy = countLabelled(events);
  const allLabelled = [...labelledBy.values()].reduce((sum, count) => sum + count, 0);
  const size = Math.min(
    events.length,
    ...asking.map((user) => events.length - (sizes[ownerNumbers.get(user) ?? -1] ?? 0)),
  );
  const labelled = Math.min(allLabelled, ...asking.map((user) => allLabelled - (labelledBy.get(user) ?? 0)));
  const visibleTo: OthersPool["visibleTo"] = (user, date) => {
    const userNumber = ownerNumbers.get(user) ?? -1;
    const asked = (dated ? dateOrder(date) : undefined) ?? Number.POSITIVE_INFINITY;
    return (index) => index < owners.length && owners[index] !== userNumber && !(orders[index]! > asked);
  };
  return {
    kind,
    size,
    labelled,
    events,
    visibleTo,
    eventsFor(user, date) {
      const isVisible = visibleTo(user, date);
      return events.filter((_event, index) => isVisible(index));
    },
  };
}

// --- internal ---

interface Past {
  readonly owner: string;
  readonly events: readonly Event[];
}

function countLabelled(events: readonly PoolEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { owner, event } of events) if (event.label !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** Per test user, all events that any of the user's questions may see. */
function pastsOf(units: readonly Unit[]): Past[] {
  const byOwner = new Map<string, Map<string, Event>>();
  for (const { user } of units) {
    const events = byOwner.get(user.id) ?? new Map<string, Event>();
    for (const event of user.history) events.set(itemKey(event.fields), event);
    byOwner.set(user.id, events);
  }
  return [...byOwner].map(([owner, events]) => ({ owner, events: [...events.values()] }));
}

/** Flat, in the order of users and events. */
function withoutQuestions(pasts: readonly Past[], units: readonly Unit[]): PoolEvent[] {
  const questions = units.flatMap(({ examples }) => examples.map(({ question }) => question));
  const ids = new Set(questions.map(({ id }) => id));
  const texts = new Set(questions.map(({ content }) => normalized(content)).filter((text) => text !== ""));
  return pasts.flatMap(({ owner, events }) =>
    events
      .filter(({ id, content }) => !ids.has(id) && !texts.has(normalized(content)))
      .map((event) => ({ owner, event })),
  );
}

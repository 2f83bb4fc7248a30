import type { Dataset, Event, OthersPool, Task, Unit } from "../types.js";
import { dateOrder } from "./dates.js";
import { normalized } from "./same-content.js";
import { itemKey } from "./same-item.js";

export interface OthersSettings {
  readonly others: "auto" | "training-users" | "leave-one-out";
  readonly visible: "before-query" | "all";
}

/** The pool of other users, with its size. */
export interface SizedPool extends OthersPool {
  /** Events that the worst-off test user can draw from, dates apart. 0: the caller refuses to go on. */
  readonly size: number;
}

/**
 * Other users' labelled pasts: those of training users where the data set has them, else the other test users' visible pasts.
 * Never a test question, nor an item with the text of one; never an event of the asking user, nor of a test user passed off as
 * a training user.
 */
export function othersOf(dataset: Dataset, task: Task, settings: OthersSettings, units: readonly Unit[]): SizedPool {
  const training = settings.others === "leave-one-out" ? [] : (dataset.others ?? []);
  const useTraining = settings.others === "training-users" || training.length > 0;
  const testUsers = new Set(units.map(({ user }) => user.id));
  const pasts = useTraining
    ? training
        .filter(({ id }) => !testUsers.has(id))
        .map(({ id, profile }) => ({ owner: id, events: profile.map((item) => task.event(item)) }))
    : pastsOf(units);
  const pool = withoutQuestions(pasts, units);
  const ownSizes = new Map<string, number>();
  for (const { owner } of pool) ownSizes.set(owner, (ownSizes.get(owner) ?? 0) + 1);
  const dated = settings.visible === "before-query";
  return {
    kind: useTraining ? "training users" : "leave-one-out",
    size: Math.min(...[...testUsers].map((user) => pool.length - (ownSizes.get(user) ?? 0)), pool.length),
    eventsFor(user, date) {
      const asked = dated ? dateOrder(date) : undefined;
      return pool.filter(({ owner, order }) => owner !== user && (asked === undefined || !(order > asked)));
    },
  };
}

// --- internal ---

interface Past {
  readonly owner: string;
  readonly events: readonly Event[];
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

/** Flat, labelled, with each event's place in time (NaN where undated), in the order of users and events. */
function withoutQuestions(pasts: readonly Past[], units: readonly Unit[]) {
  const questions = units.flatMap(({ examples }) => examples.map(({ question }) => question));
  const ids = new Set(questions.map(({ id }) => id));
  const texts = new Set(questions.map(({ content }) => normalized(content)).filter((text) => text !== ""));
  return pasts.flatMap(({ owner, events }) =>
    events
      .filter(({ id, label, content }) => label !== undefined && !ids.has(id) && !texts.has(normalized(content)))
      .map((event) => ({ owner, event, order: dateOrder(event.date) ?? Number.NaN })),
  );
}

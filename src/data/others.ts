import { normalized } from "../text/words.js";
import type { Dataset, Event, Options, OthersPool, PoolEvent, Sequence, Task, Unit } from "../types/index.js";
import { dateOrder } from "./dates.js";
import type { dataOptions } from "./options.js";
import { itemKey } from "./same-content.js";
import { mergedByUser, unitsOf } from "./units.js";

export interface OthersSettings {
  readonly others: "auto" | "training-users" | "leave-one-out" | "all";
  readonly visible: "before-query" | "all";
}

/**
 * Gathers other users' pasts: those of training users where the data set has them, else the other test users' visible pasts, or both.
 * Never a test question, nor an item with the text of one; never an event of the asking user, nor of a test user passed off as
 * a training user.
 */
export function othersOf(
  dataset: Pick<Dataset, "others">,
  task: Task,
  settings: OthersSettings,
  units: Iterable<Unit>,
): OthersPool {
  const training = settings.others === "leave-one-out" ? [] : (dataset.others ?? []);
  const both = settings.others === "all";
  const useTraining = both || settings.others === "training-users" || training.length > 0;
  const kind = both ? "training users and leave-one-out" : useTraining ? "training users" : "leave-one-out";
  const open = (): OthersPool => {
    const askers = new Set<string>();
    for (const { user } of units) askers.add(user.id);
    const trained = training
      .filter(({ id }) => !askers.has(id))
      .map(({ id, profile }): Past => [id, profile.map((item) => task.event(item))]);
    const pasts = [...(useTraining ? trained : []), ...(both || !useTraining ? pastsOf(units) : [])];
    return poolOf(withoutQuestions(pasts, units), { kind, askers, dated: settings.visible === "before-query" });
  };
  const hasTraining = useTraining && training.length > 0;
  const isEmpty = (): boolean => !hasTraining && !((both || !useTraining) && hasTwoPasts(units));
  return openedLater(kind, open, isEmpty);
}

interface PoolSettings {
  readonly kind: string;
  /** The users who will ask. Only `size` depends on them. */
  readonly askers: Iterable<string>;
  /** True where events dated after a question are hidden from it. */
  readonly dated: boolean;
}

/** Makes the pool over ready events. Owners and dates are kept as numbers, so that a test of one event is two comparisons. */
export function poolOf(events: readonly PoolEvent[], { kind, askers, dated }: PoolSettings): OthersPool {
  const numbers = new Map<string, number>();
  const owners = new Uint32Array(events.length);
  const orders = new Float64Array(events.length);
  const [sizes, labels]: [number[], number[]] = [[], []];
  for (const [index, { owner, event }] of events.entries()) {
    const number = numbers.get(owner) ?? numbers.size;
    numbers.set(owner, number);
    owners[index] = number;
    orders[index] = dateOrder(event.date) ?? Number.NaN; // undated: never later
    sizes[number] = (sizes[number] ?? 0) + 1;
    labels[number] = (labels[number] ?? 0) + (event.label === undefined ? 0 : 1);
  }
  const asking = [...askers].flatMap((user) => numbers.get(user) ?? []);
  /** The pool size of the test user with most own events. */
  const smallest = (counts: readonly number[]): number =>
    counts.reduce((sum, count) => sum + count, 0) - Math.max(0, ...asking.map((number) => counts[number]!));
  const visibleTo: OthersPool["visibleTo"] = (user, date) => {
    const number = numbers.get(user) ?? -1;
    const asked = (dated ? dateOrder(date) : undefined) ?? Number.POSITIVE_INFINITY;
    return (index) => index < owners.length && owners[index] !== number && !(orders[index]! > asked);
  };
  return {
    ...{ kind, events, visibleTo },
    isEmpty: smallest(sizes) === 0,
    size: smallest(sizes),
    labelled: smallest(labels),
    eventsFor(user, date) {
      const isVisible = visibleTo(user, date);
      return events.filter((_event, index) => isVisible(index));
    },
  };
}

/** The pool that `open` makes, when something of it is asked for: most methods ask for nothing, and it holds everybody's past. */
function openedLater(kind: string, open: () => OthersPool, isEmpty: () => boolean): OthersPool {
  let opened: OthersPool | undefined;
  const pool = (): OthersPool => {
    opened ??= open();
    return opened;
  };
  return {
    kind,
    get isEmpty() {
      return isEmpty();
    },
    get size() {
      return pool().size;
    },
    get labelled() {
      return pool().labelled;
    },
    get events() {
      return pool().events;
    },
    visibleTo: (user, date) => pool().visibleTo(user, date),
    eventsFor: (user, date) => pool().eventsFor(user, date),
  };
}

/** Tells whether two users have a past: then nobody's pool of the others' pasts is empty. */
function hasTwoPasts(units: Iterable<Unit>): boolean {
  const owners = new Set<string>();
  for (const { user } of units) if (user.history.length > 0 && owners.add(user.id).size > 1) return true;
  return false;
}

type Past = readonly [owner: string, events: Iterable<Event>];

/** Per test user, all events that any of the user's questions may see. */
function pastsOf(units: Iterable<Unit>): Past[] {
  const byOwner = new Map<string, Map<string, Event>>();
  for (const { user } of units) {
    const events = byOwner.get(user.id) ?? new Map<string, Event>();
    for (const event of user.history) events.set(itemKey(event.fields), event);
    byOwner.set(user.id, events);
  }
  return [...byOwner].map(([owner, events]) => [owner, events.values()]);
}

/** Flat, in the order of users and events, without what is a question by its text, or by the id of a question of its own user. */
function withoutQuestions(pasts: readonly Past[], units: Iterable<Unit>): PoolEvent[] {
  const [ids, texts] = [new Set<string>(), new Set<string>()];
  const idOf = (user: string, id: string): string => JSON.stringify([user, id]); // files may number items anew for every user
  for (const { user, examples } of units)
    for (const { question } of examples) {
      ids.add(idOf(user.id, question.id));
      texts.add(normalized(question.content));
    }
  texts.delete("");
  return pasts.flatMap(([owner, events]) =>
    [...events]
      .filter(({ id, content }) => !texts.has(normalized(content)) && !ids.has(idOf(owner, id)))
      .map((event) => ({ owner, event })),
  );
}

/** The questions asked of a data set, with what may be seen for them. */
interface Seen {
  /** One per visible past; one per user in prequential mode and of dialogues. */
  readonly units: Sequence<Unit>;
  readonly others: OthersPool;
}

/** Cuts a loaded data set to what each question may see: the user's own past, and the pool of other users. */
export function seenOf(
  dataset: Dataset,
  task: Task,
  options: Pick<Options<typeof dataOptions>, "history.limit" | "history.visible" | "others" | "others.visible">,
  online: boolean,
): Seen {
  const { kind, count } = options["history.limit"];
  const historyLimit = kind === "latest" ? count : undefined;
  const units = unitsOf(dataset, task, { visible: options["history.visible"], historyLimit });
  const others = othersOf(dataset, task, { others: options.others, visible: options["others.visible"] }, units);
  return { units: online || task.dialogue === true ? mergedByUser(units) : units, others };
}

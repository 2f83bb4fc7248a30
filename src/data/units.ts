import { sha256 } from "../text/content-id.js";
import type {
  Dataset,
  Event,
  Example,
  Question,
  RawItem,
  RawQuery,
  Sequence,
  Task,
  Unit,
  UserData,
} from "../types/index.js";
import { byDate, dateOrder } from "./dates.js";
import { itemKey, sameContent } from "./same-content.js";
import { lazily, nth } from "./sequence.js";

interface UnitSettings {
  readonly visible: "strict" | "as-shipped";
  /** Keeps only so many of the latest visible events. */
  readonly historyLimit?: number | undefined;
}

/**
 * Groups the questions of each user by the history they may see: one Unit per distinct visible history, in date order (file order
 * where undated). The first unit of a user bears the user's id, further ones `id#2`, `id#3`, ... Where the users are in memory
 * the units are, else they are made when they are asked for.
 */
export function unitsOf({ users }: Pick<Dataset, "users">, task: Task, settings: UnitSettings): Sequence<Unit> {
  return madeOf(users, function* (all) {
    for (const user of all) yield* unitsOfUser(user, task, settings);
  });
}

/** Makes units: at once where the things are in memory, else whenever they are asked for. */
function madeOf<T>(things: Sequence<T>, make: (all: Iterable<T>) => Generator<Unit>): Sequence<Unit> {
  if (Array.isArray(things)) return [...make(things as readonly T[])];
  let length = 0;
  for (const _ of make(things)) length += 1;
  return lazily(
    length,
    () => make(things),
    (index) => nth(make(things), index),
  );
}

function unitsOfUser(user: UserData, task: Task, settings: UnitSettings): Unit[] {
  const shared = user.profile.map((item) => task.event(item));
  if (task.dialogue === true) return [dialogueOf(user, shared, task)];
  const groups = new Map<string, { readonly history: readonly Event[]; readonly examples: Example[] }>();
  const keyOf = keepKeys();
  const pasts = new Map<readonly RawItem[], readonly Event[]>([[user.profile, shared]]); // questions may share one window
  for (const query of byDate(user.queries)) {
    const question = asked(query, task, settings);
    const window = query.profile ?? user.profile;
    const past = pasts.get(window) ?? window.map((item) => task.event(item));
    pasts.set(window, past);
    const hidden = settings.visible === "strict" ? hiddenReason(question) : () => undefined;
    const visible = past.filter((event) => hidden(event) === undefined);
    const history = visible.slice(-(settings.historyLimit ?? Infinity));
    const key = user.queries.length === 1 ? "" : history.map(keyOf).join("\n"); // a question alone needs none
    const group = groups.get(key) ?? { history, examples: [] };
    group.examples.push(exampleOf(query, question));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ history, examples }, index) => ({
    id: index === 0 ? user.id : `${user.id}#${index + 1}`,
    user: { id: user.id, history },
    examples,
  }));
}

/** Reads a question; as shipped, it searches as the official script does. */
function asked({ rubric: _, ...query }: RawQuery, task: Task, { visible }: UnitSettings): Question {
  const question = task.question(query);
  const official = visible === "as-shipped" ? task.officialQuery?.(query.input) : undefined;
  return official === undefined ? question : { ...question, query: official };
}

/** Makes one unit: the turns in order, and as the history the persona, as far as it is not dated behind the first of them. */
function dialogueOf(user: UserData, persona: readonly Event[], task: Task): Unit {
  const examples = byDate(user.queries).map((query) => exampleOf(query, task.question(query)));
  const [first] = examples;
  const isLater = first === undefined ? () => false : laterThan(first.question);
  return { id: user.id, user: { id: user.id, history: persona.filter((event) => !isLater(event)) }, examples };
}

function exampleOf({ gold, before, order, cluster, tags, rubric }: RawQuery, question: Question): Example {
  const facts = { ...(order && { order }), ...(cluster && { cluster }), ...(tags && { tags }) };
  return {
    question,
    ...(gold === undefined ? {} : { gold }),
    ...(before === undefined ? {} : { before }),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    ...(rubric === undefined ? {} : { rubric }),
  };
}

/** Returns a function to the keys of events by what is in them, each worked out once. */
function keepKeys(): (event: Event) => string {
  const keys = new Map<Event, string>();
  return (event) => {
    const key = keys.get(event) ?? sha256(itemKey(event.fields)).slice(0, 16);
    keys.set(event, key);
    return key;
  };
}

/**
 * Judges events for one question: undefined for a visible event, else the reason to hide it. `own`: the question's own id;
 * `later`: dated after the question; `sameText`: its content is the question's. Source: METHODS 0.2.
 */
export function hiddenReason(question: Question): (event: Event) => "own" | "later" | "sameText" | undefined {
  const isLater = laterThan(question);
  const isSame = sameContent(question.content);
  return (event) => {
    if (event.id === question.id) return "own";
    if (isLater(event)) return "later";
    return isSame(event.content) ? "sameText" : undefined;
  };
}

/** Tells whether an event is dated after the question. Nothing is later than an undated question, nor an undated event. */
function laterThan(question: Question): (event: Event) => boolean {
  const asked = dateOrder(question.date) ?? Number.NaN;
  return (event) => (dateOrder(event.date) ?? Number.NaN) > asked;
}

/**
 * Makes one unit per user for prequential mode: all of the user's questions in order of time, and as the past to start from
 * only what every one of them may see, so that what is hidden from a later question never enters its memory.
 */
export const mergedByUser = (units: Sequence<Unit>): Sequence<Unit> => madeOf(units, mergedUsers);

/** The units of one user stand together. */
function* mergedUsers(units: Iterable<Unit>): Generator<Unit> {
  let ofUser: Unit[] = [];
  for (const unit of units) {
    if (ofUser[0] !== undefined && ofUser[0].user.id !== unit.user.id) {
      yield mergedUser(ofUser);
      ofUser = [];
    }
    ofUser.push(unit);
  }
  if (ofUser.length > 0) yield mergedUser(ofUser);
}

function mergedUser(units: readonly Unit[]): Unit {
  const { id, history } = units[0]!.user; // one at least
  const others = units.slice(1).map(({ user }) => new Set(user.history.map(({ fields }) => itemKey(fields))));
  const common = history.filter(({ fields }) => others.every((keys) => keys.has(itemKey(fields))));
  const dated = units.flatMap(({ examples }) => examples.map((example) => ({ ...example.question, example })));
  return { id, user: { id, history: common }, examples: byDate(dated).map(({ example }) => example) };
}

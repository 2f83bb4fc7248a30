import { sha256 } from "../text/content-id.js";
import type {
  Dataset,
  Event,
  Example,
  Question,
  RawItem,
  RawQuery,
  RowFacts,
  Sequence,
  Task,
  Unit,
  UserData,
} from "../types/index.js";
import { byDate, dateOrder } from "./dates.js";
import { itemKey, sameContent } from "./same-content.js";
import { lazily, nth } from "./sequence.js";

interface UnitSettings {
  readonly visible: Visibility;
  /** Keeps only so many of the latest visible events. */
  readonly historyLimit?: number | undefined;
}

/**
 * Groups the questions of each user by the past they may see: one Unit per distinct visible history, in date order (file order
 * where undated). The first unit of a user bears the user's id, further ones `id#2`, `id#3`, ... Where the users are in memory
 * the units are, else they are made when they are asked for.
 */
export function unitsOf({ users }: Pick<Dataset, "users">, task: Task, settings: UnitSettings): Sequence<Unit> {
  if (Array.isArray(users)) return (users as readonly UserData[]).flatMap((user) => unitsOfUser(user, task, settings));
  let count = 0;
  for (const user of users) count += unitsOfUser(user, task, settings).length;
  const each = function* (): Generator<Unit> {
    for (const user of users) yield* unitsOfUser(user, task, settings);
  };
  return lazily(count, each, (index) => nth(each(), index));
}

function unitsOfUser(user: UserData, task: Task, settings: UnitSettings): Unit[] {
  const shared = user.profile.map((item) => task.event(item));
  if (task.dialogue === true) return [dialogueOf(user, shared, task)];
  const groups = new Map<string, { readonly history: readonly Event[]; readonly examples: Example[] }>();
  const keyOf = keepKeys();
  const pasts = new Map<readonly RawItem[], readonly Event[]>(); // questions may share one window
  for (const query of byDate(user.queries)) {
    const question = task.question(query);
    const window = query.profile ?? user.profile;
    const past = pasts.get(window) ?? (window === user.profile ? shared : window.map((item) => task.event(item)));
    pasts.set(window, past);
    const visible = visibleHistory(past, question, settings.visible);
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

/** One unit: the turns in order, and as the past the persona, as far as it is not dated behind the first of them. */
function dialogueOf(user: UserData, persona: readonly Event[], task: Task): Unit {
  const examples = byDate(user.queries).map((query) => exampleOf(query, task.question(query)));
  const [first] = examples;
  const isLater = first === undefined ? () => false : laterThan(first.question);
  const history = persona.filter((event) => !isLater(event));
  return { id: user.id, user: { id: user.id, history }, examples };
}

const exampleOf = ({ gold, before, ...query }: RawQuery, question: Question): Example => ({
  question,
  ...(gold === undefined ? {} : { gold }),
  ...(before === undefined ? {} : { before }),
  ...factsOf(query),
});

function factsOf({ order, cluster, tags }: RowFacts): Pick<Example, "facts"> {
  if (order === undefined && cluster === undefined && tags === undefined) return {};
  return { facts: { ...(order && { order }), ...(cluster && { cluster }), ...(tags && { tags }) } };
}

/** Keys of events by what is in them, each worked out once. */
function keepKeys(): (event: Event) => string {
  const keys = new Map<Event, string>();
  return (event) => {
    const key = keys.get(event) ?? sha256(itemKey(event.fields)).slice(0, 16);
    keys.set(event, key);
    return key;
  };
}

type Visibility = "strict" | "as-shipped";

/** Why `history.visible=strict` hides an event from a question. */
type Hidden = "own" | "later" | "sameText";

/**
 * Judges events for one question: undefined for a visible event, else the reason to hide it. `own`: the question's own id;
 * `later`: dated after the question; `sameText`: its content is the question's. Source: METHODS 0.2.
 */
export function hiddenFrom(question: Question): (event: Event) => Hidden | undefined {
  const isLater = laterThan(question);
  const isSame = sameContent(question.content);
  return (event) => {
    if (event.id === question.id) return "own";
    if (isLater(event)) return "later";
    return isSame(event.content) ? "sameText" : undefined;
  };
}

/** Whether an event is dated after the question. Nothing is later than an undated question, nor an undated event. */
function laterThan(question: Question): (event: Event) => boolean {
  const asked = dateOrder(question.date) ?? Number.NaN;
  return (event) => (dateOrder(event.date) ?? Number.NaN) > asked;
}

/** V(u, q): the events a question may see, in order. */
function visibleHistory(events: readonly Event[], question: Question, visibility: Visibility): readonly Event[] {
  if (visibility === "as-shipped") return events;
  const judge = hiddenFrom(question);
  return events.filter((event) => judge(event) === undefined);
}

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

import { sha256 } from "../text/content-id.js";
import type { Dataset, Event, Example, Question, RawQuery, Sequence, Task, Unit, UserData } from "../types.js";
import { byDate } from "./dates.js";
import { NEAR, nearTwins } from "./near-twins.js";
import { type NearTwinSettings, ownTwins, refuseTwin } from "./own-twins.js";
import { itemKey } from "./same-item.js";
import { lazily, nth } from "./sequence.js";
import { type HiddenCounts, laterThan, type Visibility, visibleHistory } from "./visible.js";

interface UnitSettings extends Partial<NearTwinSettings> {
  readonly visible: Visibility;
  /** Keeps only so many of the latest visible events. */
  readonly historyLimit?: { readonly kind: "latest"; readonly count: number } | undefined;
}

export interface Units {
  readonly units: Sequence<Unit>;
  /** Events hidden, summed over questions (an event hidden from three questions counts three times). */
  readonly removed: Readonly<HiddenCounts>;
  /** Further events that are nearly a question's text, counted alike: hidden where the settings say so, else shown. May be counted when asked for. */
  readonly nearTwins: number;
  /** Counts them in short steps, so that other work can go on between; they are known when it ends. Absent: that takes no time. */
  readonly counting?: () => Generator<undefined, void>;
}

/**
 * Groups the questions of each user by the past they may see: one Unit per distinct visible history, in date order (file order
 * where undated). The first unit of a user bears the user's id, further ones `id#2`, `id#3`, ... Where the users are in memory
 * the units are, else they are made when they are asked for.
 */
export function unitsOf({ users }: Pick<Dataset, "users">, task: Task, settings: UnitSettings): Units {
  const counts = nothingCounted();
  if (Array.isArray(users)) {
    const held = users as readonly UserData[];
    const isLater = (settings.nearTwins ?? "show") === "show"; // nothing but a remark depends on them
    const all = held.flatMap((user) => unitsOfUser(user, task, { ...settings, counted: isLater }, counts));
    const { removed } = counts;
    let found = isLater ? undefined : counts.nearTwins;
    const inSteps = function* () {
      found ??= yield* countTwins(held, all, task, settings);
    };
    return {
      units: all,
      removed,
      get nearTwins() {
        for (const _ of inSteps());
        return found ?? 0;
      },
      ...(isLater && all.length > FEW_UNITS ? { counting: inSteps } : {}),
    };
  }
  let count = 0;
  for (const user of users) count += unitsOfUser(user, task, settings, counts).length;
  const again = { ...settings, counted: true };
  const each = function* (): Generator<Unit> {
    for (const user of users) yield* unitsOfUser(user, task, again, nothingCounted());
  };
  return { units: lazily(count, each, (index) => nth(each(), index)), ...counts };
}

/** Of so many units near twins are counted in a few milliseconds. */
const FEW_UNITS = 500;
/** Some milliseconds' work: a reply that waits for a step to end waits no longer, but for one user whose past is longer by far. */
const ITEMS_A_STEP = 400;

/** Tells whether another step begins where so many past items more are looked at. */
function stepsOf(most: number): (items: number) => boolean {
  let looked = 0;
  return (items) => {
    looked += 1 + items;
    if (looked <= most) return false;
    looked = 1 + items;
    return true;
  };
}

interface Counts {
  readonly removed: HiddenCounts;
  nearTwins: number;
}

const nothingCounted = (): Counts => ({ removed: { own: 0, later: 0, sameText: 0 }, nearTwins: 0 });

/** `counted`: near twins that are shown have been counted before, and need not be looked for. */
type UserSettings = UnitSettings & { readonly counted?: boolean };

function unitsOfUser(user: UserData, task: Task, settings: UserSettings, counts: Counts): Unit[] {
  const shared = user.profile.map((item) => task.event(item));
  if (task.dialogue === true) return [dialogueOf(user, shared, task, counts.removed)];
  const withoutTwins = twinFilter(user, shared, task, settings, counts);
  const groups = new Map<string, { readonly history: readonly Event[]; readonly examples: Example[] }>();
  const keyOf = keepKeys();
  for (const query of byDate(user.queries)) {
    const question = task.question(query);
    const past = query.profile?.map((item) => task.event(item)) ?? shared;
    const visible = visibleHistory(past, question, settings.visible, counts.removed);
    const history = latest(withoutTwins(query, visible), settings);
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

/** How many of the past items that the questions of these users may see are near twins of them, all units known. */
function* countTwins(
  users: readonly UserData[],
  units: readonly Unit[],
  task: Task,
  settings: UnitSettings,
): Generator<undefined, number> {
  if (task.dialogue === true) return 0;
  const counts = nothingCounted();
  // All that is visible stands in the units: users with one question need no second look at their past.
  const again = users.filter(({ queries }) => settings.historyLimit !== undefined || queries.length !== 1);
  const beginsStep = stepsOf(ITEMS_A_STEP);
  for (const user of again) {
    const items = user.queries.reduce((sum, { profile }) => sum + (profile ?? user.profile).length, 0);
    if (beginsStep(items)) yield;
    unitsOfUser(user, task, settings, counts);
  }
  const ids = new Set(again.map(({ id }) => id));
  for (const { user, examples } of units) {
    if (ids.has(user.id)) continue;
    if (beginsStep(user.history.length)) yield;
    const search = nearTwins([examples[0]!.question.content], settings.near);
    for (const { content } of user.history) if (search.of(content).length > 0) counts.nearTwins += 1;
  }
  return counts.nearTwins;
}

/** Counts near twins of the user's questions, and takes them out where the settings say so. */
function twinFilter(
  user: UserData,
  shared: readonly Event[],
  task: Task,
  { nearTwins: what = "show", near = NEAR, counted = false }: UserSettings,
  counts: Counts,
): (query: RawQuery, events: readonly Event[]) => readonly Event[] {
  if (counted && what === "show") return (_query, events) => events;
  const common = user.queries.every(({ profile }) => profile === undefined) ? shared : undefined;
  const isTwin = ownTwins(user, common, task, near);
  return (query, events) => {
    const found = events.filter((event) => isTwin(query, event));
    if (found.length === 0) return events;
    const twins = new Set(found);
    for (const { id } of twins) refuseTwin({ nearTwins: what, near }, `user ${user.id}: past item ${id}`, query.id);
    counts.nearTwins += twins.size;
    return what === "hide" ? events.filter((event) => !twins.has(event)) : events;
  };
}

/** One unit: the turns in order, and as the past the persona, as far as it is not dated behind the first of them. */
function dialogueOf(user: UserData, persona: readonly Event[], task: Task, removed: HiddenCounts): Unit {
  const examples = byDate(user.queries).map((query) => exampleOf(query, task.question(query)));
  const [first] = examples;
  const isLater = first === undefined ? () => false : laterThan(first.question);
  const history = persona.filter((event) => !isLater(event));
  removed.later += persona.length - history.length;
  return { id: user.id, user: { id: user.id, history }, examples };
}

const exampleOf = ({ gold, before }: RawQuery, question: Question): Example => ({
  question,
  ...(gold === undefined ? {} : { gold }),
  ...(before === undefined ? {} : { before }),
});

/** Keys of events by what is in them, each worked out once. */
function keepKeys(): (event: Event) => string {
  const keys = new Map<Event, string>();
  return (event) => {
    const key = keys.get(event) ?? sha256(itemKey(event.fields)).slice(0, 16);
    keys.set(event, key);
    return key;
  };
}

function latest(history: readonly Event[], settings: UnitSettings): readonly Event[] {
  return settings.historyLimit === undefined ? history : history.slice(-settings.historyLimit.count);
}

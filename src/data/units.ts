import { sha256 } from "../text/content-id.js";
import type { Dataset, Event, Example, Sequence, Task, Unit, UserData } from "../types.js";
import { byDate } from "./dates.js";
import { itemKey } from "./same-item.js";
import { lazily, nth } from "./sequence.js";
import { type HiddenCounts, type Visibility, visibleHistory } from "./visible.js";

export interface UnitSettings {
  readonly visible: Visibility;
  /** Keeps only so many of the latest visible events. */
  readonly historyLimit?: { readonly kind: "latest"; readonly count: number } | undefined;
}

export interface Units {
  readonly units: Sequence<Unit>;
  /** Events hidden, summed over questions (an event hidden from three questions counts three times). */
  readonly removed: Readonly<HiddenCounts>;
}

/**
 * Groups the questions of each user by the past they may see: one Unit per distinct visible history, in date order (file order
 * where undated). The first unit of a user bears the user's id, further ones `id#2`, `id#3`, ... Where the users are in memory
 * the units are, else they are made when they are asked for.
 */
export function unitsOf({ users }: Pick<Dataset, "users">, task: Task, settings: UnitSettings): Units {
  const removed = nothingHidden();
  if (Array.isArray(users)) {
    const all = (users as readonly UserData[]).flatMap((user) => unitsOfUser(user, task, settings, removed));
    return { units: all, removed };
  }
  let count = 0;
  for (const user of users) count += unitsOfUser(user, task, settings, removed).length;
  const each = function* (): Generator<Unit> {
    for (const user of users) yield* unitsOfUser(user, task, settings, nothingHidden());
  };
  return { units: lazily(count, each, (index) => nth(each(), index)), removed };
}

// --- internal ---

const nothingHidden = (): HiddenCounts => ({ own: 0, later: 0, sameText: 0 });

function unitsOfUser(user: UserData, task: Task, settings: UnitSettings, removed: HiddenCounts): Unit[] {
  const shared = user.profile.map((item) => task.event(item));
  const groups = new Map<string, { readonly history: readonly Event[]; readonly examples: Example[] }>();
  const keyOf = user.queries.length === 1 ? () => "" : keepKeys(); // a question alone needs none
  for (const query of byDate(user.queries)) {
    const question = task.question(query);
    const past = query.profile?.map((item) => task.event(item)) ?? shared;
    const history = latest(visibleHistory(past, question, settings.visible, removed), settings);
    const key = history.map(keyOf).join("\n");
    const group = groups.get(key) ?? { history, examples: [] };
    group.examples.push({ question, ...(query.gold === undefined ? {} : { gold: query.gold }) });
    groups.set(key, group);
  }
  return [...groups.values()].map(({ history, examples }, index) => ({
    id: index === 0 ? user.id : `${user.id}#${index + 1}`,
    user: { id: user.id, history },
    examples,
  }));
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

function latest(history: readonly Event[], settings: UnitSettings): readonly Event[] {
  return settings.historyLimit === undefined ? history : history.slice(-settings.historyLimit.count);
}

import { UsageError } from "../errors.js";
import type { RawItem, RawQuery, Task, UserData } from "../types/index.js";
import { byDate } from "./dates.js";
import { itemKey } from "./same-content.js";
import type { UserRecord } from "./source.js";

/**
 * Where a user's time line is cut into past and test.
 * questions: all official questions are asked, and the past is what every one of them may see (as OPPU's files are made).
 * dev: only dev questions are asked. share: the last share of the items themselves is asked.
 */
export type Cut =
  | { readonly kind: "questions" }
  | { readonly kind: "dev" }
  | { readonly kind: "share"; readonly share: number };

export interface CutUser {
  readonly user: UserData;
  /** The user's questions that are not asked, with gold. */
  readonly earlier: readonly RawQuery[];
}

/** Reads `questions`, `dev` or `share:0.4`. Throws UsageError. */
export function readCut(text: string): Cut {
  if (text === "questions" || text === "dev") return { kind: text };
  const share = Number(/^share:(\d*\.\d+)$/.exec(text)?.[1] ?? Number.NaN);
  if (share > 0 && share < 1) return { kind: "share", share };
  throw new UsageError(`--cut ${text}: expected questions, dev or share:X with X between 0 and 1 (share:0.4)`);
}

/** Whether the questions of an official part (`train`, `dev`) are asked. */
export const isAskedPart = (part: string, cut: Cut): boolean => cut.kind !== "dev" || part === "dev";

/** One user's records, train before dev, cut into past and questions. */
export function cutUser(id: string, records: readonly UserRecord[], task: Task, cut: Cut): CutUser {
  if (cut.kind === "share") return cutItems(id, records, task, cut.share);
  const isAsked = ({ where }: UserRecord): boolean => cut.kind === "questions" || where.includes("dev_questions.json");
  const queries = records.filter(isAsked).flatMap((record) => record.queries);
  const earlier = records.filter((record) => !isAsked(record)).flatMap((record) => record.queries.map(withoutWindow));
  return { user: { id, profile: commonWindow(queries), queries: queries.map(withoutWindow) }, earlier };
}

const withoutWindow = ({ profile: _window, ...query }: RawQuery): RawQuery => query;

/** The items that every question may see, oldest first. */
function commonWindow(queries: readonly RawQuery[]): readonly RawItem[] {
  const [first, ...rest] = queries.map(({ profile }) => profile ?? []);
  const others = rest.map((window) => new Set(window.map(itemKey)));
  return (first ?? []).filter((item) => others.every((keys) => keys.has(itemKey(item))));
}

function cutItems(id: string, records: readonly UserRecord[], task: Task, share: number): CutUser {
  const items = new Map<string, RawItem>();
  for (const { queries } of records)
    for (const { profile = [] } of queries) for (const item of profile) items.set(itemKey(item), item);
  const line = byDate([...items.values()]);
  if (line.some(({ date }) => date === undefined))
    throw new UsageError(`--cut share: user ${id} has undated items, whose order means nothing; use --cut questions`);
  const past = line.length - Math.floor(line.length * share);
  const queries = line.slice(past).flatMap((item): RawQuery[] => {
    const event = task.event(item);
    const asked = task.pose(event);
    if (asked === undefined || event.label === undefined) return [];
    return [{ id: item.id, input: asked.text, gold: event.label, date: item.date! }];
  });
  return { user: { id, profile: line.slice(0, past), queries }, earlier: [] };
}

import type { RawItem, Task } from "../types/index.js";
import { dateOrder } from "./dates.js";
import { hasListedLabels } from "./record.js";
import type { Source } from "./source.js";

/** What stands in one part of a data set. */
export interface PartFacts {
  readonly part: "test" | "training";
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  readonly users: number;
  readonly questions: number;
  readonly withoutGold: number;
  /** Items per history (per question where each brings its own). */
  readonly historyLengths: { readonly min: number; readonly median: number; readonly max: number } | undefined;
  readonly undatedItems: number;
  readonly items: number;
  readonly dates: { readonly first: string; readonly last: string } | undefined;
  /** How often each answer is the gold one, most frequent first; empty for free text. */
  readonly golds: readonly (readonly [string, number])[];
  /** The same for the labels of past items. */
  readonly labels: readonly (readonly [string, number])[];
}

/** Counts a data set, streaming: memory holds numbers only. */
export async function inspect(source: Source, task: Task): Promise<readonly PartFacts[]> {
  const parts = [await inspectPart("test", source.test, task)];
  if (source.training !== undefined) parts.push(await inspectPart("training", source.training, task));
  return parts;
}

async function inspectPart(part: PartFacts["part"], stream: Source["test"], task: Task): Promise<PartFacts> {
  const users = new Set<string>();
  const lengths: number[] = [];
  const [golds, labels] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  let [questions, withoutGold, undatedItems, items] = [0, 0, 0, 0];
  let [first, last]: (string | undefined)[] = [];
  const noteDate = (date: string | undefined): void => {
    if (date === undefined) return;
    if (first === undefined || dateOrder(date)! < dateOrder(first)!) first = date; // dates were checked when they were read
    if (last === undefined || dateOrder(date)! > dateOrder(last)!) last = date;
  };
  const readHistory = (history: readonly RawItem[]): void => {
    lengths.push(history.length);
    items += history.length;
    for (const item of history) {
      if (item.date === undefined) undatedItems++;
      noteDate(item.date);
      const label = hasListedLabels(task) ? task.event(item).label : undefined;
      if (label !== undefined) count(labels, label);
    }
  };
  const files = await stream(({ user, profile, queries }) => {
    users.add(user);
    if (profile.length > 0 || queries.every((query) => query.profile === undefined)) readHistory(profile);
    for (const query of queries) {
      questions++;
      noteDate(query.date);
      if (query.gold === undefined) withoutGold++;
      else if (task.kind !== "text") count(golds, query.gold);
      if (query.profile !== undefined) readHistory(query.profile);
    }
  });
  return {
    part,
    files: files.map(({ file, bytes, sha256 }) => ({ name: file, bytes, sha256 })),
    ...{ users: users.size, questions, withoutGold },
    historyLengths: spread(lengths),
    ...{ undatedItems, items },
    dates: first === undefined || last === undefined ? undefined : { first, last },
    ...{ golds: byCount(golds), labels: byCount(labels) },
  };
}

function spread(lengths: readonly number[]): PartFacts["historyLengths"] {
  if (lengths.length === 0) return undefined;
  const sorted = [...lengths].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { min: sorted[0]!, median, max: sorted.at(-1)! };
}

const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

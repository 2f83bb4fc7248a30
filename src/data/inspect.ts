import type { RawItem, RawQuery, Task } from "../types/index.js";
import { dateOrder } from "./dates.js";
import type { FileFacts } from "./file-text.js";
import { hasListedLabels } from "./record.js";
import type { Source, Visit } from "./source.js";

/** What stands in one part of a data set. */
export interface PartFacts {
  /** `test` or `training`. */
  readonly part: string;
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

async function inspectPart(
  part: string,
  stream: (visit: Visit) => Promise<readonly FileFacts[]>,
  task: Task,
): Promise<PartFacts> {
  const users = new Set<string>();
  const lengths: number[] = [];
  const golds = new Map<string, number>();
  const labels = new Map<string, number>();
  const dates = dateRange();
  let questions = 0;
  let withoutGold = 0;
  let undatedItems = 0;
  let items = 0;
  const readHistory = (history: readonly RawItem[]): void => {
    lengths.push(history.length);
    items += history.length;
    for (const item of history) {
      if (item.date === undefined) undatedItems++;
      dates.add(item.date);
      const label = hasListedLabels(task) ? task.event(item).label : undefined;
      if (label !== undefined) labels.set(label, (labels.get(label) ?? 0) + 1);
    }
  };
  const readQuestion = (query: RawQuery): void => {
    questions++;
    dates.add(query.date);
    if (query.gold === undefined) withoutGold++;
    else if (task.kind !== "text") golds.set(query.gold, (golds.get(query.gold) ?? 0) + 1);
    if (query.profile !== undefined) readHistory(query.profile);
  };
  const files = await stream(({ user, profile, queries }) => {
    users.add(user);
    if (profile.length > 0 || queries.every((query) => query.profile === undefined)) readHistory(profile);
    for (const query of queries) readQuestion(query);
  });
  return {
    part,
    files: files.map(({ file, bytes, sha256 }) => ({ name: file, bytes, sha256 })),
    users: users.size,
    questions,
    withoutGold,
    historyLengths: spread(lengths),
    undatedItems,
    items,
    dates: dates.range(),
    golds: byCount(golds),
    labels: byCount(labels),
  };
}

function dateRange() {
  let first: string | undefined;
  let last: string | undefined;
  return {
    add(date: string | undefined): void {
      const order = dateOrder(date);
      if (date === undefined || order === undefined) return;
      if (first === undefined || order < (dateOrder(first) ?? 0)) first = date;
      if (last === undefined || order > (dateOrder(last) ?? 0)) last = date;
    },
    range: () => (first === undefined || last === undefined ? undefined : { first, last }),
  };
}

function spread(lengths: number[]): PartFacts["historyLengths"] {
  const sorted = lengths.sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? 0;
  if (sorted.length === 0) return undefined;
  const median = (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
  return { min: at(0), median, max: at(sorted.length - 1) };
}

const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

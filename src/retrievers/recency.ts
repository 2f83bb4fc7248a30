import { UsageError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { Retriever, Search } from "../types/index.js";

/** The newest events, whatever the query. */
export const recency: Retriever = {
  name: "recency",
  summary: "the newest first, whatever the query",
  source: "LaMP rank_profiles.py (recency)",
  ignoresQuery: true,
  async index(documents) {
    const dates = documents.map(({ date }) => date);
    let newestFirst = recencyOrder(dates);
    const search: Search = async (_query, k) =>
      newestFirst.slice(0, Math.max(0, k)).map((index, rank) => ({ index, score: newestFirst.length - rank }));
    search.add = async ({ date }) => {
      dates.push(date);
      newestFirst = recencyOrder(dates);
    };
    return search;
  },
};

/**
 * Returns document numbers, newest first, as LaMP orders them: by the tuple of whole numbers between the hyphens of the date,
 * of equal dates the later in the file first; `2014` comes before `2014-01-01`, so it counts as older.
 * Where a document has no date, file order is the chronology. Throws UsageError for a date that is not numbers.
 */
export function recencyOrder(dates: readonly (string | undefined)[]): number[] {
  const order = dates.map((_, index) => index);
  const known = dates.filter((date) => date !== undefined);
  if (known.length === dates.length) {
    const tuples = known.map(dateTuple);
    order.sort((a, b) => compareTuples(tuples[a]!, tuples[b]!));
  }
  return order.reverse();
}

function dateTuple(date: string): number[] {
  return date.split(/[-T:]/).map((part) => {
    const digits = pyStrip(part);
    if (!/^\+?\d+(_\d+)*$/.test(digits)) throw new UsageError(`date "${date}": expected YYYY-MM-DD or YYYY`);
    return Number(digits.replaceAll("_", ""));
  });
}

function compareTuples(a: readonly number[], b: readonly number[]): number {
  for (let part = 0; part < Math.min(a.length, b.length); part++) if (a[part] !== b[part]) return a[part]! - b[part]!;
  return a.length - b.length;
}

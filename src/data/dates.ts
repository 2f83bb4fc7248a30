const DATE = /^(\d{1,4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/;

/** True for `YYYY`, `YYYY-MM` and `YYYY-MM-DD`. */
export const isDate = (text: string): boolean => DATE.test(text);

/**
 * A number that orders dates as LaMP does, by `tuple(int(x) for x in date.split("-"))`: a bare year comes before every day of
 * that year. Undefined for no date. Source: LaMP rank_profiles.py.
 */
export function dateOrder(date: string | undefined): number | undefined {
  const parts = date === undefined ? null : DATE.exec(date);
  return parts === null ? undefined : Number(parts[1]) * 10_000 + Number(parts[2] ?? 0) * 100 + Number(parts[3] ?? 0);
}

/**
 * Oldest first, ties in given order. An undated thing goes where the dated one before it in the given order goes (first where
 * there is none), so that one missing date does not undo the order of all others. All undated: unchanged.
 */
export function byDate<T extends { readonly id: string; readonly date?: string }>(things: readonly T[]): readonly T[] {
  let latest = Number.NEGATIVE_INFINITY;
  const keyed = things.map((thing) => {
    latest = dateOrder(thing.date) ?? latest;
    return { thing, order: latest };
  });
  return keyed.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order)).map(({ thing }) => thing);
}

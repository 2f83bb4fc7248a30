const DATE = /^(\d{1,4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/;

/** True for the years, months and days of the calendar, as `YYYY`, `YYYY-MM` and `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  return parts !== null && isOfCalendar(Number(parts[1]), Number(parts[2] ?? 1), Number(parts[3] ?? 1));
}

/**
 * A number that orders dates as LaMP does, by `tuple(int(x) for x in date.split("-"))`: a bare year comes before every day of
 * that year. Undefined for no date. Source: LaMP rank_profiles.py.
 */
export function dateOrder(date: string | undefined): number | undefined {
  if (date === undefined) return undefined;
  const parts = DATE.exec(date);
  return parts === null ? undefined : Number(parts[1]) * 10_000 + Number(parts[2] ?? 0) * 100 + Number(parts[3] ?? 0);
}

/** Whether `date` is the year or the month that `whole` lies in, so that nobody knows which comes first. */
export function isPartOf(date: string | undefined, whole: string | undefined): boolean {
  const [parts = [], all = []] = [date, whole].map((text) =>
    DATE.exec(text ?? "")
      ?.slice(1)
      .flatMap((part) => part ?? []),
  );
  return parts.length > 0 && parts.length < all.length && parts.every((part, at) => Number(part) === Number(all[at]));
}

/**
 * Oldest first, ties in given order. An undated thing goes where the dated one before it in the given order goes (first where
 * there is none), so that one missing date does not undo the order of all others. All undated: unchanged.
 */
export function byDate<T extends { readonly id: string; readonly date?: string }>(things: readonly T[]): readonly T[] {
  if (areInOrder(things)) return things;
  let latest = Number.NEGATIVE_INFINITY;
  const keyed = things.map((thing) => {
    latest = dateOrder(thing.date) ?? latest;
    return { thing, order: latest };
  });
  return keyed.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order)).map(({ thing }) => thing);
}

function areInOrder(things: readonly { readonly date?: string }[]): boolean {
  let latest = Number.NEGATIVE_INFINITY;
  for (const { date } of things) {
    const order = dateOrder(date) ?? latest;
    if (order < latest) return false;
    latest = order;
  }
  return true;
}

const isOfCalendar = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysOf(month, year);

function daysOf(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

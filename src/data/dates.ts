const DATE = /^(\d{1,4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:T(\d\d):(\d\d):(\d\d))?$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z|[+-]\d\d):?(\d\d)?)?$/i;

/** The year, month, day, hour, minute and second of a date, as far as it names them; none of a text that is no date. */
const partsOf = (text: string | undefined): number[] =>
  (DATE.exec(text ?? "") ?? []).slice(1).flatMap((part) => (part === undefined ? [] : [Number(part)]));

/**
 * Returns a date of the calendar as `YYYY`, `YYYY-MM` or `YYYY-MM-DD` (of `YYYYMMDD` too), or a time in UTC as `YYYY-MM-DDThh:mm:ss`: of
 * ISO 8601 (without a zone taken as UTC) and of Unix, in seconds or milliseconds. Undefined for anything else.
 */
export function readDate(text: string): string | undefined {
  const date = text.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
  if (isDate(date)) return date;
  const [, day = "", time = "", zone = "Z", minutes] = DATE_TIME.exec(text) ?? [];
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone}:${minutes ?? "00"}`;
  const isSeconds = /^\d{9,10}(?:\.\d+)?$/.test(text);
  const isUnix = isSeconds || /^\d{12,13}$/.test(text);
  const ms = isUnix
    ? Number(text) * (isSeconds ? 1000 : 1)
    : isDate(day)
      ? Date.parse(`${day}T${time}${offset}`)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, SECONDS_END);
}

const SECONDS_END = "YYYY-MM-DDThh:mm:ss".length;

function isDate(text: string): boolean {
  const [year, month = 1, day = 1] = partsOf(text);
  if (year === undefined) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day); // `Date.UTC` takes 99 for 1999
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * Returns a number that orders dates as LaMP does, by `tuple(int(x) for x in date.split("-"))`: a bare year comes before every day of
 * that year. Undefined for no date. Source: LaMP rank_profiles.py.
 */
export function dateOrder(date: string | undefined): number | undefined {
  const [year, month = 0, day = 0, hour, minute = 0, second = 0] = partsOf(date);
  const ofDay = hour === undefined ? 0 : (1 + (hour * 60 + minute) * 60 + second) / 100_000; // below 1; a bare day comes first
  return year === undefined ? undefined : year * 10_000 + month * 100 + day + ofDay;
}

/** Tells whether a date names only the year or month of another, so that nobody knows which comes first. */
export function isCoarserDate(date: string | undefined, of: string | undefined): boolean {
  const [parts, all] = [partsOf(date), partsOf(of)];
  return parts.length > 0 && parts.length < all.length && parts.every((part, at) => part === all[at]);
}

/**
 * Sorts oldest first, ties in given order. An undated thing goes where the dated one before it in the given order goes (first where
 * there is none), so that one missing date does not undo the order of all others. All undated: unchanged.
 */
export function byDate<T extends { readonly id: string; readonly date?: string }>(things: readonly T[]): readonly T[] {
  let [latest, isInOrder] = [Number.NEGATIVE_INFINITY, true];
  const keyed = things.map((thing) => {
    const order = dateOrder(thing.date) ?? latest;
    isInOrder &&= order >= latest;
    latest = order;
    return { thing, order };
  });
  if (isInOrder) return things;
  return keyed.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order)).map(({ thing }) => thing);
}

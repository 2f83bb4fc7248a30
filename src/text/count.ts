/** `2,345`: as `Intl` has it, whose tables take longer to load than a short command may take. */
export const grouped = (value: number): string =>
  Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ",") : value.toLocaleString("en-US");

/** `1 user`, `2,345 users`; the plural is named where it is not the word with an s. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** The word alone, for a number that is printed in a way of its own. */
export const nounOf = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** Counts how often each thing stands among others, in the order in which they came first. */
export function countsOf<T>(things: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}

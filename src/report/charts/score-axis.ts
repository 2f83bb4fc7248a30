/** Half of the span of an axis whose values are all the same. */
const AROUND = 0.05;

/**
 * The scale of an axis of scores. Where all values are the same it leaves room around them, so that the one tick can be
 * read.
 */
export function scoreScale(values: readonly (number | null)[], more: Readonly<Record<string, number | boolean>>) {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const alike = first !== undefined && known.every((value) => value === first);
  return alike
    ? { zero: false, domain: [first - AROUND, first + AROUND].map((end) => Number(end.toFixed(3))) }
    : { zero: false, ...more };
}

/** The same for an axis that is otherwise as it comes: no scale where the values differ. */
export function alikeScale(values: readonly number[]): { readonly scale?: ReturnType<typeof scoreScale> } {
  return values.every((value) => value === values[0]) ? { scale: scoreScale(values, {}) } : {};
}

/** Digits of a tick: as many as it needs, at most three. */
export const SCORE_FORMAT = ".3~f";

import { seeded } from "../random/seeded.js";
import type { RawQuery } from "../types/index.js";

/** The order of options drawn by a seed: of each shown option its place in the file. */
export const drawnOrder = (count: number, seed: number, question: string): readonly number[] =>
  seeded(`options/${seed}/${question}`).sample(
    Array.from({ length: count }, (_, place) => place),
    count,
  );

/** Options as they are shown, with the letter of the one at `gold`; `order` is kept for the row. */
export function inOrder(
  options: readonly string[],
  gold: number | undefined,
  order: readonly number[],
): Pick<RawQuery, "options" | "order" | "gold"> {
  return {
    options: order.map((place) => options[place]!), // a permutation of its places
    order,
    ...(gold === undefined ? {} : { gold: LETTERS[order.indexOf(gold)]! }),
  };
}

const LETTERS = "abcdefghij";

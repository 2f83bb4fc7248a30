const NUMBER = new Intl.NumberFormat("en-US");

/** `1 user`, `2,345 users`; the plural is named where it is not the word with an s. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? one : many}`;

/** The word alone, for a number that is printed in a way of its own. */
export const nounOf = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

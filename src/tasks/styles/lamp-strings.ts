/**
 * LaMP's strings for in-prompt augmentation (AIP), letter by letter, one entry per task of the benchmark: interoperability
 * strings, not our wording.
 * Source: repository LaMP-Benchmark/LaMP, commit 38c9d4d: LaMP/prompts/prompts.py, LaMP/prompts/utils.py.
 */

import type { Event, Tokenizer } from "../../types/index.js";

/** The official strings of one task. */
export interface LampStrings {
  /** One profile item in the prompt, with `text` as its (possibly cut) content. */
  item(event: Event, text: string): string;
  /** What of an item is cut, where that is not its content. */
  part?(event: Event): string;
  /** The joined items and the input as one prompt. */
  insert(input: string, items: string): string;
  /** Tokens an item takes beside its text. Default: those of the item with a space as its text. */
  itemTokens?(event: Event, tokenizer: Tokenizer): number;
  /** Tokens of the prompt beside input, items and joins. Default 1, the period. */
  reservedTokens?(tokenizer: Tokenizer): number;
}

/** What stands between two items, and the tokens the script counts for it. */
export const JOIN = { text: ", and ", tokens: 2 };

export const citationIdentification: LampStrings = {
  item: (_event, title) => `"${title}"`,
  insert: addAfterTitle,
  itemTokens: () => 2,
  reservedTokens: () => 0,
};

export const movieTagging: LampStrings = {
  item: ({ label }, text) => `the tag for the movie: "${text}" is "${label}" `,
  insert: inFront,
};

export const newsCategorization: LampStrings = {
  item: ({ label }, text) => `the category for the article: "${text}" is "${label}" `,
  insert: inFront,
};

export const productRating: LampStrings = {
  item: ({ label }, text) => `${label} is the score for "${text}" `,
  insert: inFront,
};

export const newsHeadlineGeneration: LampStrings = {
  item: ({ label }, text) => `"${label}" is the title for "${text}" `,
  insert: inFront,
};

const PATTERNS = "Following the given patterns";

export const scholarlyTitleGeneration: LampStrings = {
  item: ({ label }, text) => `"${label}" is a title for "${text}" `,
  insert: (input, items) => `${items}. ${PATTERNS} ${input}`,
  itemTokens: ({ label }, tokenizer) => tokenizer.count(`"${label}" is a title " " `), // the script counts without "for"
  reservedTokens: (tokenizer) => 1 + tokenizer.count(PATTERNS),
};

export const tweetParaphrasing: LampStrings = {
  item: (_event, text) => `"${text}" `,
  insert: (input, items) => `${items} are written by a person. ${PATTERNS} ${input}`,
  itemTokens: (_event, tokenizer) => tokenizer.count('"" '),
  reservedTokens: (tokenizer) => 1 + tokenizer.count(`are written by user. ${PATTERNS}`), // counted so, worded otherwise
};

/** Where LaMP-1 puts items: `, and {items}` behind the first "title" of the input, or nowhere. Source: LaMP prompts/utils.py. */
export function addAfterTitle(input: string, items: string): string {
  const at = input.indexOf("title");
  if (at < 0) return input;
  const end = at + "title".length;
  return `${input.slice(0, end)}, and ${items}${input.slice(end)}`;
}

function inFront(input: string, items: string): string {
  return `${items}. ${input}`;
}

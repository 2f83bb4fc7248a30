import { pySplit, pyStrip } from "../../text/python.js";
import type { AssembleSettings, Event, PromptStyle, Question } from "../../types/index.js";

/** The official strings of one task. */
export interface LampStrings {
  /** One profile item in the prompt, with `text` as its (possibly cut) content. */
  item(event: Event, text: string): string;
  /** Returns the text of an item that may be cut. Default: its content. */
  cutText?(event: Event): string;
  /** The joined items and the input as one prompt. */
  insert(input: string, items: string): string;
  /** Tokens an item takes beside its text. Default: those of the item with a space as its text. */
  itemTokens?(event: Event): number;
  /** Tokens of the prompt beside input, items and joins. Default 1, the period. */
  readonly reservedTokens?: number;
}

/** The text between two items, and the tokens that the script counts for it. */
const JOIN = { text: ", and ", tokens: 2 };
const PATTERNS = "Following the given patterns";

/**
 * LaMP's strings for in-prompt augmentation (AIP), letter by letter, one entry per task of the benchmark: interoperability
 * strings, not our wording.
 * Source: repository LaMP-Benchmark/LaMP, commit 38c9d4d: LaMP/prompts/prompts.py, LaMP/prompts/utils.py.
 */
export const lampStrings = {
  citationIdentification: {
    item: (_event, title) => `"${title}"`,
    insert: addAfterTitle,
    itemTokens: () => 2,
    reservedTokens: 0,
  },
  movieTagging: {
    item: ({ label }, text) => `the tag for the movie: "${text}" is "${label}" `,
    insert: inFront,
  },
  newsCategorization: {
    item: ({ label }, text) => `the category for the article: "${text}" is "${label}" `,
    insert: inFront,
  },
  productRating: {
    item: ({ label }, text) => `${label} is the score for "${text}" `,
    insert: inFront,
  },
  newsHeadlineGeneration: {
    item: ({ label }, text) => `"${label}" is the title for "${text}" `,
    insert: inFront,
  },
  scholarlyTitleGeneration: {
    item: ({ label }, text) => `"${label}" is a title for "${text}" `,
    insert: (input, items) => `${items}. ${PATTERNS} ${input}`,
    itemTokens: ({ label }) => wordTokenCount(`"${label}" is a title " " `), // the script counts without "for"
    reservedTokens: 1 + wordTokenCount(PATTERNS),
  },
  tweetParaphrasing: {
    item: (_event, text) => `"${text}" `,
    insert: (input, items) => `${items} are written by a person. ${PATTERNS} ${input}`,
    itemTokens: () => wordTokenCount('"" '),
    reservedTokens: 1 + wordTokenCount(`are written by user. ${PATTERNS}`), // counted so, worded otherwise
  },
} as const satisfies Readonly<Record<string, LampStrings>>;

/** Inserts items as LaMP-1 does: `, and {items}` behind the first "title" of the input, or nowhere. Source: LaMP prompts/utils.py. */
export function addAfterTitle(input: string, items: string): string {
  const at = input.indexOf("title");
  if (at < 0) return input;
  const end = at + "title".length;
  return `${input.slice(0, end)}, and ${items}${input.slice(end)}`;
}

function inFront(input: string, items: string): string {
  return `${items}. ${input}`;
}

/** LaMP's in-prompt augmentation. A `prefix` stands in front of it all, verbatim. */
export function lampStyle(
  strings: LampStrings,
  source = "LaMP-Benchmark/LaMP @38c9d4d, prompts/prompts.py (AIP)",
): PromptStyle {
  return {
    name: "lamp",
    source,
    document: (event) => event.document,
    query: (question) => question.query,
    tokenize: pySplit,
    assemble: (question, events, settings) => (settings.prefix ?? "") + augmented(strings, question, events, settings),
  };
}

/** The input's guaranteed share of the budget, and by how much it gives way when items do not fit. */
const FIRST_SHARE = 0.6;
const SHARE_STEP = 0.1;

function augmented(
  strings: LampStrings,
  question: Question,
  events: readonly Event[],
  { maxTokens, itemText }: AssembleSettings,
): string {
  if (events.length === 0) return question.text; // the script divides by zero here and falls back to the input
  const part = strings.cutText ?? (({ content }) => content);
  const placed = (items: readonly string[]): string => strings.insert(question.text, items.join(JOIN.text));
  const texts = events.map((event) => (itemText === "collapsed" ? pySplit(part(event)).join(" ") : part(event)));
  if (maxTokens === 0) return placed(events.map((event, at) => strings.item(event, texts[at]!)));
  for (let share = FIRST_SHARE; share >= 0; share -= SHARE_STEP) {
    const inputTokens = Math.min(wordTokenCount(question.text), Math.trunc(share * maxTokens));
    const items = fitItems(strings, events, texts, maxTokens - inputTokens);
    if (items !== undefined) return placed(items);
  }
  return question.text;
}

/** Returns the items, their texts cut to equal shares plus what earlier items saved; undefined if one has no room. */
function fitItems(
  strings: LampStrings,
  events: readonly Event[],
  texts: readonly string[],
  budget: number,
): string[] | undefined {
  const joins = JOIN.tokens * (events.length - 1);
  const share = Math.floor((budget - (strings.reservedTokens ?? 1) - joins) / events.length);
  const items: string[] = [];
  let saved = 0;
  for (const [at, event] of events.entries()) {
    const needed = strings.itemTokens?.(event) ?? wordTokenCount(strings.item(event, " "));
    const room = share + saved - needed;
    if (room < 0) return undefined;
    const cut = cutTokens(texts[at]!, room);
    saved += share - wordTokenCount(cut) - needed;
    items.push(strings.item(event, cut));
  }
  return items;
}

/**
 * Counts tokens: a token is a whitespace word with the whitespace before it, one more ends the sequence. A stand-in for a model's own
 * tokenizer: English text has some 1.3 model tokens a word.
 */
function wordTokenCount(text: string): number {
  return pySplit(text).length + 1;
}

/** Returns the first `max` tokens, the end of the sequence among them, as text. */
function cutTokens(text: string, max: number): string {
  let end = 0;
  for (const word of pySplit(text).slice(0, Math.max(max - 1, 0))) end = text.indexOf(word, end) + word.length;
  return pyStrip(text.slice(0, end));
}

/** Builds the style of tasks without LaMP strings: history items, one a line, in front of the question. */
export function plainStyle(heading: string, show: (event: Event) => string): PromptStyle {
  return {
    name: "lamp",
    source: "own: LaMP has no strings for this task",
    document: (event) => event.document,
    query: (question) => question.query,
    tokenize: pySplit,
    assemble(question, events, { prefix = "" }: AssembleSettings) {
      const history = events.length === 0 ? "" : `${heading}\n${events.map(show).join("\n")}\n\n`;
      return `${prefix}${history}${question.text}`;
    },
  };
}

import { pyStrip } from "../text/python.js";
import { firstWords } from "../text/words.js";
import type { Event, Question, RawItem, RawQuery, Task } from "../types/index.js";
import { dated, textTask } from "./format.js";
import { type LampStrings, lampStyle } from "./styles/lamp.js";

/**
 * LongLaMP's strings for prompts with history items, letter by letter: interoperability strings, not our wording.
 * Source: repository LongLaMP-benchmark/LongLaMP-Benchmark, commit 41412fe: prompts/prompts.py. Its limits in tokens are off there
 * (max_length None).
 */

export const productReview: LampStrings = {
  cutText: writtenText,
  item: (event, text) => {
    const { overall = "", description = "", summary = "" } = event.fields;
    return `"${overall}" is a rating for the product with description "${description}". "${summary}" is summary for "${text}" `;
  },
  insert: (input, items) => `${items}. Following the given patterns ${input}`,
};

const ABSTRACT_WORDS = 750;

export const abstractGeneration: LampStrings = {
  cutText: (event) => firstWords(writtenText(event), ABSTRACT_WORDS),
  item: ({ content }, text) => `"${text}" is the abstract for the title "${content}"`,
  insert: (input, items) =>
    `${items}. Use the above abstracts as context to understand the style and language of the user and, ${input}`,
};

export const topicWriting: LampStrings = {
  cutText: writtenText,
  item: ({ content }, text) => `"${content}" is a summary for "${text}" `,
  insert: (input, items) => `${items}. Following the given patterns, ${input}`,
};

function writtenText({ label = "" }: Event): string {
  return label;
}

/** Builds the parts that tasks of LongLaMP share: a question is the whole instruction, the answer a text of some hundred words. */
export const longlamp = (answerNoun: string, itemNoun: string, strings: LampStrings) =>
  ({
    ...textTask(answerNoun, itemNoun, "(?:review|abstract|post)"),
    benchmark: "LongLaMP",
    source: "Kumar et al. 2024, LongLaMP (arXiv 2407.11016); LongLaMP-benchmark/LongLaMP-Benchmark @41412fe",
    maxAnswerTokens: 1024,
    styles: { lamp: lampStyle(strings, "LongLaMP-benchmark/LongLaMP-Benchmark @41412fe, prompts/prompts.py") },
  }) as const satisfies Partial<Task>;

interface LongWording {
  /** Returns the content that a question about the item would have. */
  content(item: RawItem): string;
  /** The text that retrieval indexes. Source: prompts/prompts.py. */
  document(item: RawItem): string;
  /** The field that holds what the user wrote. */
  written: string;
  /** Returns an instruction in our own words (the wording of the data's varies). */
  instruction(item: RawItem): string;
  /** Returns the item fields stated in an instruction, by which twins of the question are hidden; undefined where its form is unknown. */
  parseInstruction(input: string): Readonly<Record<string, string>> | undefined;
  /** The field that holds the whole instruction where its wording is unknown. */
  fallbackField: string;
  /** Returns the retrieval query of an instruction. Absent: all of it. */
  query?(input: string): string | undefined;
}

/** Questions and events of such a task. */
export function longWording(wording: LongWording) {
  const { content, document, written, instruction, parseInstruction, fallbackField, query } = wording;
  const itemOf = (id: string, input: string): RawItem => ({
    ...(parseInstruction(input) ?? { [fallbackField]: pyStrip(input) }),
    id,
  });
  const question = ({ id, input, date }: Pick<RawQuery, "id" | "input" | "date">): Question => {
    const searched = query?.(input) ?? pyStrip(input);
    return { id, text: input, content: content(itemOf(id, input)), query: searched, ...dated(date) };
  };
  const event = (item: RawItem): Event => {
    const label = item[written];
    return {
      id: item.id,
      ...dated(item.date),
      fields: item,
      content: content(item),
      document: document(item),
      ...(item.session === undefined ? {} : { session: item.session }),
      ...(label === undefined ? {} : { label }),
    };
  };
  const pose = (past: Event): Question | undefined =>
    past.label === undefined
      ? undefined
      : question({ id: past.id, input: instruction(past.fields), ...dated(past.date) });
  const historyItemOf = ({ id, text, date }: Question, gold: string): RawItem => ({
    ...itemOf(id, text),
    [written]: gold,
    ...dated(date),
  });
  return { question, event, pose, historyItemOf };
}

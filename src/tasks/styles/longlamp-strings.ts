/**
 * LongLaMP's strings for prompts with past items, letter by letter: interoperability strings, not our wording.
 * Source: repository LongLaMP-benchmark/LongLaMP-Benchmark, commit 41412fe: prompts/prompts.py. Its limits in tokens are off there
 * (max_length None).
 */
import { firstWords } from "../../text/words.js";
import type { Event } from "../../types/index.js";
import type { LampStrings } from "./lamp-strings.js";

export const LONGLAMP_PROMPTS = "LongLaMP-benchmark/LongLaMP-Benchmark @41412fe, prompts/prompts.py";

export const productReview: LampStrings = {
  part: written,
  item: (event, text) => {
    const { overall = "", description = "", summary = "" } = event.fields;
    return `"${overall}" is a rating for the product with description "${description}". "${summary}" is summary for "${text}" `;
  },
  insert: (input, items) => `${items}. Following the given patterns ${input}`,
};

const ABSTRACT_WORDS = 750;

export const abstractGeneration: LampStrings = {
  part: (event) => firstWords(written(event), ABSTRACT_WORDS),
  item: ({ content }, text) => `"${text}" is the abstract for the title "${content}"`,
  insert: (input, items) =>
    `${items}. Use the above abstracts as context to understand the style and language of the user and, ${input}`,
};

export const topicWriting: LampStrings = {
  part: written,
  item: ({ content }, text) => `"${content}" is a summary for "${text}" `,
  insert: (input, items) => `${items}. Following the given patterns, ${input}`,
};

function written({ label = "" }: Event): string {
  return label;
}

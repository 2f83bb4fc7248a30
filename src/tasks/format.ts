import { rouge1, rougeL } from "../metrics/rouge.js";
import { pySplit, pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Task } from "../types/index.js";
import { anyText, bareText } from "./reply-reading.js";

/** A task whose input is an instruction, a marker such as `review:`, and the item. */
interface MarkerInput {
  /** The official instruction, its marker included. */
  readonly instruction: string;
  readonly marker: string;
  content(item: RawItem): string;
  /** LaMP retrieval document. Source: LaMP prompts/prompts.py. */
  document(item: RawItem): string;
  label(item: RawItem): string | undefined;
}

/** Reads questions and events of a marked task. An input without its marker is taken whole (the official script crashes). */
export function markerInput(wording: MarkerInput) {
  const question = (query: RawQuery): Question => {
    const content = after(query.input, wording.marker) ?? pyStrip(query.input);
    return { id: query.id, text: query.input, content, query: content, ...dated(query.date) };
  };
  const event = (item: RawItem): Event => {
    const label = wording.label(item);
    return {
      id: item.id,
      ...dated(item.date),
      fields: item,
      content: wording.content(item),
      document: wording.document(item),
      ...(label === undefined ? {} : { label }),
    };
  };
  const pose = (past: Event, like?: Question): Question | undefined => {
    if (past.label === undefined) return undefined;
    const instruction = (like && upTo(like.text, wording.marker)) ?? wording.instruction;
    return question({ id: past.id, input: `${instruction} ${past.content}`, ...dated(past.date) });
  };
  return { question, event, pose };
}

/** Builds the parts that tasks of written text share; `prefix` is a regular expression for words in front of an answer. */
export const textTask = (answerNoun: string, itemNoun: string, prefix: string = answerNoun) =>
  ({
    kind: "text",
    labels: [],
    answerNoun,
    itemNoun,
    maxAnswerTokens: 128,
    metrics: [rouge1, rougeL],
    formatEvent: eventFormatter(itemNoun, answerNoun),
    strict: anyText,
    lenient: bareText(prefix),
  }) as const satisfies Partial<Task>;

/** Returns `{ date }` where there is one. */
export const dated = (date: string | undefined): { date?: string } => (date === undefined ? {} : { date });

/** Returns the text behind the first `marker`, stripped as Python strips. Undefined where the marker is missing. Source: LaMP prompts/utils.py. */
export function after(text: string, marker: string): string | undefined {
  const at = text.indexOf(marker);
  return at < 0 ? undefined : pyStrip(text.slice(at + marker.length));
}

/** Returns `text` up to and including the first `marker`. Undefined where the marker is missing. */
function upTo(text: string, marker: string): string | undefined {
  const at = text.indexOf(marker);
  return at < 0 ? undefined : text.slice(0, at + marker.length);
}

/** Returns one line about a history event: `2019-02-27 | movie: A heist goes wrong. | tag: comedy`. Undated and unlabelled parts are left out. */
export function eventFormatter(itemNoun: string, answerNoun: string): (event: Event) => string {
  return (event) =>
    line([
      event.date,
      `${itemNoun}: ${event.content}`,
      event.label === undefined ? undefined : `${answerNoun}: ${event.label}`,
    ]);
}

/** Joins the parts that are there; every run of whitespace becomes one space. */
export function line(parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined)
    .map((part) => pySplit(part).join(" "))
    .join(" | ");
}

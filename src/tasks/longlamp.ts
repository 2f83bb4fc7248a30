import { rouge1, rougeL } from "../metrics/rouge.js";
import { pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Task } from "../types/index.js";
import { dated } from "./marked.js";
import { anyText, bareText } from "./reply-reading.js";

/** What the tasks of LongLaMP have in common: a question is the whole instruction, the answer a text of some hundred words. */
export const longlamp = {
  benchmark: "LongLaMP",
  kind: "text",
  labels: [],
  maxAnswerTokens: 1024,
  metrics: [rouge1, rougeL],
  strict: anyText,
  lenient: bareText("(?:review|abstract|post)"),
} as const satisfies Partial<Task>;

export const LONGLAMP =
  "Kumar et al. 2024, LongLaMP (arXiv 2407.11016); LongLaMP-benchmark/LongLaMP-Benchmark @41412fe";

interface LongWording {
  /** What a past item would have been asked about, what retrieval indexes, and what its user wrote. */
  content(item: RawItem): string;
  /** Source: prompts/prompts.py. */
  document(item: RawItem): string;
  /** The field of what the user wrote. */
  written: string;
  /** Own words, after the data's instructions; their wording varies. */
  ask(item: RawItem): string;
  /** Of an instruction the fields that an item has: past items that are the question itself are hidden by them. Wording unknown: undefined. */
  facts(input: string): Readonly<Record<string, string>> | undefined;
  /** The field that holds the whole instruction where its wording is unknown. */
  whole: string;
  /** What of an instruction is searched for. Absent: all of it. */
  query?(input: string): string | undefined;
}

/** Questions and events of such a task. */
export function longWording({ content, document, written, ask, facts, whole, query }: LongWording) {
  const itemOf = (id: string, input: string): RawItem => ({ ...(facts(input) ?? { [whole]: pyStrip(input) }), id });
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
    past.label === undefined ? undefined : question({ id: past.id, input: ask(past.fields), ...dated(past.date) });
  const learned = ({ id, text, date }: Question, gold: string): RawItem => ({
    ...itemOf(id, text),
    [written]: gold,
    ...dated(date),
  });
  return { question, event, pose, learned };
}

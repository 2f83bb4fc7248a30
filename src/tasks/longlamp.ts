import { rouge1, rougeL } from "../metrics/rouge.js";
import { pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Task } from "../types/index.js";
import { dated } from "./marked.js";
import { anyText, bareText } from "./reply-reading.js";

/** What the tasks of LongLaMP have in common: a question is the whole instruction, the answer a text of some hundred words. */
export const longlamp = {
  benchmark: "LongLaMP",
  kind: "text",
  long: true,
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
  label(item: RawItem): string | undefined;
  /** Own words, after the data's instructions; their wording varies. */
  ask(item: RawItem): string;
  /** Of an instruction what `content` is of an item: past items that are the question itself are hidden by it. */
  about(input: string): string | undefined;
  /** What of an instruction is searched for. Absent: all of it. */
  query?(input: string): string | undefined;
}

/** Questions and events of such a task. */
export function longWording({ content, document, label, ask, about, query }: LongWording) {
  const question = ({ id, input, date }: Pick<RawQuery, "id" | "input" | "date">): Question => {
    const whole = pyStrip(input);
    return { id, text: input, content: about(input) ?? whole, query: query?.(input) ?? whole, ...dated(date) };
  };
  const event = (item: RawItem): Event => {
    const written = label(item);
    return {
      id: item.id,
      ...dated(item.date),
      fields: item,
      content: content(item),
      document: document(item),
      ...(written === undefined ? {} : { label: written }),
    };
  };
  const pose = (past: Event): Question | undefined =>
    past.label === undefined ? undefined : question({ id: past.id, input: ask(past.fields), ...dated(past.date) });
  return { question, event, pose };
}

import { CITATION_LABELS } from "../metrics/official-labels.js";
import { pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Reading, Task } from "../types/index.js";
import { CITATION_WORDING, citationQuestion } from "./citation-question.js";
import { labelMetrics } from "./label-summary.js";
import { dated, line } from "./marked.js";
import { answered, exactLabel, UNPARSED, unwrap } from "./reply-reading.js";
import { lampStyle } from "./styles/lamp.js";
import * as lampStrings from "./styles/lamp-strings.js";
import { oppuStyle } from "./styles/oppu.js";
import * as oppuStrings from "./styles/oppu-strings.js";

const LABELS = CITATION_LABELS;

/** Past papers carry a label only where the data layer has built one: fields `option1`, `option2`, `label` (METHODS 0.2). */
export const lamp1: Task = {
  name: "lamp1",
  title: "LaMP-1: personalized citation identification",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-1; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_1",
  aliases: ["LaMP-1", "citation"],
  fields: ["title", "abstract"],
  kind: "label",
  labels: LABELS,
  answerNoun: "reference",
  itemNoun: "paper",
  maxAnswerTokens: 64,
  metrics: labelMetrics(LABELS),
  question,
  event,
  pose,
  choice: citationQuestion,
  show: (event) => {
    const { option1, option2 } = event.fields;
    const options = event.label === undefined ? undefined : `options: [1] "${option1}" [2] "${option2}"`;
    const label = event.label === undefined ? undefined : `reference: ${event.label}`;
    return line([event.date, `paper: ${event.content}`, options, label]);
  },
  list: (event) => line([event.date, `paper title: ${event.content}`]),
  strict: exactLabel(LABELS),
  lenient,
  summary: {
    instruction:
      "Below are papers that one researcher has written. Summarize, in English, the research interests and topics of this researcher. Reply with the summary only.",
    fields: ["topics", "venues", "methods"],
  },
  styles: { lamp: lampStyle(lampStrings.citationIdentification), oppu: oppuStyle(oppuStrings.citationIdentification) },
};

function question({ id, input, date }: RawQuery): Question {
  const parsed = citationQuestion(input);
  const content = parsed?.title ?? pyStrip(input);
  return { id, text: input, content, query: parsed?.options.join(" ") ?? content, ...dated(date) };
}

function event(item: RawItem): Event {
  const { title = "", abstract = "", option1, option2, label } = item;
  const labelled = option1 !== undefined && option2 !== undefined && label !== undefined;
  return {
    id: item.id,
    ...dated(item.date),
    fields: item,
    content: title,
    document: `${title} ${abstract}`,
    ...(labelled ? { label } : {}),
  };
}

function pose(past: Event, like?: Question): Question | undefined {
  if (past.label === undefined) return undefined;
  const [before, between, gap, end] = (like && citationQuestion(like.text)?.wording) ?? CITATION_WORDING;
  const { option1, option2 } = past.fields;
  const input = `${before}${past.content}${between}${option1}${gap}${option2}${end}`;
  return question({ id: past.id, input, ...dated(past.date) });
}

/** `1`, `[1]`, `Reference [1]`, or the exact title of one option. Both numbers named: no answer. */
function lenient(reply: string, asked: Question): Reading {
  const text = unwrap(reply);
  const alone = /^\[?([12])\]?$/.exec(text)?.[1];
  if (alone !== undefined) return answered(`[${alone}]`);
  const options = citationQuestion(asked.text)?.options ?? [];
  const titled = options.findIndex((title) => unwrap(title).toLowerCase() === text.toLowerCase());
  if (titled >= 0) return answered(`[${titled + 1}]`);
  const named = new Set(
    [...text.matchAll(/\[([12])\]|\breference\s*(?:(?:is|:)\s*)?([12])\b/gi)].map(([, a, b]) => a ?? b),
  );
  const [only] = named;
  return named.size === 1 && only !== undefined ? answered(`[${only}]`) : UNPARSED;
}

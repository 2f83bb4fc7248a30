import { accuracy } from "../metrics/accuracy.js";
import { macroF1, macroPrecision, macroRecall } from "../metrics/macro.js";
import { maeOn } from "../metrics/mae.js";
import { match } from "../metrics/match.js";
import { mention } from "../metrics/mention.js";
import { LAMP_SCALE } from "../metrics/rating.js";
import { rmseOn } from "../metrics/rmse.js";
import { rouge1, rouge2, rougeL } from "../metrics/rouge.js";
import { pyStrip } from "../text/python.js";
import { escapeRegExp } from "../text/words.js";
import type { Event, Metric, Task } from "../types/index.js";
import { choiceQuestion, choiceTask } from "./choice.js";
import { dated, line } from "./format.js";
import { labelSummaries } from "./label-tasks.js";
import { anyText, bareText, exactLabel, namedLabel, namedNumber, numberAnswer } from "./reply-reading.js";
import { lampStyle, plainStyle } from "./styles/lamp.js";

/** A task as a person writes it down in a YAML file. */
export interface CustomTask {
  readonly name: string;
  readonly title?: string | undefined;
  readonly kind: Task["kind"];
  /** The answers of a label task; of equally frequent ones the first listed comes first. */
  readonly labels?: readonly string[] | undefined;
  /** The whole numbers of a rating task, both ends included. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  /** Most options of a question of a choice task, 2 to 10. Default 4. */
  readonly options?: number | undefined;
  /** Prompt template with `{input}` once; `{labels}` stands for all answers: `[billing, delivery]`; `{options}` for the lettered options. */
  readonly question: string;
  /** Nouns for one history item and for what is answered: `ticket`, `team`. */
  readonly item?: string | undefined;
  readonly answer?: string | undefined;
  /** A history item as one line, with `{text}`, `{label}` and further fields; parts between ` | ` without a value are left out. */
  readonly event?: string | undefined;
  /** Template of the retrieval document of a history item. Default `{text}`. */
  readonly document?: string | undefined;
  /** Templates for history items in the prompt of a retrieval method. Absent: `event`, one a line, in front of the question. */
  readonly prompt?: { readonly item: string; readonly insert: string } | undefined;
  /** The request for a summary of a user's history. */
  readonly summary?: string | undefined;
  readonly metrics?: readonly string[] | undefined;
  /** Scope of the majority baseline that tables show: each user's most frequent past label (default), or all users'. */
  readonly majority?: Task["majority"] | undefined;
  readonly maxAnswerTokens?: number | undefined;
}

/** Metrics of each kind of custom task, its default metrics first. */
export const customMetrics: Readonly<Record<CustomTask["kind"], readonly string[]>> = {
  label: ["accuracy", "f1", "precision", "recall"],
  rating: ["mae", "rmse"],
  text: ["rouge-1", "rouge-l", "rouge-2", "match", "mention"],
  choice: ["accuracy"],
};
const DEFAULT_METRICS: Readonly<Record<CustomTask["kind"], number>> = { label: 4, rating: 2, text: 2, choice: 1 };

/** The task that a definition describes, checked before (see `ownTaskSchema`). `spelling`: how its file was named. */
export function customTask(own: CustomTask, spelling: string): Task {
  const { name, kind, item = "item", answer = "answer" } = own;
  const labels = labelsOf(own);
  const wording = pyStrip(own.question).replaceAll("{labels}", () => `[${labels.join(", ")}]`);
  const [before = "", after = ""] = wording.split("{input}");
  const eventLine = own.event ?? `${item}: {text} | ${answer}: {label}`;
  const show = (event: Event): string =>
    line([event.date, ...eventLine.split(" | ").map((part) => filled(part, event))]);
  const parts = kind === "choice" ? choiceTask(own.options ?? MOST_OPTIONS, true) : undefined;
  const { prompt, summary = summaryOf(kind, item, answer) } = own;
  const computed = labelSummaries(answer, item, labels);
  return {
    name,
    title: own.title ?? name,
    source: "own task",
    official: name,
    aliases: [spelling],
    requiredFields: ["text"],
    optionalFields: fieldsIn(`${own.event ?? ""}${own.document ?? ""}${prompt?.item ?? ""}`),
    kind,
    labels,
    answerNoun: answer,
    itemNoun: item,
    maxAnswerTokens: own.maxAnswerTokens ?? (kind === "text" ? 256 : 64),
    metrics: metricsOf(own, labels),
    fullPrompt: (input) => wording.replace("{input}", () => input),
    question: ({ id, input, date }) => {
      const text = pyStrip(input);
      const isWorded = text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
      const content = isWorded ? pyStrip(text.slice(before.length, text.length - after.length)) : text;
      return { id, text: input, content, query: content, ...dated(date) };
    },
    event: (fields) => {
      const { id, date, text = "", label } = fields;
      const document = filled(own.document ?? "{text}", { fields }) ?? text;
      return { id, fields, content: text, document, ...dated(date), ...(label === undefined ? {} : { label }) };
    },
    pose({ id, date, content, label }) {
      if (label === undefined) return undefined;
      return { id, text: wording.replace("{input}", () => content), content, query: content, ...dated(date) };
    },
    formatEvent: show,
    ...readings(kind, labels, answer),
    ...(own.majority === undefined ? {} : { majority: own.majority }),
    summary: {
      instruction: summary,
      ...(labels.length === 0 ? {} : { counts: computed.counts }),
      ...(summary.includes(`most popular ${answer}:`) ? { modeSentences: computed.modeSentences } : {}),
    },
    styles: {
      lamp:
        prompt === undefined
          ? plainStyle(`The user's earlier ${item}s:`, show)
          : lampStyle({
              item: (event, text) => filled(prompt.item, { ...event, content: text }) ?? text,
              insert: (input, items) =>
                prompt.insert.replace("{items}", () => items).replace("{question}", () => input),
            }),
    },
    ...(parts && { ...parts, fullPrompt: (input) => input, question: (query) => choiceQuestion(query, wording) }),
  };
}

/** Returns the names of the fields that a template fills in: `{text}`. */
const fieldsIn = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Default number of options, as in PersonaMem. */
const MOST_OPTIONS = 4;

/** The request for a summary, in the manner of OPPU's for labels, where the definition has none. */
const summaryOf = (kind: CustomTask["kind"], item: string, answer: string): string =>
  kind === "label"
    ? `Below are ${item}s of one user, each with its ${answer}. Find the ${answer} that this user has most often. Reply in this form only: most popular ${answer}: <${answer}>`
    : `Below are ${item}s of one user, each with its ${answer}. Describe what is typical of this user, so that the next ${answer} can be predicted. Reply with the description only.`;

const labelsOf = ({ kind, labels = [], range }: CustomTask): readonly string[] =>
  kind === "rating" && range !== undefined
    ? Array.from({ length: range.to - range.from + 1 }, (_, step) => String(range.from + step))
    : labels;

function metricsOf({ kind, metrics, range = LAMP_SCALE }: CustomTask, labels: readonly string[]): Metric[] {
  const known: Readonly<Record<string, () => Metric>> = {
    accuracy: () => accuracy(labels),
    f1: () => macroF1(labels),
    precision: () => macroPrecision(labels),
    recall: () => macroRecall(labels),
    mae: () => maeOn(range),
    rmse: () => rmseOn(range),
    "rouge-1": () => rouge1,
    "rouge-2": () => rouge2,
    "rouge-l": () => rougeL,
    match: () => match,
    mention: () => mention,
  };
  return (metrics ?? customMetrics[kind].slice(0, DEFAULT_METRICS[kind])).flatMap((name) => known[name]?.() ?? []);
}

function readings(
  kind: CustomTask["kind"],
  labels: readonly string[],
  answer: string,
): Pick<Task, "strict" | "lenient"> {
  if (kind === "label") return { strict: exactLabel(labels), lenient: namedLabel(labels) };
  if (kind === "rating") return { strict: numberAnswer, lenient: namedNumber(labels) };
  return { strict: anyText, lenient: bareText(escapeRegExp(answer)) };
}

/** Fills the template with the values of an event; undefined where one of them is absent. `{text}` is the text as it is to be shown. */
function filled(template: string, event: Pick<Event, "fields"> & Partial<Event>): string | undefined {
  let whole = true;
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === "text" ? (event.content ?? event.fields.text) : event.fields[name];
    if (value === undefined || value === "") whole = false;
    return value ?? "";
  });
  return whole ? text : undefined;
}

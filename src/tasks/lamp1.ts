import { CITATION_LABELS } from "../metrics/official-labels.js";
import { pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Reading, Task } from "../types/index.js";
import { dated, line } from "./format.js";
import { labelTask } from "./label-tasks.js";
import { answerReading, UNPARSED, unwrap } from "./reply-reading.js";
import { benchmarkStyles } from "./styles/oppu.js";

/** The parts of a LaMP-1 input, with the wording between them, so that another paper can be put into the same wording. */
interface CitationQuestion {
  readonly title: string;
  readonly options: readonly [string, string];
  /** Text before the title, between title and option 1, between the options, and behind option 2. */
  readonly wording: readonly [string, string, string, string];
}

const ANCHORED =
  /^(.*?with the title ")(.*?)(", which reference is related\?.*?\[1\]: ")(.*?)("\s+\[2\]: ")(.*)("\s*)$/s;

/**
 * Reads a LaMP-1 input by its fixed words, so that quotes inside titles do no harm; the official toggling scanner is the
 * fallback for other wordings. Undefined where neither finds a title and two options.
 */
export function citationQuestion(input: string): CitationQuestion | undefined {
  const parts = ANCHORED.exec(input);
  if (parts === null) return scanned(input);
  const [, before = "", title = "", between = "", first = "", gap = "", second = "", end = ""] = parts;
  return { title, options: [first, second], wording: [before, between, gap, end] };
}

/** Returns the official retrieval query: the second and third quoted strings. Undefined where the official script crashes. Source: LaMP prompts/prompts.py. */
export function officialCitationQuery(input: string): string | undefined {
  const [, first, second] = quotedStrings(input);
  return first === undefined || second === undefined ? undefined : `${first} ${second}`;
}

/** The official wording of a LaMP-1 input. */
const CITATION_WORDING: CitationQuestion["wording"] = [
  'For an author who has written the paper with the title "',
  '", which reference is related? Just answer with [1] or [2] without explanation. [1]: "',
  '" [2]: "',
  '"',
];

function scanned(input: string): CitationQuestion | undefined {
  const [title, first, second] = quotedStrings(input);
  if (title === undefined || first === undefined || second === undefined) return undefined;
  return { title, options: [first, second], wording: CITATION_WORDING };
}

/** Returns the strings between double quotes, by toggling at each quote: one stray quote shifts all that follow. Source: LaMP prompts/utils.py. */
export function quotedStrings(text: string): string[] {
  return text
    .split('"')
    .slice(1, -1)
    .filter((_, index) => index % 2 === 0);
}

/** Past papers carry a label only where the data layer has built one: fields `option1`, `option2`, `label` (METHODS 0.2). */
export const lamp1: Task = {
  name: "lamp1",
  title: "LaMP-1: personalized citation identification",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-1; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_1",
  aliases: ["LaMP-1", "citation"],
  requiredFields: ["title", "abstract"],
  ...labelTask("reference", "paper", CITATION_LABELS),
  question,
  event,
  pose,
  officialQuery: officialCitationQuery,
  parseCitation: citationQuestion,
  formatEvent: (event) => {
    const { option1, option2 } = event.fields;
    const options = event.label === undefined ? undefined : `options: [1] "${option1}" [2] "${option2}"`;
    const label = event.label === undefined ? undefined : `reference: ${event.label}`;
    return line([event.date, `paper: ${event.content}`, options, label]);
  },
  formatForSummary: (event) => line([event.date, `paper title: ${event.content}`]),
  lenient,
  summary: {
    instruction:
      "Below are papers that one researcher has written. Summarize, in English, the research interests and topics of this researcher. Reply with the summary only.",
    profileFields: ["topics", "venues", "methods"],
  },
  styles: benchmarkStyles("citationIdentification"),
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
function lenient(reply: string, question: Question): Reading {
  const text = unwrap(reply);
  const alone = /^\[?([12])\]?$/.exec(text)?.[1];
  if (alone !== undefined) return answerReading(`[${alone}]`);
  const options = citationQuestion(question.text)?.options ?? [];
  const titled = options.findIndex((title) => unwrap(title).toLowerCase() === text.toLowerCase());
  if (titled >= 0) return answerReading(`[${titled + 1}]`);
  const named = new Set(
    [...text.matchAll(/\[([12])\]|\breference\s*(?:(?:is|:)\s*)?([12])\b/gi)].map(([, a, b]) => a ?? b),
  );
  const [only] = named;
  return named.size === 1 && only !== undefined ? answerReading(`[${only}]`) : UNPARSED;
}

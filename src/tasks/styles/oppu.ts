import { MOVIE_LABELS } from "../../metrics/official-labels.js";
import { firstWords } from "../../text/words.js";
import type { Event, PromptStyle, Question } from "../../types/index.js";
import { lampStrings, lampStyle } from "./lamp.js";

/** The official strings of one task. */
interface OppuStrings {
  /** The words of a LaMP input right before the text. Absent: the text is the question's content. */
  readonly marker?: string;
  /** One history item, without its line break. */
  history(text: string, label: string): string;
  /** The retrieval query. */
  query(text: string): string;
  /** The prompt of a test question. */
  prompt(text: string): string;
  /** The prompt of a training item, where it is worded otherwise. */
  trainingPrompt?(text: string): string;
  /** The request for a profile summary, around the rendered items. */
  profile(items: string): string;
}

const CITATION =
  "Identify the most relevant reference for the listed publication by the researcher. Select the reference paper that is most closely related to the researcher's work.";
const MOVIE =
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation.";
const NEWS = "Which category does this article relate to among the following categories?";
/** OPPU's own order: neither that of the scorer nor that of LaMP's inputs. */
const NEWS_CATEGORIES =
  "[travel, education, parents, style & beauty, entertainment, food & drink, science & technology, business, sports, healthy living, women, politics, crime, culture & arts, religion]";
const RATING = "What is the score of the following review on a scale of 1 to 5?";
const HEADLINE = "Generate a headline for the following article";
const TITLE = "Generate a title for the following abstract of a paper";
const TWEET = "Paraphrase the following text into tweet without any explanation before or after it";

/**
 * OPPU's prompt strings, letter by letter, one entry per task of the benchmark: interoperability strings, not our wording.
 * Source: repository TamSiuhin/OPPU, commit 9fb3f46: prompt/prompt.json (history, query, prompt), prompt/prompt_profile.json
 * (profile), utils.py (marker).
 */
const oppuStrings = {
  /** The released template has no slot for the two options, so no answer can be right by reading (DATA 6). */
  citationIdentification: {
    history: (title) => `paper title: ${title}`,
    query: (title) =>
      `${CITATION} Please respond with only the number that corresponds to the reference.\npaper title: ${title}`,
    prompt: (title) => `${CITATION}\npaper title: ${title} reference:`,
    profile: (items) =>
      `Write a summary, in English, of the research interests and topics of a researcher who has published the following papers. Only generate the summary, no other text. User History: ${items} Answer:`,
  },
  movieTagging: {
    marker: "] description: ",
    history: (text, tag) => `description: ${text} tag: ${tag}`,
    query: (text) => `${MOVIE}\n description: ${text}`,
    prompt: (text) => `${MOVIE} tags: [${MOVIE_LABELS.join(", ")}]\n description: ${text} tag:`,
    profile: (items) =>
      `Look at the following past movies this user has watched and determine the most popular tag they labeled. Answer in the following form: most popular tag: <tag>. User History: ${items} Answer:`,
  },
  newsCategorization: {
    marker: "] article: ",
    history: (text, category) => `article: ${text} category: ${category}`,
    query: (text) => `${NEWS} arcicle: ${text}`, // spelled so in OPPU
    prompt: (text) =>
      `${NEWS} Just answer with the category name without further explanation. categories: ${NEWS_CATEGORIES}\n article: ${text} category:`,
    profile: (items) =>
      `Look at the following past articles this journalist has written and determine the most popular category they write in. Answer in the following form: most popular category: <category>. User History: ${items} Answer:`,
  },
  productRating: {
    marker: "without further explanation. review: ",
    history: (text, score) => `review: ${text} score: ${score}`,
    query: (text) => `${RATING} review: ${text}`,
    prompt: (text) =>
      `${RATING} just answer with 1, 2, 3, 4, or 5 without further explanation. review: ${text}\n score:`,
    profile: (items) =>
      `Based on this user’s past reviews, what are the most common scores they give for positive and negative reviews? Answer in the following form: most common positive score: <most common positive score>, most common negative score: <most common negative score>. User History: ${items} Answer:`,
  },
  newsHeadlineGeneration: {
    marker: `${HEADLINE}: `,
    history: (text, title) => `article: ${text} headline: ${title}`,
    query: (text) => `${HEADLINE}: ${text}`,
    prompt: (text) => `${HEADLINE}.\narticle: ${text} headline:`,
    trainingPrompt: (text) => `${HEADLINE}.\n article: ${text} headline:`,
    profile: (items) =>
      `Given this author’s previous articles, try to describe a template for their headlines. I want to be able to accurately predict the headline gives one of their articles. Be specific about their style and wording, don’t tell me anything generic. User History: ${items} Answer:`,
  },
  scholarlyTitleGeneration: {
    marker: `${TITLE}: `,
    history: (text, title) => `abstract: ${text} title: ${title}`,
    query: (text) => `${TITLE}: ${text}`,
    prompt: (text) => `${TITLE}.\n abstract: ${text} title:`,
    profile: (items) =>
      `Given this author’s previous publications, try to describe a template for their titles. I want to be able to accurately predict the title of one of the papers from the abstract. Only generate the template description, nothing else. User History: ${items} Answer:`,
  },
  tweetParaphrasing: {
    marker: "Paraphrase the following tweet without any explanation before or after it: ",
    history: (text) => `tweet: ${text}`,
    query: (text) => `${TWEET}: ${text}`,
    prompt: (text) => `${TWEET}.\n text: ${text} tweet:`,
    profile: (items) =>
      `Given this person’s previous tweets, try to describe a template for their tweets. I want to take a generic sentence and rephrase it to sound like one of their tweets, with the same style/punctuation/capitalization/wording/tone/etc. as them. Only give me the template description, nothing else. User History: ${items} Answer:`,
  },
} as const satisfies Readonly<Record<string, OppuStrings>>;

export interface OppuStyle extends PromptStyle {
  readonly strings: OppuStrings;
  /** Returns the official request for a profile summary: fields cut to `fieldMaxWords` (OPPU: 200), items as a Python list. */
  profile(events: readonly Event[], fieldMaxWords: number): string;
}

/** The official prompt strings of a task of LaMP, by style. */
export const benchmarkStyles = (name: keyof typeof lampStrings & keyof typeof oppuStrings) => ({
  lamp: lampStyle(lampStrings[name]),
  oppu: oppuStyle(oppuStrings[name]),
});

/** Builds OPPU's prompt: history lines, best first, an empty line, the question; a `prefix` (profile and line break) in front. */
function oppuStyle(strings: OppuStrings): OppuStyle {
  return {
    name: "oppu",
    source: "TamSiuhin/OPPU @9fb3f46, OPPU.py and prompt/prompt.json",
    strings,
    document: (event) => historyLine(strings, event, HISTORY_MAX_WORDS),
    query: (question) => strings.query(rawText(strings, question)),
    tokenize: (text) => text.split(" "),
    assemble: (question, events, settings) => {
      const lines = events.map((event) => historyLine(strings, event, HISTORY_MAX_WORDS)).join("");
      const history = events.length === 0 ? "" : `${lines}\n`;
      return (settings.prefix ?? "") + history + strings.prompt(rawText(strings, question));
    },
    profile: (events, fieldMaxWords) =>
      strings.profile(pythonList(events.map((event) => historyLine(strings, event, fieldMaxWords).slice(0, -1)))),
  };
}

export const isOppuStyle = (style: PromptStyle): style is OppuStyle => "strings" in style;

/** Returns one history item as OPPU shows and indexes it, each field cut to `maxWords`, with its line break. */
export function historyLine(strings: OppuStrings, event: Event, maxWords: number): string {
  return `${strings.history(firstWords(event.content, maxWords), firstWords(event.label ?? "", maxWords))}\n`;
}

/** Python's `str(list of str)`. */
export function pythonList(items: readonly string[]): string {
  return `[${items.map(pythonString).join(", ")}]`;
}

/** Words per field of a test user's history. Source: OPPU.py (368; 768 in training). */
const HISTORY_MAX_WORDS = 368;

/** The text behind the marker as it stands. */
function rawText({ marker }: OppuStrings, question: Question): string {
  const at = marker === undefined ? -1 : question.text.indexOf(marker);
  return marker === undefined || at < 0 ? question.content : question.text.slice(at + marker.length);
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns Python's `repr(str)`: single quotes unless only those occur inside; what Python cannot print is escaped. */
function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\n\r\t']|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : "'";
    return ESCAPES[char] ?? escapedCode(char.codePointAt(0) ?? 0);
  });
  return quote + body + quote;
}

function escapedCode(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

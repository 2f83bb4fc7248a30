import { everyBetween } from "../../../text/scan.js";
import type { Message, ModelRequest } from "../../../types/index.js";

/** The contents of one request, before anything is concluded from it. */
export interface Prompt {
  /** The question to answer: the last one of the last user turn that holds one. */
  readonly asked: Asked | undefined;
  /** Everything shown beside that question: system text, earlier parts of the turn, other turns, tool results. */
  readonly shown: string;
  /** The last user turn: where instructions stand that are not benchmark questions. */
  readonly turn: string;
  readonly system: string;
  /** The text after the question: the scratchpad of a text protocol, the model's own turns, tool results. */
  readonly transcript: string;
}

/** Reads a request as a model would: nothing but its text. */
export function readPrompt(request: ModelRequest): Prompt {
  const { system = "", messages } = request;
  const texts = messages.map(textOf);
  const turns = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const turn = texts[turns.at(-1) ?? 0] ?? "";
  for (const at of turns.toReversed()) {
    const text = texts[at]!;
    const asked = findQuestions(text).at(-1);
    if (asked === undefined || asked.query === "") continue;
    const [before, behind] = [text.slice(0, asked.start), text.slice(asked.end)];
    const shown = [system, ...texts.slice(0, at), before, behind, ...texts.slice(at + 1)].filter(Boolean).join("\n");
    const later = messages.slice(at + 1).map((message) => (message.role === "assistant" ? message.content : ""));
    return { asked, shown, turn, system, transcript: [behind, ...later].join("\n") };
  }
  if (request.system === undefined && texts.length === 1 && /^[^\n]+\?$/.test(turn)) {
    const bare = { options: [], optionTexts: [], inserted: [], start: 0, end: turn.length };
    return { asked: { kind: "open", query: turn, ...bare }, shown: "", turn, system, transcript: "" };
  }
  return { asked: undefined, shown: [system, ...texts].join("\n"), turn, system, transcript: "" };
}

/** A model's own words are no evidence: assistant turns are left out. */
function textOf(message: Message): string {
  if (message.role === "user") return message.content;
  return message.role === "assistant" ? "" : message.results.map(({ content }) => content).join("\n");
}

/** A question of a benchmark prompt: what may be answered and what it is about. */
export interface Asked {
  readonly kind: "choice" | "open" | "preference" | "rating" | "reference" | "title" | "rewrite" | "text";
  /** Allowed answers in prompt order; empty for free text. */
  readonly options: readonly string[];
  /** The meaning of each option, where the prompt says so (`[1]: "..."`). */
  readonly optionTexts: readonly string[];
  /** The item asked about. */
  readonly query: string;
  /** Texts of the user that stand inside the question itself (LaMP-1's inserted titles). */
  readonly inserted: readonly string[];
  /** The place of the question in its text: [start, end). */
  readonly start: number;
  readonly end: number;
}

/** Returns every question in a text, in order. A demonstration's question ends where the next one starts. */
export function findQuestions(text: string): Asked[] {
  const found = forms.flatMap((form) => form.find(text).map((match) => ({ form, match })));
  found.sort((a, b) => a.match.start - b.match.start);
  return found.map(({ form, match: { start, end: contentStart, groups } }, i) => {
    const next = found[i + 1]?.match.start ?? text.length;
    const [query = ""] = text.slice(contentStart, Math.max(contentStart, next)).split(itemEnd, 1);
    return {
      ...{ optionTexts: [], inserted: [], start, end: contentStart + query.length },
      query: query.trim().replace(CUE, "").trimEnd(),
      ...form.read(groups),
    };
  });
}

/** OPPU's templates end with the cue of the answer: `... category:`. */
const CUE = /(?<=\s)(?:tag|category|score|title|headline|reference|tweet)\s*:$/i;

/** A text-protocol scratchpad, or a headed block of evidence (a line of users that ends in a colon), may follow the item. */
const itemEnd = /\n(?:Thought|Observation|Begin!)|\n[^\S\n]*\n(?=[^\n]{0,80}\busers?\b[^\n]{0,40}:[^\S\n]*\n)/;

/** A question as it stands in a text, [start, end), and what was found in it. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** The marks of a task's questions, and what they ask for. */
interface Form {
  find(text: string): Match[];
  read(groups: readonly string[]): Pick<Asked, "kind" | "options"> & Partial<Asked>;
}

const form = (
  pattern: RegExp,
  kind: Asked["kind"],
  optionsOf: (groups: readonly string[]) => string[] = () => [],
): Form => ({
  find: (text) =>
    [...text.matchAll(pattern)].map((match) => ({
      ...{ start: match.index, end: match.index + match[0].length },
      groups: match.slice(1),
    })),
  read: (groups) => ({ kind, options: optionsOf(groups) }),
});

const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^["']|["']$/g, "")
    .trim();
const listed = ([list = ""]: readonly string[]): string[] => list.split(",").map(unquoted).filter(Boolean);
const scale = ([low, high]: readonly string[]): string[] =>
  Array.from({ length: Math.max(0, Number(high) - Number(low) + 1) }, (_, i) => String(Number(low) + i));

const forms: readonly Form[] = [
  // LaMP-2M, LaMP-2N and their OPPU variants
  form(
    /(?:Which \w+ does[^[\n]{0,240})?\b(?:tags|categories|labels|options)\s*:\s*\[([^[\]\n]+)\][.,]?\s*(?:(?:description|article|review|text|paper|movie|item|abstract)\s*:)?\s*/gi,
    "choice",
    listed,
  ),
  // profile-questions: known attributes and a blank line before the bare question
  form(/(?<=What is known of the person:\n(?:[^\n]+\n)+\n)(?=[^\n]+$)/g, "open"),
  // home-commands
  form(/\bpossible answers: \[([^[\]\n]+)\]\s*question:\s*/gi, "preference", listed),
  // LaMP-3
  form(
    /(?:What is the score[^\n]{0,120}?)?\b(?:scale (?:of|from)|from) (\d) (?:to|-) (\d{1,2})\b[^\n]{0,160}?\b(?:review|text)\s*:\s*/gi,
    "rating",
    scale,
  ),
  // ratings of own data; a history may tell of "people from 22 to 57"
  form(/\b(?:scale of|from) (\d) to (\d|10)\b[^\n:]{0,160}?\b(?!(?:review|text)\b)[a-z]+\s*:\s*/gi, "rating", scale),
  {
    // LaMP-1; the titles of the user stand inside, after the word "title"
    find: (text) =>
      everyBetween(text, [
        "For an author who has written the paper with the title",
        /, which reference is related\?[\s\S]{0,160}?\[1\]\s*:\s*"/g,
        /"\s*\[2\]\s*:\s*"/g,
        /"(?=\s*(?:\n|$))/g,
      ]).map(({ parts, ...span }) => ({ ...span, groups: parts })),
    read([written = "", ...optionTexts]) {
      const titles = written
        .replace(/^, and "/, ' "')
        .split(/", and "|" "/)
        .map(unquoted);
      return { kind: "reference", options: ["[1]", "[2]"], optionTexts, query: titles.pop()!, inserted: titles };
    },
  },
  {
    find: findLettered,
    read: ([query = "", ...optionTexts]) => ({
      ...{ kind: "reference", optionTexts, query },
      options: optionTexts.map((_, index) => LETTERS[index]!),
    }),
  },
  // LaMP-4, LaMP-5 and their OPPU variants
  form(
    /Generate an? (?:title|headline) for the following[^:\n]{0,60}?[:.]\s*(?:(?:article|abstract|paper|text)\s*:)?\s*/gi,
    "title",
  ),
  // LongLaMP
  form(/\bGenerate (?:the|an?) (?:review text|abstract for the title|content for a reddit post)\s*/gi, "text"),
  // LaMP-7
  form(/Paraphrase the following (?:tweet|text)[^:\n]{0,80}:\s*/gi, "rewrite"),
];

const LETTERS = "abcdefghij";

/**
 * Finds questions with lettered options (PersonaMem, own data), `(a) ...` a line each: what stands in front of the options, then the
 * options. These end at an empty line; the question is what stands in the two paragraphs before them.
 */
function findLettered(text: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf("\n(a) "); at >= 0; at = text.indexOf("\n(a) ", at + 1)) {
    const starts = [at];
    for (const letter of LETTERS.slice(1)) {
      const next = text.indexOf(`\n(${letter}) `, starts.at(-1)! + 1);
      if (next < 0) break;
      starts.push(next);
    }
    const blank = text.indexOf("\n\n", starts.at(-1)! + 1);
    const end = blank < 0 ? text.length : blank;
    const options = starts.map((start, index) => text.slice(start + "\n(a) ".length, starts[index + 1] ?? end).trim());
    let edge = at;
    while (text[edge - 1] === "\n") edge -= 1;
    const paragraph = text.lastIndexOf("\n\n", edge - 1);
    const before = paragraph <= 0 ? -1 : text.lastIndexOf("\n\n", paragraph - 1);
    const start = before < 0 ? 0 : before + 2;
    if (options.length > 1) found.push({ start, end, groups: [text.slice(start, at).trim(), ...options] });
  }
  return found;
}

import { countsOf } from "../../../text/count.js";
import { englishStopWords } from "../../../text/tokens.js";
import type { Message, ModelRequest } from "../../../types/index.js";

/** Cuts a text into lower-cased words. */
export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];

/** Returns the stems of the content words of a text, in order. */
export const terms = (text: string): string[] =>
  words(text).flatMap((word) => (englishStopWords.has(word) ? [] : stem(word)));

/** Cuts one common English ending; crude, but the same on both sides of every comparison. */
function stem(word: string): string {
  const plain = word.replace(/['’]s?$/, "");
  if (plain.length <= 3) return plain;
  const ending = endings.find((one) => plain.endsWith(one) && plain.length - one.length >= 3);
  return ending === undefined ? plain : plain.slice(0, -ending.length);
}

const endings = "ization ational fulness ingly edly ness ment ing ies ied ed es ly s y".split(" ");

/** Sorts by falling counts, equal ones by name. */
export const ranked = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

/** Returns the content words that stand in most of the texts, as they are spelled there. */
export function typicalWords(texts: readonly string[], limit: number): string[] {
  const spelling = new Map<string, string>();
  for (const word of texts.flatMap(words).toReversed()) spelling.set(stem(word), word);
  const holders = countsOf(texts.flatMap((text) => [...new Set(terms(text))]));
  const typical = ranked(holders).filter(([term]) => !/^\d/.test(term));
  return typical.slice(0, limit).map(([term]) => spelling.get(term)!);
}

/** Counts the different terms that two texts share. */
export function sharedTerms(a: string, b: string): number {
  const known = new Set(terms(b));
  return new Set(terms(a).filter((term) => known.has(term))).size;
}

/** Returns the likeness of a text to each of others, 0..1: the cosine of their terms, the rare ones of which count more. */
export function likenessTo(query: string, texts: readonly string[]): number[] {
  const asked = [...new Set(terms(query))];
  const known = texts.map((text) => new Set(terms(text)));
  const holders = countsOf(known.flatMap((one) => [...one]));
  const weights = new Map<string, number>();
  for (const term of [...holders.keys(), ...asked])
    weights.set(term, Math.log(1 + (texts.length + 2) / ((holders.get(term) ?? 0) + 0.5)) ** 2);
  const weightOf = (some: readonly string[]): number => sumOf(some.map((term) => weights.get(term)!));
  return known.map((one) => {
    const shared = asked.filter((term) => one.has(term));
    return shared.length === 0 ? 0 : weightOf(shared) / Math.sqrt(weightOf(asked) * weightOf([...one]));
  });
}

/** Returns probabilities from log-scores, in the order of `options`. */
export function softmax(options: readonly string[], scoreOf: (option: string, at: number) => number) {
  const scores = options.map(scoreOf);
  const odds = scores.map((value) => Math.exp(value - Math.max(...scores)));
  const total = sumOf(odds);
  return new Map(options.map((option, i) => [option, odds[i]! / total]));
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The contents of a request. */
export interface Prompt {
  readonly asked: Asked | undefined;
  /** Everything shown beside the question: system text, earlier parts of the turn, other turns, tool results. */
  readonly shown: string;
  /** The last user turn. */
  readonly turn: string;
  readonly system: string;
  /** True where the turn wants a text about what it shows. */
  readonly isDemand: boolean;
}

/** A question in one of the forms in which people ask. */
export interface Asked {
  readonly kind: "choice" | "rating" | "reference" | "title" | "rewrite" | "text";
  /** Allowed answers in prompt order; empty for free text. */
  readonly options: readonly string[];
  /** What each option means, where the prompt says so. */
  readonly meanings: readonly string[];
  /** What is asked about. */
  readonly query: string;
  /** The place of the question in its turn: [start, end). */
  readonly start: number;
  readonly end: number;
}

/** Reads a request as a model would: nothing but its text. */
export function readPrompt({ system = "", messages, logprobs }: ModelRequest): Prompt {
  const texts = messages.map(textOf);
  const turn = texts[messages.findLastIndex(({ role }) => role === "user")] ?? "";
  const isDemand = logprobs === undefined && wantsTextAlone(turn);
  const canAsk = ({ role }: Message): boolean => role === "user" && !isDemand;
  const questions = messages.map((message, at) => (canAsk(message) ? lastQuestion(texts[at]!) : undefined));
  const last = questions.findLastIndex((one) => one !== undefined);
  const asked = questions[last];
  if (asked !== undefined) texts[last] = `${texts[last]!.slice(0, asked.start)}\n${texts[last]!.slice(asked.end)}`;
  return { asked, shown: [system, ...texts].filter(Boolean).join("\n"), turn, system, isDemand };
}

/** A model's own words are no evidence: assistant turns are left out. */
function textOf(message: Message): string {
  if (message.role === "user") return message.content;
  return message.role === "assistant" ? "" : message.results.map(({ content }) => content).join("\n");
}

/** As in "Write only the summary", "Reply with the description only", "Give feedback only". */
const ALONE =
  /^(?:summarize|describe)\b|\b(?:write|reply|give|send|be|generate)\b.{0,80}\b(?:only|alone|concise)\b|\bnothing else\b/i;

/** Tells by the first and the last line of a turn whether it wants one text; a line that puts a question wants its answer. */
function wantsTextAlone(turn: string): boolean {
  if (turn.includes("\n(a) ")) return false;
  const lines = turn.trim().split("\n");
  const [first, last] = [lines[0]!, lines.at(-1)!];
  if (last.endsWith(":") && last !== "Thought:") return lastQuestion(last) === undefined;
  return lines.length > 1 && [first, last].some((line) => ALONE.test(line) && lastQuestion(line) === undefined);
}

interface Form {
  readonly pattern: RegExp;
  /** Reads a match; undefined where it is no question. What it leaves out: no options, the rest of the text as the query. */
  read(match: RegExpExecArray, text: string): (Partial<Asked> & Pick<Asked, "kind">) | undefined;
}

const forms: readonly Form[] = [
  {
    pattern: /\b\w+\s*:\s*\[([^[\]\n:]+,[^[\]\n:]+)\][.,]?\s*/g, // tags: [a, b, c]
    read([, list = ""]) {
      const options = list.split(",").map((option) => option.trim().replace(/^["']|["']$/g, ""));
      return options.some(({ length }) => length > 60) ? undefined : { kind: "choice", options };
    },
  },
  {
    pattern: /\b(?:from|scale of) (\d) (?:to|-) (\d|10)\b[^:\n]{0,160}:\s*/g, // on a scale of 1 to 5
    read: ([, low, high]) => ({
      kind: "rating",
      options: "0 1 2 3 4 5 6 7 8 9 10".split(" ").slice(+low!, +high! + 1),
    }),
  },
  {
    pattern: /"([^"\n]*)"[^"\n]*\[1\]: "([^"\n]*)"\s*\[2\]: "([^"\n]*)"/g, // "title", which? [1]: "..." [2]: "..."
    read: ({ index, 1: query = "", 2: first = "", 3: second = "" }) => ({
      ...{ kind: "reference", options: ["[1]", "[2]"], meanings: [first, second], query, start: index },
    }),
  },
  {
    pattern: /\n\(a\) (?:[^\n]|\n(?!\n))*/g, // (a) ..., a line an option, down to an empty line
    read({ index, 0: list }, text) {
      const meanings = list.split(/\n\([a-j]\) /).slice(1);
      const query = text.slice(0, index).trimEnd().split("\n\n").slice(-2).join("\n\n");
      const options = meanings.map((_, at) => "abcdefghij"[at]!);
      return { kind: "reference", options, meanings, query, start: text.lastIndexOf(query, index) };
    },
  },
  { pattern: /\b(?:Generate|Write) an? (?:title|headline)\b[^:]{0,120}:\s*/g, read: () => ({ kind: "title" }) },
  { pattern: /\b(?:Paraphrase|Rewrite) [^:\n]{0,120}:\s*/g, read: () => ({ kind: "rewrite" }) },
  { pattern: /\bGenerate (?:an?|the) (?!title|headline)/g, read: () => ({ kind: "text" }) },
];

/** Returns the question of a text that stands last. */
function lastQuestion(text: string): Asked | undefined {
  const found = forms.flatMap(({ pattern, read }) => {
    const match = [...text.matchAll(pattern)].at(-1);
    const asked = match && read(match, text);
    if (asked === undefined) return [];
    return { end: match!.index + match![0].length, start: lineStart(text, match!.index), ...asked };
  });
  const last = found.sort((a, b) => b.end - a.end)[0];
  if (last === undefined) return undefined;
  const rest = last.query === undefined ? text.slice(last.end).split(/\n(?:Thought|Observation)\s*:/, 1)[0]! : "";
  const query = last.query ?? rest.replace(/\s\w+\s*:\s*$|^\s*\w+\s*:\s/g, "").trim();
  return query === "" ? undefined : { options: [], meanings: [], ...last, query, end: last.end + rest.length };
}

/** Evidence may stand in front of a question on its line: the question begins behind the last quoted item. */
function lineStart(text: string, at: number): number {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  const quoted = text.slice(line, at).search(/["”]\s*\.\s[^"”]*$/);
  return quoted < 0 ? line : line + quoted + 1;
}

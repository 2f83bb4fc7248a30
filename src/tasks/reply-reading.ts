import { parsePythonFloat, pyStrip } from "../text/python.js";
import { escapeRegExp } from "../text/words.js";
import type { Outcome, Question, Reading, Task } from "../types/index.js";

export const UNPARSED: Reading = { kind: "unparsed" };
export const answerReading = (answer: string): Reading => ({ kind: "answer", answer });

/** Reads officially: the reply, stripped, is one of the labels, letter by letter. Source: LaMP eval/evaluation.py. */
export function exactLabel(labels: readonly string[]): (reply: string) => Reading {
  return (reply) => {
    const text = pyStrip(reply);
    return labels.includes(text) ? answerReading(text) : UNPARSED;
  };
}

/**
 * A label inside wrapping, whatever its case. In order: the whole reply unwrapped, its first line, then the one label that
 * stands in it as a whole word, longest labels first (`dark comedy` is no `comedy`). Two different labels are no answer.
 */
export function namedLabel(labels: readonly string[]): (reply: string) => Reading {
  const byText = new Map(labels.map((label) => [label.toLowerCase(), label]));
  const longestFirst = [...labels].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const mention = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}-])`, "giu");
  return (reply) => {
    const whole = byText.get(unwrap(reply).toLowerCase()) ?? byText.get(firstLine(reply).toLowerCase());
    if (whole !== undefined) return answerReading(whole);
    const named = new Set(
      unwrap(reply)
        .match(mention)
        ?.map((word) => word.toLowerCase()),
    );
    const only = byText.get([...named][0] ?? "");
    return named.size === 1 && only !== undefined ? answerReading(only) : UNPARSED;
  };
}

/** Reads a rating officially: Python's `float(text.strip())`, finite as a 32-bit float (else the scorer crashes). Source: LaMP eval/evaluation.py. */
export function numberAnswer(reply: string): Reading {
  const text = pyStrip(reply);
  const value = parsePythonFloat(text);
  return value !== undefined && Number.isFinite(Math.fround(value)) ? answerReading(text) : UNPARSED;
}

/** The scale that a rating is given on: `on a scale of 1 to 5`, `from 1 to 5`, `a 1-5 scale`, `out of 5`. */
const SCALE =
  /\b(?:of|from|between) {1,3}\d+ {0,3}(?:to|and|-|–) {0,3}\d+\b|\b\d+ {0,3}(?:to|-|–) {0,3}\d+ {1,3}scale\b|\bout of {1,3}\d+\b/gi;

/**
 * The unwrapped reply where it is a number, else the first of the ratings that stands alone in it, beside its scale: not the 4 of
 * `4.5`, nor the 1 of `10`.
 */
export function namedNumber(ratings: readonly string[]): (reply: string) => Reading {
  const longestFirst = [...ratings].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const standalone = new RegExp(`(?<![\\p{L}\\p{N}.])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}]|[.,]\\d)`, "u");
  return (reply) => {
    const whole = numberAnswer(unwrap(reply));
    if (whole.kind === "answer") return whole;
    const rating = standalone.exec(unwrap(reply).replace(SCALE, " "))?.[0];
    return rating === undefined ? UNPARSED : answerReading(rating);
  };
}

/** Takes off what chat models wrap answers in: `Final Answer:`, code fences, quotes, emphasis, a trailing period. Source: METHODS 0.3. */
export function unwrap(reply: string): string {
  const final = /^.*\bfinal answer\s*(?:is\s*)?:/is.exec(reply);
  let text = pyStrip(final === null ? reply : reply.slice(final[0].length));
  text = pyStrip(text.replace(/^```[a-z]*\s*\n?/i, "").replace(/\n?```$/, ""));
  for (let bare = peel(text); bare !== text; bare = peel(text)) text = bare;
  return text;
}

/** The first line that is not blank, unwrapped. */
function firstLine(reply: string): string {
  return unwrap(pyStrip(unwrap(reply)).split("\n")[0] ?? "");
}

const PAIRS = ['""', "''", "``", "“”", "‘’", "«»", "**", "__"];

/** Removes one layer of wrapping. */
function peel(text: string): string {
  const first = text.slice(0, 1);
  const last = text.slice(-1);
  if (text.length > 1 && PAIRS.includes(first + last)) return pyStrip(text.slice(1, -1));
  return text.endsWith(".") && !text.endsWith("..") ? pyStrip(text.slice(0, -1)) : text;
}

/** Reads generated text officially: every text is an answer, the empty one too. */
export const anyText = (reply: string): Reading => answerReading(pyStrip(reply));

/** Returns the text without wrapping and without a leading `Title:`. Nothing left: unparsed. */
export function bareText(prefixPattern: string): (reply: string) => Reading {
  const prefix = new RegExp(`^${prefixPattern}\\s*:\\s*`, "i");
  return (reply) => {
    const text = unwrap(unwrap(reply).replace(prefix, ""));
    return text === "" ? UNPARSED : answerReading(text);
  };
}

/**
 * Reads a reply by both readings: the official one decides between `answered` and `unparsed`; the answer that the lenient one
 * found stands beside it.
 */
export function readReply(task: Task, question: Question, reply: string): Exclude<Outcome, { kind: "failed" }> {
  const lenient = task.lenient(reply, question);
  const found = lenient.kind === "answer" ? { lenient: lenient.answer } : {};
  return { kind: task.strict(reply).kind === "answer" ? "answered" : "unparsed", reply, ...found };
}

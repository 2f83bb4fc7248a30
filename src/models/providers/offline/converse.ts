import { trimSigns } from "../../../text/scan.js";
import { likenessTo, softmax } from "./likeness.js";
import type { Prompt } from "./read-prompt.js";
import { termCounts, terms } from "./words.js";

const TOLD_START = '\nThe user said: "';
const TOLD_END = '"\nNew fact:';

const FIRST_PERSON = /(?:^|[\s"'(])(?:I|I'm|I've|I'd|my|mine|we|our)(?=[\s,'’.]|$)/i;
const ASKING =
  /\?$|^(?:can|could|would|will|please|tell|help|explain|give|remind|what|which|who|when|where|how|do|did)\b/i;

/** Returns the first sentence of a line in which somebody tells of himself, else `NO_FACT`. Undefined where no new fact is demanded. */
export function factTold(text: string): string | undefined {
  if (!text.endsWith(TOLD_END)) return undefined;
  const start = text.lastIndexOf(TOLD_START, text.length - TOLD_END.length - TOLD_START.length);
  const demand = text.indexOf("new personal fact");
  if (demand < 0 || start < demand) return undefined;
  const said = text.slice(start + TOLD_START.length, -TOLD_END.length);
  const sentences = said.split(/(?<=[.!?])\s+/).map((sentence) => sentence.trim());
  const fact = sentences.find((sentence) => FIRST_PERSON.test(sentence) && !ASKING.test(sentence));
  if (fact === undefined) return "NO_FACT";
  const bare = fact.replace(/^(?:by the way|also|oh|well|so|and)\b[,:]?\s*/i, "");
  return `${bare.charAt(0).toUpperCase()}${trimSigns(bare.slice(1), "", "!.")}.`;
}

/** Facts that a reply repeats. */
const MOST_RECALLED = 2;

/**
 * Returns a reply made of the known facts and earlier lines that share words with what was said; a general one where none does.
 * Undefined where no assistant is spoken to.
 */
export function converse({ system, turn, asked }: Prompt): string | undefined {
  const isAssistant = /^You are (?:the personal assistant of one user|a helpful assistant)\b/.test(system);
  if (asked !== undefined || !isAssistant) return undefined;
  const wanted = termCounts(turn);
  const known = [...new Set(system.split("\n").flatMap((line) => /^(?:- |User: )(.+)$/.exec(line)?.[1] ?? []))];
  const alike = known
    .map((text, at) => ({ text, at, shared: new Set(terms(text).filter((term) => wanted.has(term))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || a.at - b.at)
    .slice(0, MOST_RECALLED);
  if (alike.length > 0) return `You told me: ${alike.map(({ text }) => text).join(" ")}`;
  const about = [...wanted.keys()].slice(0, 4).join(", ");
  return about === "" ? "I am here to help." : `Here is what I can say of ${about}.`;
}

/** Said where nothing is known: each begins with another word. */
const GENERAL = [
  "It depends on many things.",
  "People differ here.",
  "Ask somebody nearby.",
  "There are several ways.",
  "One could begin anywhere.",
  "Look it up first.",
  "Try what comes to mind.",
  "Most would say so.",
];
const SHARPNESS = 16;
/** Known things that do not speak to the question are hardly said. */
const DOUBT = 3;

/**
 * Returns how likely each reply to an open question is: what is known of the person, by how much it speaks to the question, and replies
 * that fit anybody. The more one known thing speaks to the question, the surer the reply.
 */
export function replies(question: string, known: readonly string[]): Map<string, number> {
  const scores = new Map(GENERAL.map((text) => [text, 0]));
  for (const [at, { words, topics }] of likenessTo(question, known).entries())
    scores.set(`Since ${known[at]!.replace(/\.$/, "")}, take that.`, SHARPNESS * (words + topics) - DOUBT);
  return softmax([...scores.keys()], (text) => scores.get(text)!);
}

/** Returns the same for a line said to an assistant: the last paragraph of a turn, above which stands what is known. */
export function repliesToLine(turn: string): Map<string, number> {
  const [line = "", ...above] = turn.split("\n\n").toReversed();
  return replies(
    line,
    above.flatMap((paragraph) => paragraph.split("\n").slice(1)), // below its heading
  );
}

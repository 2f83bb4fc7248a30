import { trimSigns } from "../../../text/scan.js";
import { likenessTo, softmax } from "./likeness.js";
import type { Prompt } from "./read-prompt.js";
import { termCounts, terms } from "./words.js";

/** A line in which a user tells something: `The user said: "..."` behind a demand for a new fact; undefined for any other text. */
export function readTold(text: string): string | undefined {
  if (!text.endsWith(TOLD_END)) return undefined;
  const start = text.lastIndexOf(TOLD_START, text.length - TOLD_END.length - TOLD_START.length);
  const demand = text.indexOf("new personal fact");
  return demand < 0 || start < demand ? undefined : text.slice(start + TOLD_START.length, -TOLD_END.length);
}

/** The first sentence in which somebody tells of himself; `NO_FACT` where there is none. */
export function factOf(said: string): string {
  const sentences = said.split(/(?<=[.!?])\s+/).map((sentence) => sentence.trim());
  const fact = sentences.find((sentence) => FIRST_PERSON.test(sentence) && !isAsking(sentence));
  if (fact === undefined) return "NO_FACT";
  const bare = fact.replace(/^(?:by the way|also|oh|well|so|and)\b[,:]?\s*/i, "");
  return `${bare.charAt(0).toUpperCase()}${trimSigns(bare.slice(1), "", "!.")}.`;
}

/** Whether a prompt is a line said to an assistant. */
export const isConversation = ({ system }: Prompt): boolean =>
  /^You are (?:the personal assistant of one user|a helpful assistant)\b/.test(system);

/** A reply made of the known facts and earlier lines that share words with what was said; a general one where none does. */
export function converse({ system, turn }: Prompt): string {
  const asked = termCounts(turn);
  const known = [...new Set(system.split("\n").flatMap((line) => /^(?:- |User: )(.+)$/.exec(line)?.[1] ?? []))];
  const alike = known
    .map((text, at) => ({ text, at, shared: new Set(terms(text).filter((term) => asked.has(term))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || a.at - b.at)
    .slice(0, mostRecalled);
  const about = [...asked.keys()].slice(0, 4).join(", ");
  const opening = about === "" ? "I am here to help." : `Here is what I can say of ${about}.`;
  return alike.length === 0 ? opening : `You told me: ${alike.map(({ text }) => text).join(" ")}`;
}

const TOLD_START = '\nThe user said: "';
const TOLD_END = '"\nNew fact:';

/** Facts that a reply repeats. */
const mostRecalled = 2;

const FIRST_PERSON = /(?:^|[\s"'(])(?:I|I'm|I've|I'd|my|mine|we|our)(?=[\s,'’.]|$)/i;

const isAsking = (sentence: string): boolean =>
  sentence.endsWith("?") ||
  /^(?:can|could|would|will|please|tell|help|explain|give|remind|what|which|who|when|where|how|do|did)\b/i.test(
    sentence,
  );

/**
 * How likely each reply to an open question is: what is known of the person, by how much it speaks to the question, and replies that
 * fit anybody. The more one known thing speaks to the question, the surer the reply.
 */
export function reply(question: string, shown: string): Map<string, number> {
  return replyKnowing(
    question,
    shown.split("\n").filter((line) => /^[^:\n]{1,40}: \S/.test(line)),
  );
}

/** The same of a line said to an assistant: the last paragraph of a turn, above which stands what is known. */
export function replyToLine(turn: string): Map<string, number> {
  const [line = "", ...above] = turn.split("\n\n").toReversed();
  return replyKnowing(
    line,
    above.flatMap((paragraph) => paragraph.split("\n").slice(1)), // below its heading
  );
}

function replyKnowing(question: string, known: readonly string[]): Map<string, number> {
  const likeness = likenessTo(question, known);
  const scores = new Map(GENERAL.map((text) => [text, 0]));
  known.forEach((line, at) => {
    const { words, topics } = likeness[at] ?? { words: 0, topics: 0 };
    const said = `Since ${line.replace(/\.$/, "")}, take that.`;
    scores.set(said, SHARPNESS * (words + topics) - DOUBT);
  });
  return softmax([...scores.keys()], (text) => scores.get(text) ?? 0);
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

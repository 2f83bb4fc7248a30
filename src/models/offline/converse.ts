import { trimSigns } from "../../text/scan.js";
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

import { between, trimSigns } from "../../../text/scan.js";
import { likenessTo, softmax } from "./likeness.js";
import type { Prompt } from "./prompt.js";
import { termCounts, terms, typicalWords } from "./words.js";

/** Returns a verdict on one reply or two, by shared words alone: no judgement, but the same for the same texts. Undefined where none is asked for. */
export function verdict({ system, turn }: Prompt): string | undefined {
  if (!/^You (?:judge|compare) replies of (?:an assistant|assistants)\b/.test(system)) return undefined;
  const replies = (
    between(turn, ["The assistant's reply:\n", "\n\nScore this reply"]) ??
    between(turn, ["Reply 1:\n", "\n\nReply 2:\n", "\n\nWhich reply serves"])
  )?.parts;
  if (replies === undefined) return undefined;
  const known = between(turn, ["What holds of the user:\n", "\n\n"])?.parts[0] ?? "";
  const said =
    between(turn, ["What the user says now:\n", /\n\n(?:The assistant's reply|Reply 1):\n/g])?.parts[0] ?? "";
  const [first = 0, second] = replies.map((reply) => pointsOf(reply, known, said));
  const reason = "by shared words";
  if (second === undefined) return JSON.stringify({ score: first, reason });
  const better = first === second ? 0 : first > second ? 1 : 2;
  const criteria = [...turn.matchAll(/"(\w+)_confidence"/g)].map(([, name]) => name); // to be scored one by one
  if (criteria.length === 0) return JSON.stringify({ better, reason });
  const confidence = Math.min(100, 50 + 10 * Math.abs(first - second));
  const each = criteria.map((name) => ({
    ...{ [`${name}`]: String(better), [`${name}_explanation`]: reason, [`${name}_confidence`]: confidence },
  }));
  return JSON.stringify(Object.assign({}, ...each));
}

/** 1 to 10: 3 for a reply that shares no word with what was said, 5 for one that does, up to 5 more for words of what is known. */
function pointsOf(reply: string, known: string, said: string): number {
  const words = new Set(terms(reply));
  return Math.min(10, (sharedTerms(said, words) === 0 ? 3 : 5) + Math.min(5, sharedTerms(known, words)));
}

/** Counts the different terms of a text that are among others. */
export const sharedTerms = (text: string, among: { has(term: string): boolean }): number =>
  new Set(terms(text).filter((term) => among.has(term))).size;

const KNOWN = "What is known of the user:\n";
const ASKS = "The user asks:\n";
/** Likeness below which an item is not named. */
const LEAST = 0.02;

/** Returns the numbered things known of a user that are most like the question, in the form asked for. Undefined where nothing is to be chosen. */
export function pick(text: string): string | undefined {
  const at = text.lastIndexOf(KNOWN);
  const instruction = at < 0 ? "" : text.slice(at);
  if (!instruction.includes('{"chosen":')) return undefined;
  const question = text.slice(text.lastIndexOf(ASKS, at) + ASKS.length, at).trim();
  const lines = instruction.split("\n\n", 1)[0]!.split("\n").slice(1);
  const items = lines.map((line) => line.replace(/^\d+\. /, ""));
  const most = /at most (\d+)|of 1 to (\d+)/.exec(instruction)?.slice(1).find(Boolean) ?? items.length;
  const ranked = likenessTo(question, items)
    .map(({ words, topics }, index) => ({ number: index + 1, score: words + topics }))
    .sort((a, b) => b.score - a.score || a.number - b.number);
  const alike = ranked.filter(({ score }) => score > LEAST);
  const named = alike.length === 0 && instruction.includes("at least 1") ? ranked.slice(0, 1) : alike;
  const chosen = named.slice(0, Number(most)).map(({ number }) => number);
  const isSets = instruction.includes("[[numbers]");
  return JSON.stringify({ chosen: isSets ? chosen.map((_, end) => chosen.slice(0, end + 1)) : chosen });
}

/** Returns whether the question is about whoever asks, by its words; undefined where nobody wants to know. */
export function decide(text: string): string | undefined {
  const at = text.lastIndexOf(ASKS);
  const [question = "", instruction = ""] = at < 0 ? [] : text.slice(at + ASKS.length).split("\n\n");
  if (!instruction.includes('{"personal":')) return undefined;
  return JSON.stringify({ personal: /\b(I|me|my|mine|we|us|our)\b/.test(question) });
}

/**
 * Returns feedback on a persona (system prompt), in a form that later replies can use: what the user's answer says of the user.
 * Undefined where the text holds no question, expected answer and agent's response.
 */
export function critique(text: string): string | undefined {
  const question = field(text, "question");
  const expected = field(text, "(?:expected|correct|gold|true|ground.truth)[ _-]?(?:answer|response|label)?");
  const response = field(text, "(?:agent|model|actual|predicted)[ _-]?(?:answer|response|reply|output)?|response");
  if (question === undefined || expected === undefined || response === undefined) return undefined;
  const [marker] = question.matchAll(/(?:description|article|review|paper|abstract|text)\s*:\s*/gi);
  const item = marker === undefined ? question : question.slice(marker.index + marker[0].length);
  const about = typicalWords([item], [item], 10).join(", ");
  return [
    response.toLowerCase() === expected.toLowerCase()
      ? "The answer is what this user would say; keep what led to it."
      : `The agent answered "${oneLine(response)}", but this user answers "${oneLine(expected)}".`,
    ruleOf(oneLine(expected), about),
    `Search the user's history with such words before general knowledge: ${about}.`,
    "Describe the user by these interests, and prefer the user's own past choices over the obvious answer.",
  ].join("\n");
}

/** Returns what stands behind a heading such as `Expected Answer:`. */
const field = (text: string, name: string): string | undefined =>
  new RegExp(
    `(?:^|\\n)[#* \\t]*(?:${name})[*\\s]*:[*\\s]*([\\s\\S]*?)(?=\\n[#* \\t]*${HEADING}[ _\\w]{0,20}[*\\s]*:|\\n\\n|$)`,
    "i",
  )
    .exec(text)?.[1]
    ?.trim();

const HEADING = "(?:question|expected|correct|gold|agent|model|actual|response)";

const oneLine = (text: string): string => text.replace(/\s+/g, " ").replaceAll('"', "'").trim().slice(0, 200);

const ruleOf = (answer: string, words: string): string =>
  `When the text mentions ${words} the user would answer "${answer}".`;

/**
 * Returns a persona with what the feedback teaches merged in: rules of one answer become one rule, the newest words last. Undefined
 * where no persona is to be rewritten.
 */
export function revise(text: string): string | undefined {
  if (!/\b(?:updat|revis|improv|refin|rewrit)\w*\b/i.test(text)) return undefined;
  const found = between(text, [
    /current (?:system prompt|persona|prompt)[^:\n]{0,40}:/gi,
    /\n[#* \t]*(?:provided |aggregated |the )*feedback[^:\n]{0,60}:\s*/gi,
  ]);
  if (found === undefined) return undefined;
  const rules = new Map<string, Set<string>>();
  const isOther = (line: string): boolean => !takeRule(line, rules) && line !== LEARNED;
  const kept = found.parts[0]!.trim().split("\n").filter(isOther);
  for (const line of text.slice(found.end).replace(CLOSING, "").trim().split("\n")) takeRule(line, rules);
  const written = [...rules].map(([answer, words]) => ruleOf(answer, [...words].slice(-MOST_WORDS).join(", ")));
  return [kept.join("\n").trim(), ...(written.length === 0 ? [] : [LEARNED, ...written])].join("\n");
}

/** Words kept for one answer, so that a persona does not grow without end. */
const MOST_WORDS = 30;
const LEARNED = "What this user's own choices show:";

/** The instruction that may follow the feedback. */
const CLOSING = /\n[^\S\n]*\n(?:Write|Output|Reply|Now|Return|Updated|Improved|Give)[\s\S]*$/;

function takeRule(line: string, rules: Map<string, Set<string>>): boolean {
  const marks = [/when the text mentions /gi, /,? the user would answer "(?=[^"])/gi, '"'];
  const [mentioned, answer] = between(line, marks)?.parts ?? [];
  if (mentioned === undefined || answer === undefined) return false;
  const words = rules.get(answer) ?? new Set<string>();
  for (const word of mentioned.split(/,\s*/)) {
    words.delete(word);
    words.add(word);
  }
  rules.set(answer, words);
  return true;
}

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
  const known = new Set(system.split("\n").flatMap((line) => /^(?:- |User: )(.+)$/.exec(line)?.[1] ?? []));
  const alike = [...known]
    .map((text) => ({ text, shared: sharedTerms(text, wanted) }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
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
  const known = above.flatMap((paragraph) => paragraph.split("\n").slice(1)); // below its heading
  return replies(line, known);
}

import { between } from "../../../text/scan.js";
import { likenessTo } from "./likeness.js";
import type { Prompt } from "./read-prompt.js";
import { terms } from "./words.js";

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
  if (second === undefined) return JSON.stringify({ score: first, reason: "by shared words" });
  const better = first === second ? 0 : first > second ? 1 : 2;
  const criteria = [...turn.matchAll(/"(\w+)_confidence"/g)].map(([, name]) => name); // to be scored one by one
  if (criteria.length === 0) return JSON.stringify({ better, reason: "by shared words" });
  const confidence = Math.min(100, 50 + 10 * Math.abs(first - second));
  const each = criteria.map((name) => ({
    [`${name}`]: String(better),
    [`${name}_explanation`]: "by shared words",
    [`${name}_confidence`]: confidence,
  }));
  return JSON.stringify(Object.assign({}, ...each));
}

/** 1 to 10: 3 for a reply that shares no word with what was said, 5 for one that does, up to 5 more for words of what is known. */
function pointsOf(reply: string, known: string, said: string): number {
  const words = new Set(terms(reply));
  const shared = (text: string): number => new Set(terms(text).filter((term) => words.has(term))).size;
  return Math.min(10, (shared(said) === 0 ? 3 : 5) + Math.min(5, shared(known)));
}

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
    .map(({ words, topics }, index) => ({ index, score: words + topics }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const alike = ranked.filter(({ score }) => score > LEAST);
  const named = alike.length === 0 && instruction.includes("at least 1") ? ranked.slice(0, 1) : alike;
  const chosen = named.slice(0, Number(most)).map(({ index }) => index + 1);
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

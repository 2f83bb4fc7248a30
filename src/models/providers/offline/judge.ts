import { between } from "../../../text/scan.js";
import { likenessTo } from "./likeness.js";
import type { Prompt } from "./read-prompt.js";
import { terms } from "./words.js";

/** What a judge is asked: what is known, what is said, and one reply or two. */
interface Asked {
  readonly known: string;
  readonly said: string;
  readonly replies: readonly string[];
  /** Names that are to be scored one by one, with confidence; none: one verdict. */
  readonly criteria: readonly string[];
}

/** Reads a demand for a verdict on replies; undefined for any other text. */
export function readVerdictAsked({ system, turn }: Prompt): Asked | undefined {
  if (!/^You (?:judge|compare) replies of (?:an assistant|assistants)\b/.test(system)) return undefined;
  const criteria = [...turn.matchAll(/"(\w+)_confidence"/g)].map(([, name = ""]) => name);
  const known = between(turn, ["What holds of the user:\n", "\n\n"])?.parts[0] ?? "";
  const said =
    between(turn, ["What the user says now:\n", /\n\n(?:The assistant's reply|Reply 1):\n/g])?.parts[0] ?? "";
  const replies = (
    between(turn, ["The assistant's reply:\n", "\n\nScore this reply"]) ??
    between(turn, ["Reply 1:\n", "\n\nReply 2:\n", "\n\nWhich reply serves"])
  )?.parts;
  return replies === undefined ? undefined : { known, said, replies, criteria };
}

/** A verdict by shared words alone: no judgement, but the same for the same texts. */
export function verdictOn({ known, said, replies, criteria }: Asked): string {
  const points = replies.map((reply) => pointsOf(reply, known, said));
  const [first = 0, second] = points;
  if (second === undefined) return JSON.stringify({ score: first, reason: "by shared words" });
  const better = first === second ? 0 : first > second ? 1 : 2;
  if (criteria.length === 0) return JSON.stringify({ better, reason: "by shared words" });
  const confidence = Math.min(100, 50 + 10 * Math.abs(first - second));
  const each = criteria.map((name) => ({
    [name]: String(better),
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

/** A request to choose among numbered things that are known of a user. */
interface Picking {
  readonly question: string;
  readonly items: readonly string[];
  readonly most: number;
  /** One must be named. */
  readonly needsOne: boolean;
  /** Sets of items are asked for. */
  readonly sets: boolean;
}

/** Undefined where nothing is to be chosen. */
export function readPicking(text: string): Picking | undefined {
  const at = text.lastIndexOf(KNOWN);
  const instruction = at < 0 ? "" : text.slice(at);
  if (!instruction.includes('{"chosen":')) return undefined;
  const asked = text.lastIndexOf(ASKS, at);
  const items = instruction.split("\n\n", 1)[0]!.split("\n").slice(1);
  return {
    question: text.slice(asked + ASKS.length, at).trim(),
    items: items.map((line) => line.replace(/^\d+\. /, "")),
    most: Number(/at most (\d+)|of 1 to (\d+)/.exec(instruction)?.slice(1).find(Boolean) ?? items.length),
    needsOne: instruction.includes("at least 1"),
    sets: instruction.includes("[[numbers]"),
  };
}

/** The items most like the question, in the form that was asked for. */
export function pick({ question, items, most, needsOne, sets }: Picking): string {
  const likeness = likenessTo(question, items);
  const ranked = items
    .map((_, index) => ({ index, score: (likeness[index]?.words ?? 0) + (likeness[index]?.topics ?? 0) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const alike = ranked.filter(({ score }) => score > LEAST);
  const chosen = (alike.length === 0 && needsOne ? ranked.slice(0, 1) : alike)
    .slice(0, most)
    .map(({ index }) => index + 1);
  return JSON.stringify({ chosen: sets ? chosen.map((_, at) => chosen.slice(0, at + 1)) : chosen });
}

/** Whether the question is about whoever asks, by its words; undefined where nobody wants to know. */
export function decided(text: string): string | undefined {
  const at = text.lastIndexOf(ASKS);
  const [question = "", instruction = ""] = at < 0 ? [] : text.slice(at + ASKS.length).split("\n\n");
  if (!instruction.includes('{"personal":')) return undefined;
  return JSON.stringify({ personal: /\b(I|me|my|mine|we|us|our)\b/.test(question) });
}

const KNOWN = "What is known of the user:\n";
const ASKS = "The user asks:\n";
/** Likeness below which an item is not named. */
const LEAST = 0.02;

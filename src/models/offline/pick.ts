import { likenessTo } from "./likeness.js";

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

const KNOWN = "What is known of the user:\n";
const ASKS = "The user asks:\n";
/** Likeness below which an item is not named. */
const LEAST = 0.02;

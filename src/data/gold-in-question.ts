import { plainWords } from "../text/plain-words.js";
import type { Question, Task } from "../types.js";

/** How a question's text gives its gold answer away: by name (`tag: comedy`), or set apart from the prose (`[comedy]`, a last line). */
type GivenAway = "named" | "alone";

/**
 * Reads whether the text that is asked about holds the gold answer as an answer, not as a word of its prose. Undefined where it
 * does not, and for tasks whose questions offer their answers (LaMP-1).
 */
export function goldInQuestion(question: Question, gold: string, task: Task): GivenAway | undefined {
  if (task.choice !== undefined || gold.trim() === "") return undefined;
  const words = gold.trim().split(/\s+/).map(escaped).join("\\s+");
  if (!new RegExp(words, "i").test(question.content)) return undefined;
  const nouns = [...NOUNS, task.answerNoun].join("|");
  const named = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${nouns})s?\\s*(?:is|was|[:=])\\s*["'\\[(]?${words}(?![\\p{L}\\p{N}])`,
    "iu",
  );
  if (named.test(question.content)) return "named";
  if (task.kind === "rating") return undefined; // a digit in brackets is a footnote, not a score
  const alone = [
    `[[({<#]\\s*${words}\\s*(?:[\\])}>]|$)`,
    `(?:^|[.!?\\n])\\s*${words}\\s*[.!]?\\s*$`,
    `^\\s*${words}\\s*(?:[:|\\n]|[-–—]\\s)`,
  ];
  return alone.some((form) => new RegExp(form, "iu").test(question.content)) ? "alone" : undefined;
}

/** Whether two texts have the same words. Nothing equals a text without words. */
export function sameWords(one: string, other: string): boolean {
  const words = plainWords(one);
  return words.length > 0 && words.join(" ") === plainWords(other).join(" ");
}

const NOUNS = ["answer", "gold", "label", "class", "tag", "genre", "category", "score", "rating", "headline", "title"];

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

import { cutWords } from "../../text/words.js";
import type { Event, TaskBrief } from "../../types.js";

/** A past event as its user would tell it (METHODS 11: each event becomes a first-person statement). */
export function statementOf(event: Event, { answerNoun, itemNoun }: TaskBrief, maxWords: number): string {
  const content = cutWords(event.content, maxWords);
  const when = event.date === undefined ? "" : `On ${event.date}: `;
  if (event.label === undefined || event.label === event.content) return `${when}My own ${itemNoun}: "${content}"`;
  return `${when}For the ${itemNoun} "${content}", my ${answerNoun} is ${event.label}`;
}

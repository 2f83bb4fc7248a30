import { exchange, experience } from "../tasks/experience.js";
import type { Answerer, Example, Kit, Outcome, Task, Turn } from "../types.js";

/** Prequential mode: an answered question enters memory with its gold. */
export async function learned(task: Task, { question, gold }: Example, answerer: Answerer, kit: Kit): Promise<void> {
  if (gold === undefined) return;
  await answerer.learn?.(experience(task, question, gold), kit);
}

/** A turn of a dialogue enters memory: as such where the method observes turns, else as an event where it learns events. */
export async function observed(turn: Turn, asked: boolean, answerer: Answerer, kit: Kit): Promise<void> {
  if (answerer.observe === undefined) await answerer.learn?.(exchange(turn), kit);
  else await answerer.observe(turn, asked, kit);
}

/** The turn that a question of a dialogue was; without a reply where the answer failed. */
export function turnOf({ question: { id, date, text } }: Example, outcome: Outcome): Turn {
  const reply = outcome.kind === "failed" ? {} : { reply: outcome.reply };
  return { id, ...(date === undefined ? {} : { date }), said: text, ...reply };
}

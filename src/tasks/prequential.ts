import type { Answerer, Event, Example, Kit, Outcome, Question, Task, Turn } from "../types/index.js";
import { dated } from "./format.js";

/** Returns an answered question as a history event: what enters memory in prequential mode, once its gold is revealed. */
export function eventOfAnswer(task: Task, question: Question, gold: string): Event {
  if (task.historyItemOf !== undefined) return task.event(task.historyItemOf(question, gold));
  const [option1, option2] = task.parseCitation?.(question.text)?.options ?? [];
  return {
    id: question.id,
    ...dated(question.date),
    fields: { id: question.id, ...(option1 === undefined || option2 === undefined ? {} : { option1, option2 }) },
    content: question.content,
    document: question.query,
    label: gold,
  };
}

/** Returns a turn of a dialogue as a history event: what was said, with the answer as its label. */
const eventOfTurn = ({ id, date, said, reply }: Turn): Event => ({
  id,
  ...dated(date),
  fields: { id },
  content: said,
  document: said,
  ...(reply === undefined ? {} : { label: reply }),
});

/** Lets an answered question enter memory with its gold, in prequential mode. */
export async function learnAnswer(
  task: Task,
  { question, gold }: Example,
  answerer: Answerer,
  kit: Kit,
): Promise<void> {
  if (gold === undefined) return;
  await answerer.learn?.(eventOfAnswer(task, question, gold), kit);
}

/** Lets a turn of a dialogue enter memory: as such where the method observes turns, else as an event where it learns events. */
export async function observeTurn(turn: Turn, isQuestion: boolean, answerer: Answerer, kit: Kit): Promise<void> {
  if (answerer.observe === undefined) await answerer.learn?.(eventOfTurn(turn), kit);
  else await answerer.observe(turn, isQuestion, kit);
}

/** The turn that a question of a dialogue was; without a reply where the answer failed. */
export function turnOf({ question: { id, date, text } }: Example, outcome: Outcome): Turn {
  const reply = outcome.kind === "failed" ? {} : { reply: outcome.reply };
  return { id, ...dated(date), said: text, ...reply };
}

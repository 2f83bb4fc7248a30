import type { Event, Question, Task, Turn } from "../types/index.js";

/** An answered question as a past event: what enters memory in prequential mode, once its gold is revealed. */
export function experience(task: Task, question: Question, gold: string): Event {
  if (task.learned !== undefined) return task.event(task.learned(question, gold));
  const [option1, option2] = task.choice?.(question.text)?.options ?? [];
  return {
    id: question.id,
    ...(question.date === undefined ? {} : { date: question.date }),
    fields: { id: question.id, ...(option1 === undefined || option2 === undefined ? {} : { option1, option2 }) },
    content: question.content,
    document: question.query,
    label: gold,
  };
}

/** A turn of a dialogue as a past event: what was said, with the answer as its label. */
export function exchange({ id, date, said, reply }: Turn): Event {
  return {
    id,
    ...(date === undefined ? {} : { date }),
    fields: { id },
    content: said,
    document: said,
    ...(reply === undefined ? {} : { label: reply }),
  };
}

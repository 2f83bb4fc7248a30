import type { Event, Question, Task } from "../types.js";

/** An answered question as a past event: what enters memory in prequential mode, once its gold is revealed. */
export function experience(task: Task, question: Question, gold: string): Event {
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

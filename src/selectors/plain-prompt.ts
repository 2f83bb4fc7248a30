import type { Event, Question, TaskBrief } from "../types.js";

/** A question behind the lines of past events, for hosts that have no official prompt of their own. */
export function plainPrompt(task: TaskBrief, question: Question): (events: readonly Event[]) => string {
  return (events) => {
    if (events.length === 0) return question.text;
    const lines = events.map((event) => task.show(event)).join("\n");
    return `What this user did before:\n${lines}\n\n${question.text}`;
  };
}

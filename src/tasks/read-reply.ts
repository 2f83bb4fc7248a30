import type { Outcome, Question, Task } from "../types.js";

/**
 * What a reply says, by both readings: the official one decides between `answered` and `unparsed`, what the forgiving one
 * found stands beside it.
 */
export function readReply(task: Task, question: Question, reply: string): Exclude<Outcome, { kind: "failed" }> {
  const lenient = task.lenient(reply, question);
  const forgiving = lenient.kind === "answer" ? { lenient: lenient.answer } : {};
  return { kind: task.strict(reply).kind === "answer" ? "answered" : "unparsed", reply, ...forgiving };
}

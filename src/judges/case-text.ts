import type { JudgeCase } from "../types.js";

/** What is known beside the replies, as a judge reads it. */
export function caseText({ question, reference, persona = [], history = [] }: JudgeCase): string {
  return [
    `What holds of the user:\n${persona.length === 0 ? "nothing is known" : persona.map((fact) => `- ${fact}`).join("\n")}`,
    `What was said before:\n${history.length === 0 ? "nothing" : history.join("\n")}`,
    ...(reference === undefined ? [] : [`What a good answer holds:\n${reference}`]),
    `What the user says now:\n${question}`,
  ].join("\n\n");
}

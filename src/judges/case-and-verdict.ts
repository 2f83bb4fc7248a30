import { jsonIn } from "../text/json.js";
import type { JudgeCase } from "../types/index.js";

/** Returns what is known beside the replies, as a judge reads it. */
export function caseText({ question, reference, persona = [], history = [] }: JudgeCase): string {
  return [
    `What holds of the user:\n${persona.length === 0 ? "nothing is known" : persona.map((fact) => `- ${fact}`).join("\n")}`,
    `What was said before:\n${history.length === 0 ? "nothing" : history.join("\n")}`,
    ...(reference === undefined ? [] : [`What a good answer holds:\n${reference}`]),
    `What the user says now:\n${question}`,
  ].join("\n\n");
}

/** Returns the first JSON object in a reply, braces inside its texts included; undefined where none can be read. */
export function firstObject(reply: string): Readonly<Record<string, unknown>> | undefined {
  const start = reply.indexOf("{");
  for (let end = reply.indexOf("}", start); start >= 0 && end >= 0; end = reply.indexOf("}", end + 1)) {
    const found = jsonIn(reply.slice(start, end + 1));
    if (found !== undefined) return found as Readonly<Record<string, unknown>>; // it begins with a brace
  }
  return undefined;
}

/** The reason that a verdict gives, as text. */
export const reasonIn = (object: Readonly<Record<string, unknown>>): string => String(object.reason ?? "");

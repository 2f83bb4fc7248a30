import * as z from "zod";
import { jsonIn } from "../../text/json.js";
import type { AskRequest, Event, ModelReply, Question, TaskBrief, User } from "../../types/index.js";

/** Version of the protocol in docs/EXTENDING.md. */
const PROTOCOL = 1;

/** Returns the first message to a process. */
export function helloMessage(task: TaskBrief, method: string, seed: number) {
  const { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens } = task;
  const brief = { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens };
  return { type: "hello", protocol: PROTOCOL, method, task: brief, seed } as const;
}

/** Returns the message with a user's visible history, oldest first. It is sent before the user's first question. */
export const userMessage = (unit: string, { id, history }: User) =>
  ({ type: "user", unit, user: id, history: history.map(visibleEvent) }) as const;

/** Returns the message with a question. It holds no gold answer: no method sees one. */
export const questionMessage = (unit: string, { id, text, content, date }: Question) =>
  ({ type: "question", id, unit, text, content, ...(date === undefined ? {} : { date }) }) as const;

/** Returns the message with the reply of the run's model to an `ask`. */
export const replyMessage = (ask: string, { text, stop, usage }: ModelReply) =>
  ({ type: "reply", ask, text, stop, usage: { in: usage.in, out: usage.out } }) as const;

/** Returns the message that an `ask` failed. The program may go on without the reply. */
export const refusalMessage = (ask: string, error: string) => ({ type: "reply", ask, error }) as const;

const visibleEvent = ({ id, date, fields, label }: Event) => ({
  id,
  ...(date === undefined ? {} : { date }),
  fields,
  ...(label === undefined ? {} : { label }),
});

const answerType = z.literal("answer").optional();
const answerSchema = z.object({ type: answerType, id: z.string(), output: z.union([z.string(), z.number()]) });
const failureSchema = z.object({ type: answerType, id: z.string(), error: z.string() });
const askSchema = z.object({
  type: z.literal("ask"),
  ask: z.string(),
  id: z.string(),
  request: z.strictObject({
    system: z.string().optional(),
    messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() })).min(1),
    maxTokens: z.int().positive().optional(),
    temperature: z.number().min(0).max(2).optional(),
    stop: z.array(z.string()).optional(),
    draw: z.int().nonnegative().max(999).optional(),
  }),
});

/** An answer, a failure of the program, or a request to the run's model for the open question. */
export type ProgramMessage =
  | { readonly id: string; readonly output: string }
  | { readonly id: string; readonly error: string }
  | { readonly id: string; readonly ask: string; readonly request: AskRequest };

/** Parses a line of a process; undefined if it is no message. */
export function readProgramMessage(line: string): ProgramMessage | undefined {
  const value = jsonIn(line);
  const asked = askSchema.safeParse(value).data;
  if (asked !== undefined) return { ...asked, request: asked.request as AskRequest }; // absent fields are absent in JSON
  const failed = failureSchema.safeParse(value).data;
  if (failed !== undefined) return failed;
  const answered = answerSchema.safeParse(value).data;
  return answered && { id: answered.id, output: String(answered.output) };
}

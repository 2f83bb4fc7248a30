import * as z from "zod";
import type { AskRequest, Event, ModelReply, Question, TaskBrief, User } from "../types/index.js";

/** The version of docs/EXTENDING.md that this file speaks. */
const PROTOCOL = 1;

/** The first message of a process. */
export function hello(task: TaskBrief, method: string) {
  const { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens } = task;
  return {
    type: "hello",
    protocol: PROTOCOL,
    method,
    task: { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens },
  } as const;
}

/** A user's visible past, oldest first. Sent to a process before the first question that sees it. */
export const userMessage = (unit: string, { id, history }: User) =>
  ({ type: "user", unit, user: id, history: history.map(shownEvent) }) as const;

/** A test question. There is no gold on it, because a method never sees any. */
export function questionMessage(unit: string, { id, text, content, date }: Question) {
  return { type: "question", id, unit, text, content, ...(date === undefined ? {} : { date }) } as const;
}

/** The run's model answering an `ask`. */
export const replyMessage = (ask: string, { text, stop, usage }: ModelReply) =>
  ({ type: "reply", ask, text, stop, usage: { in: usage.in, out: usage.out } }) as const;

/** Why the run's model does not answer an `ask`: the program may go on without it. */
export const refusalMessage = (ask: string, error: string) => ({ type: "reply", ask, error }) as const;

/** What a process may say: an answer, its own failure, or a request to the run's model on behalf of an open question. */
export type ProgramMessage =
  | { readonly kind: "answer"; readonly id: string; readonly output: string }
  | { readonly kind: "failure"; readonly id: string; readonly error: string }
  | { readonly kind: "ask"; readonly ask: string; readonly id: string; readonly request: AskRequest };

/** Reads one line of a process; undefined where it is none of the messages. */
export function readProgramMessage(line: string): ProgramMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const asked = askSchema.safeParse(value);
  if (asked.success)
    return { kind: "ask", ask: asked.data.ask, id: asked.data.id, request: definedOnly(asked.data.request) };
  const failure = failureSchema.safeParse(value);
  if (failure.success) return { kind: "failure", ...failure.data };
  const answer = answerSchema.safeParse(value);
  return answer.success ? { kind: "answer", id: answer.data.id, output: String(answer.data.output) } : undefined;
}

const shownEvent = ({ id, date, fields, label }: Event) => ({
  id,
  ...(date === undefined ? {} : { date }),
  fields,
  ...(label === undefined ? {} : { label }),
});

const answerSchema = z.object({
  type: z.literal("answer").optional(),
  id: z.string(),
  output: z.union([z.string(), z.number()]),
});
const failureSchema = z.object({ type: z.literal("answer").optional(), id: z.string(), error: z.string() });
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

type AskedFields = z.infer<typeof askSchema>["request"];

/** Absent fields stay absent: a request's key counts every field. */
function definedOnly({ messages, system, maxTokens, temperature, stop, draw }: AskedFields): AskRequest {
  return {
    messages,
    ...(system === undefined ? {} : { system }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop === undefined ? {} : { stop }),
    ...(draw === undefined ? {} : { draw }),
  };
}

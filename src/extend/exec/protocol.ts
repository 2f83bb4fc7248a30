import * as z from "zod";
import { jsonIn } from "../../text/json.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { AskRequest, Event, ModelReply, Question, TaskBrief, User } from "../../types/index.js";

/** The version of docs/EXTENDING.md that this file speaks. */
const PROTOCOL = 1;

/** Returns the first message to a process. */
export function helloMessage(task: TaskBrief, method: string, seed: number) {
  const { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens } = task;
  const brief = { name, title, kind, labels, answerNoun, itemNoun, maxAnswerTokens };
  return { type: "hello", protocol: PROTOCOL, method, task: brief, seed } as const;
}

/** Returns a user's visible history, oldest first. It goes to a process before the first question that sees it. */
export const userMessage = (unit: string, { id, history }: User) =>
  ({ type: "user", unit, user: id, history: history.map(visibleEvent) }) as const;

/** Returns a test question. There is no gold on it, because a method never sees any. */
export const questionMessage = (unit: string, { id, text, content, date }: Question) =>
  ({ type: "question", id, unit, text, content, ...(date === undefined ? {} : { date }) }) as const;

/** Returns what the run's model says to an `ask`. */
export const replyMessage = (ask: string, { text, stop, usage }: ModelReply) =>
  ({ type: "reply", ask, text, stop, usage: { in: usage.in, out: usage.out } }) as const;

/** Returns why the run's model does not answer an `ask`: the program may go on without it. */
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

const anyAskSchema = z.object({ type: z.literal("ask"), ask: z.string(), id: z.string() });
const helloSchema = z.object({ type: z.literal("hello"), calls: z.enum(["door", "ask"]) });
const readySchema = z.object({ type: z.literal("ready"), unit: z.string() });

/**
 * An answer (empty: the unit of this id is taken in), the program's own failure, or a request to the run's model, `problem` where it is
 * none; or how the program makes all its calls.
 */
export type ProgramMessage =
  | { readonly id: string; readonly output: string }
  | { readonly id: string; readonly error: string }
  | { readonly id: string; readonly ask: string; readonly request: AskRequest }
  | { readonly id: string; readonly ask: string; readonly problem: string }
  | { readonly calls: "door" | "ask" };

/** Reads one line of a process; undefined where it is none of the messages. */
export function readProgramMessage(line: string): ProgramMessage | undefined {
  const value = jsonIn(line);
  const hello = helloSchema.safeParse(value).data;
  if (hello !== undefined) return hello;
  const ready = readySchema.safeParse(value).data;
  if (ready !== undefined) return { id: ready.unit, output: "" };
  const { data: asked, error } = askSchema.safeParse(value);
  if (asked !== undefined) return { ...asked, request: asked.request as AskRequest }; // absent fields are absent in JSON
  const anyAsk = anyAskSchema.safeParse(value).data;
  if (anyAsk !== undefined) return { ...anyAsk, problem: placedIssue(error) };
  const failed = failureSchema.safeParse(value).data;
  if (failed !== undefined) return failed;
  const answered = answerSchema.safeParse(value).data;
  return answered && { id: answered.id, output: String(answered.output) };
}

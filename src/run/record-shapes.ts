import { basename } from "node:path";
import * as z from "zod";
import { runFiles } from "./run-files.js";

/** Whether an object is a record of a file: every member that readers rely on is there and of its type. */
export type Fits = (record: object) => boolean;

/** The check of the records of a journal file, by its name; undefined where records may be anything. */
export const fitsOf = (path: string): Fits | undefined => {
  const shape = shapes.get(basename(path));
  return shape && ((record) => shape.safeParse(record).success);
};

/** A request and the reply to it, as a run and a cassette hold them. */
export const isRecordedCall = (value: unknown): boolean => recordedCall.safeParse(value).success;

/** A reply under its key, with or without its request. */
export const isStoredReply = (value: unknown): boolean => storedReply.safeParse(value).success;

/** Who made which requests, as a cassette holds it. */
export const isAsked = (value: unknown): boolean => asked.safeParse(value).success;

/** A vector under its key. */
export const isStoredVector = (value: unknown): boolean => storedVector.safeParse(value).success;

/** What a search outside gave. */
export const isSearch = (value: unknown): boolean => search.safeParse(value).success;

const text = z.string();
const truth = z.boolean();
const amount = z.number();

const read = { reply: text, lenient: text.optional() };
const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal(["answered", "unparsed"]), ...read }),
  z.object({ kind: z.literal("failed"), error: text }),
]);

const tokens = {
  in: amount,
  out: amount,
  cacheRead: amount.optional(),
  cacheWrite: amount.optional(),
  cacheWrite1h: amount.optional(),
};
const long = z.array(z.object(tokens)).optional();
const costs = {
  spend: z.record(
    text,
    z.object({
      calls: amount,
      ...tokens,
      long,
      billed: z.object({ calls: amount, ...tokens, usd: amount }).optional(),
      batch: z.object({ calls: amount, ...tokens, long }).optional(),
    }),
  ),
  incidents: z.record(text, amount),
  simulated: truth.optional(),
};

const row = z.object({
  cell: text,
  task: text.optional(),
  method: text.optional(),
  user: text,
  unit: text,
  question: text,
  gold: text.optional(),
  outcome,
  position: amount.optional(),
  spendUnknown: truth.optional(),
  ...costs,
});

const unit = z.object({
  cell: text,
  user: text,
  unit: text,
  shared: truth.optional(),
  historySize: amount,
  ...costs,
});

const timing = z.object({ cell: text, unit: text, question: text.optional(), ms: amount, fromStore: truth });

const origin = { cell: text, unit: text, question: text.optional(), requests: z.array(text) };
const trace = z.object({ ...origin, notes: z.array(z.object({ kind: text })) });
const failedSearch = z.object({ query: text, reason: text });
const asked = z.object({ ...origin, error: text.optional(), failed: z.array(failedSearch).optional() });

const there = z.unknown().refine((value) => value !== undefined);
const toolCall = z.object({ id: text, name: text, arguments: there });
const toolResult = z.object({ id: text, name: text, content: text, isError: truth.optional() });
const usage = z.object({
  ...tokens,
  thinking: amount.optional(),
  estimated: truth.optional(),
  billedUsd: amount.optional(),
  batch: truth.optional(),
});
const likely = { token: text, logprob: amount.nullable() }; // minus infinity is null in JSON
const reply = z.object({
  text,
  toolCalls: z.array(toolCall),
  stop: text,
  usage,
  model: text,
  logprobs: z.array(z.object({ ...likely, top: z.array(z.object(likely)) })).optional(),
  simulated: truth.optional(),
});
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: text }),
  z.object({ role: z.literal("assistant"), content: text, toolCalls: z.array(toolCall).optional() }),
  z.object({ role: z.literal("tool"), results: z.array(toolResult) }),
]);
const request = z.object({
  system: text.optional(),
  messages: z.array(message),
  tools: z.array(z.object({ name: text })).optional(),
  maxTokens: amount,
  temperature: amount.optional(),
  stop: z.array(text).optional(),
  logprobs: amount.optional(),
  effort: text.optional(),
  sample: amount,
});
const recordedCall = z.object({ request, reply });
const storedCall = z.object({ key: text, request, reply });
const storedReply = z.object({ key: text, request: request.optional(), reply });

const storedVector = z.object({ key: text, dimensions: amount, floats: text });

const search = z.object({
  query: text,
  retrieved: text,
  pages: z.array(z.object({ title: text, summary: text })),
});

const judgement = z.object({
  key: text,
  cell: text,
  question: text,
  user: text,
  position: amount.optional(),
  against: z.object({ cell: text, shownFirst: truth }).optional(),
  judged: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("judged"), value: amount, why: text }),
    z.object({ kind: z.literal("unjudged"), replies: z.array(text) }),
    z.object({ kind: z.literal("failed"), error: text }),
  ]),
  tokens: z.object({ in: amount, out: amount }),
  calls: amount,
});

const shapes: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [runFiles.rows, row],
  [runFiles.units, unit],
  [runFiles.timings, timing],
  [runFiles.traces, trace],
  [runFiles.responses, storedCall],
  [runFiles.vectors, storedVector],
  [runFiles.searches, search],
  [runFiles.judgements, judgement],
]);

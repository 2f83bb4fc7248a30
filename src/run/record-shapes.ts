import { basename } from "node:path";
import { runFiles } from "./run-files.js";

/** Whether an object is a record of a file: every member that readers rely on is there and of its type. */
export type Fits = (record: object) => boolean;

/** The check of the records of a journal file, by its name; undefined where records may be anything. */
export const fitsOf = (path: string): Fits | undefined => shapes.get(basename(path));

/** A request and the reply to it, as a run and a cassette hold them. */
export const isRecordedCall = (value: unknown): boolean => recordedCall(value);

/** A reply under its key, with or without its request. */
export const isStoredReply = (value: unknown): boolean => storedReply(value);

/** Who made which requests, as a cassette holds it. */
export const isAsked = (value: unknown): boolean => asked(value);

/** A vector under its key. */
export const isStoredVector = (value: unknown): boolean => storedVector(value);

/** What a search outside gave. */
export const isSearch = (value: unknown): boolean => search(value);

type Guard = (value: unknown) => boolean;
type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text: Guard = (value) => typeof value === "string";
const truth: Guard = (value) => typeof value === "boolean";
const amount: Guard = (value) => typeof value === "number" && Number.isFinite(value);
const there: Guard = (value) => value !== undefined;
const maybe =
  (guard: Guard): Guard =>
  (value) =>
    value === undefined || guard(value);
const oneOf =
  (...guards: readonly Guard[]): Guard =>
  (value) =>
    guards.some((guard) => guard(value));
const word =
  (...words: readonly string[]): Guard =>
  (value) =>
    typeof value === "string" && words.includes(value);
const list =
  (of: Guard): Guard =>
  (value) =>
    Array.isArray(value) && value.every(of);

function table(of: Guard): Guard {
  return (value) => {
    if (!isObject(value)) return false;
    for (const name in value) if (!of(value[name])) return false;
    return true;
  };
}

function object(members: Readonly<Record<string, Guard>>): Guard {
  const names = Object.keys(members);
  const guards = Object.values(members);
  return (value) => {
    if (!isObject(value)) return false;
    for (let i = 0; i < names.length; i++) if (!guards[i]!(value[names[i]!])) return false;
    return true;
  };
}

const read = { reply: text, lenient: maybe(text) };
const outcome = oneOf(
  object({ kind: word("answered", "unparsed"), ...read }),
  object({ kind: word("failed"), error: text }),
);

const tokens = {
  in: amount,
  out: amount,
  cacheRead: maybe(amount),
  cacheWrite: maybe(amount),
  cacheWrite1h: maybe(amount),
};
const costs = {
  spend: table(
    object({
      calls: amount,
      ...tokens,
      long: maybe(list(object(tokens))),
      billed: maybe(object({ calls: amount, ...tokens, usd: amount })),
      batch: maybe(object({ calls: amount, ...tokens, long: maybe(list(object(tokens))) })),
    }),
  ),
  incidents: table(amount),
  simulated: maybe(truth),
};

const row = object({
  cell: text,
  task: maybe(text),
  method: maybe(text),
  user: text,
  unit: text,
  question: text,
  gold: maybe(text),
  outcome,
  position: maybe(amount),
  spendUnknown: maybe(truth),
  given: maybe(table(amount)),
  ...costs,
});

const unit = object({ cell: text, user: text, unit: text, shared: maybe(truth), historySize: amount, ...costs });

const timing = object({ cell: text, unit: text, question: maybe(text), ms: amount, fromStore: truth });

const origin = { cell: text, unit: text, question: maybe(text), requests: list(text) };
const trace = object({ ...origin, notes: list(object({ kind: text })) });
const failedSearch = object({ query: text, reason: text });
const asked = object({ ...origin, error: maybe(text), failed: maybe(list(failedSearch)) });

const toolCall = object({ id: text, name: text, arguments: there });
const toolResult = object({ id: text, name: text, content: text, isError: maybe(truth) });
const usage = object({
  ...tokens,
  thinking: maybe(amount),
  estimated: maybe(truth),
  billedUsd: maybe(amount),
  batch: maybe(truth),
});
const likely = { token: text, logprob: oneOf(amount, (value) => value === null) }; // minus infinity is null in JSON
const reply = object({
  text,
  toolCalls: list(toolCall),
  stop: text,
  usage,
  model: text,
  logprobs: maybe(list(object({ ...likely, top: list(object(likely)) }))),
  simulated: maybe(truth),
});
const message = oneOf(
  object({ role: word("user"), content: text }),
  object({ role: word("assistant"), content: text, toolCalls: maybe(list(toolCall)) }),
  object({ role: word("tool"), results: list(toolResult) }),
);
const request = object({
  system: maybe(text),
  messages: list(message),
  tools: maybe(list(object({ name: text }))),
  maxTokens: amount,
  temperature: maybe(amount),
  stop: maybe(list(text)),
  logprobs: maybe(amount),
  effort: maybe(text),
  sample: amount,
});
const recordedCall = object({ request, reply });
const storedCall = object({ key: text, request, reply });
const storedReply = object({ key: text, request: maybe(request), reply });

const storedVector = object({ key: text, dimensions: amount, floats: text });

const search = object({
  lang: text,
  query: text,
  topK: amount,
  retrieved: text,
  pages: list(object({ title: text, summary: text })),
});

const judgement = object({
  key: text,
  cell: text,
  question: text,
  user: text,
  position: maybe(amount),
  against: maybe(object({ cell: text, shownFirst: truth })),
  judged: oneOf(
    object({ kind: word("judged"), value: amount, why: text }),
    object({ kind: word("unjudged"), replies: list(text) }),
    object({ kind: word("failed"), error: text }),
  ),
  tokens: object({ in: amount, out: amount }),
  calls: amount,
});

const shapes: ReadonlyMap<string, Fits> = new Map([
  [runFiles.rows, row],
  [runFiles.units, unit],
  [runFiles.timings, timing],
  [runFiles.traces, trace],
  [runFiles.responses, storedCall],
  [runFiles.vectors, storedVector],
  [runFiles.searches, search],
  [runFiles.judgements, judgement],
]);

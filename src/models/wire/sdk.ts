import { ModelError } from "../../errors.js";
import type { HeaderBag } from "../../net/retry.js";
import type { Model, ModelReply, ModelRequest, TokenCounts } from "../../types/index.js";
import { NO_TOKENS, plus, tokensOf } from "../tokens.js";
import { beginning, type FailureFacts, failure, isPage, type ModelAccess, malformed } from "./failure.js";
import { readLimits } from "./limits.js";
import { fieldsOf, isBill, Misfit, Served } from "./reply.js";

/**
 * Given to every SDK so that none falls back to a shorter limit of its own. The deadline that counts is that of the try: SDK
 * timeouts cover the headers but not a stalled body (docs/MODELS.md, Retries).
 */
export const SDK_TIMEOUT_MS = 3_600_000;

/** The body of a request. JSON omits its undefined fields. */
export type Body = Readonly<Record<string, unknown>>;

/** A reply as it was served. `isPaused`: the server waits for it to come back before it goes on (Messages, `pause_turn`). */
export interface ServedReply extends ModelReply {
  readonly isPaused?: true;
}

/** A protocol of one model. */
export interface Wire {
  /** Behind the base URL. */
  readonly path: string;
  body(request: ModelRequest): Body;
  /** Throws Misfit where it is no reply. */
  read(served: Served, request: ModelRequest): ServedReply;
  /** Returns the reply that an error stands for, such as a refusal by moderation. */
  refusal?(status: unknown, error: unknown, request: ModelRequest): ModelReply | undefined;
}

interface RequestOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = Promise<unknown> & {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ readonly data: unknown; readonly response: Response }>;
};

/** The part of the Stainless SDKs' clients (openai, @anthropic-ai/sdk) that is used: plain requests. */
export interface SdkClient {
  get(path: string, options: RequestOptions): Answer;
  post(path: string, options: RequestOptions & { readonly body: unknown }): Answer;
}

/** An SDK's client, loaded when something is sent: a finished run needs none. */
export type OpenClient<C extends SdkClient = SdkClient> = () => Promise<C>;

/** Returns a client that is opened once, when it is first asked for. */
export function openedOnce<C extends SdkClient>(open: () => Promise<C>): OpenClient<C> {
  let opened: Promise<C> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Returns `complete` of a model behind one of the SDKs. A paused turn is sent back until it has ended, as one call. */
export function completing(access: ModelAccess, client: OpenClient, wire: Wire): Model["complete"] {
  return async (request, signal, onLimits) => {
    let messages = request.messages;
    const parts: ServedReply[] = [];
    for (;;) {
      const part = await completeOnce({ ...request, messages }, signal, onLimits);
      parts.push(part);
      if (part.isPaused !== true || parts.length === MOST_PARTS) return whole(access, parts);
      const { text: content, toolCalls, opaque = null } = part;
      messages = [...messages, { role: "assistant", content, toolCalls, opaque }];
    }
  };

  async function completeOnce(...[request, signal, onLimits]: Parameters<Model["complete"]>): Promise<ServedReply> {
    const body = wire.body(request);
    try {
      const { data, response } = await (await client()).post(wire.path, { body, signal }).withResponse();
      const limits = readLimits(response.headers, access.limitHeaders);
      if (limits !== undefined) onLimits?.(limits);
      const reply = readServed(access, wire, data, request);
      const usd = Number(response.headers.get(COST_HEADER));
      return usd > 0 && isBill(usd) ? { ...reply, usage: { billedUsd: usd, ...reply.usage } } : reply;
    } catch (thrown) {
      if (thrown instanceof ModelError) throw thrown;
      const { status, error } = Object(thrown) as SdkError;
      const refused = wire.refusal?.(status, error, request);
      if (refused !== undefined) return refused;
      throw refusedField(access, thrown, body) ?? sdkFailure(access, thrown, signal);
    }
  }
}

/** Turns that a paused turn may go on for. */
const MOST_PARTS = 5;

/** Dollars that LiteLLM's proxy computed for the call; 0 where it knows no price. */
const COST_HEADER = "x-litellm-response-cost";

/** Joins the parts of a turn to one reply. Throws ModelError where it has not ended. */
function whole(access: ModelAccess, parts: readonly ServedReply[]): ModelReply {
  const { isPaused, ...last } = parts.at(-1)!; // there is one
  if (isPaused === true)
    throw failure(access, { text: "the server paused the turn and did not end it", retryable: false, bill: "due" });
  if (parts.length === 1) return last;
  const usages = parts.map(({ usage }) => usage);
  const billed = usages.flatMap(({ billedUsd }) => billedUsd ?? []);
  return {
    ...last,
    text: parts.map(({ text }) => text).join(""),
    opaque: parts.flatMap(({ opaque = [] }) => opaque),
    usage: {
      ...tokensOf(usages.reduce<TokenCounts>(plus, NO_TOKENS)),
      ...(billed.length > 0 && { billedUsd: billed.reduce((sum, usd) => sum + usd, 0) }),
      ...(usages.some(({ estimated }) => estimated) && { estimated: true }),
    },
  };
}

/** Reads a body that came with status 200, of a call that is not sent again. Throws ModelError. */
export const readServedReply = (access: ModelAccess, wire: Wire, served: unknown, request: ModelRequest): ModelReply =>
  whole(access, [readServed(access, wire, served, request)]);

/**
 * Reads a body that came with status 200. Gateways report a failed backend inside of it, as `error` in the place of the reply or in its
 * first choice. Throws ModelError.
 */
function readServed(access: ModelAccess, wire: Wire, served: unknown, request: ModelRequest): ServedReply {
  const { error: ofBody, choices } = fieldsOf(served);
  const error = ofBody || (Array.isArray(choices) ? fieldsOf(choices[0]).error : undefined);
  if (!error) {
    const reply = readWhole(access, served, (body) => wire.read(body, request));
    return { ...reply, toolCalls: reply.toolCalls.map((call) => ({ ...call, name: toolNamed(call.name, request) })) };
  }
  const { code, message } = fieldsOf(error);
  const status = Number(code);
  const refused = wire.refusal?.(status, error, request);
  if (refused !== undefined) return refused;
  const isStatus = Number.isInteger(status) && status >= 400;
  throw failure(access, {
    ...(isStatus ? { status } : { retryable: true, code: String(code) }),
    bill: "due", // the gateway took the call
    served: error,
    text: typeof message === "string" ? message : beginning(error),
  });
}

/**
 * Returns the tool that a name stands for. Servers leave prefixes and suffixes of the model's own format around it
 * (`functions.search:0` of Kimi K2, `search<|channel|>json` of gpt-oss). Every other name stays as it is.
 */
function toolNamed(name: string, { tools = [] }: ModelRequest): string {
  const within = name.split(/[^\w-]+/);
  const fitting = tools.filter((tool) => tool.name !== name && within.includes(tool.name));
  return tools.some((tool) => tool.name === name) || fitting.length !== 1 ? name : fitting[0]!.name;
}

/** Returns the result of a reader. Throws ModelError where the body has another form. */
export function readWhole<T>(access: ModelAccess, served: unknown, read: (body: Served) => T): T {
  try {
    return read(new Served(served));
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const failed = malformed(access, error.message, served);
    throw error.mayPass ? failed : new ModelError(failed.message, { ...failed, retryable: false });
  }
}

/** Returns the body without the fields that `model.omit` names. */
export const withoutFields = (body: Body, omit: readonly string[] = []): Body =>
  omit.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !omit.includes(name)));

/** Fields that every request needs. */
const NEEDED = new Set(["model", "messages", "prompt", "input", "system", "tools", "tool_choice"]);

/** Messages of servers that do not take a field. */
const REFUSES =
  /unsupported|not supported|(does ?n[o'’]t|do not) support|not (permitted|allowed|accepted)|unknown|unrecogni[sz]ed|unexpected|deprecated|only the default|extra (inputs|fields|keys)|extra_forbidden|must be (equal to )?1\b|use '?\w+'? instead/i;

/** Returns an error that stops the run if a refusal (400, 422) names a field of the sent body; else undefined. */
function refusedField(access: ModelAccess, thrown: unknown, sent: Body): ModelError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, param, message }: SdkError = thrown;
  if ((status !== 400 && status !== 422) || !REFUSES.test(message)) return undefined;
  const fields = Object.keys(sent).filter((name) => sent[name] !== undefined && !NEEDED.has(name));
  const [named] = typeof param === "string" ? param.split(/[.[]/) : [];
  const isNamed = (field: string): boolean => new RegExp(`(^|[^\\w.])["'\`]?${field}["'\`]?($|[^\\w])`).test(message);
  const field = fields.find((name) => name === named) ?? fields.find(isNamed);
  if (field === undefined) return undefined;
  const fix = `use --set model.omit=${field} to leave it out`;
  return failure(access, { status, text: message, scope: "stop", fix });
}

/** Fields of the errors of both SDKs, which share no class. */
interface SdkError extends Error {
  readonly status?: number;
  readonly headers?: HeaderBag;
  readonly error?: unknown;
  readonly param?: unknown;
  readonly code?: unknown;
  readonly errorCode?: unknown;
  readonly type?: unknown;
  readonly requestID?: string | null;
}

/**
 * Returns the failure behind what a call threw; `factsOf` reads an SDK's errors, and finds none in a mistake of ours. An abort of `signal`
 * comes back as its own reason. The SDK's error itself is not kept as the cause, because its text may echo a key.
 */
export function thrownFailure(
  access: ModelAccess,
  thrown: unknown,
  signal: AbortSignal,
  factsOf: (error: Error) => FailureFacts | undefined,
): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  if (thrown instanceof RangeError) return malformed(access, "nested too deep to be read", undefined);
  const facts = factsOf(thrown);
  if (facts === undefined) return thrown;
  const isBroken = thrown instanceof SyntaxError && !isPage(facts.text); // a body that is not JSON
  return failure(access, isBroken ? { ...facts, text: `malformed reply: ${thrown.message}`, bill: "due" } : facts);
}

/** Returns the same of the Stainless SDKs' errors; `fix` says what the caller knows better. */
export const sdkFailure = (access: ModelAccess, thrown: unknown, signal: AbortSignal, fix?: string): unknown =>
  thrownFailure(access, thrown, signal, (error: SdkError) => {
    const isTransport = error instanceof SyntaxError || "code" in error || /^API/.test(error.constructor.name);
    if (error.status === undefined && !isTransport) return undefined;
    return {
      status: error.status,
      headers: error.headers,
      served: error.error,
      text: textOf(error),
      code: [error.code, error.errorCode, error.type].filter((part) => typeof part === "string").join(" "),
      requestId: error.requestID,
      network: networkCode(error),
      fix,
    };
  });

/** Returns the code of the network's error, which SDKs keep as a cause. */
function networkCode({ code, cause }: SdkError): string | undefined {
  if (typeof code === "string") return code;
  return cause instanceof Error ? networkCode(cause) : undefined;
}

function textOf(error: SdkError): string {
  const { status, message, cause } = error;
  if (status !== undefined || !(cause instanceof Error)) return message;
  return `${message} ${cause.message || networkCode(error)}`; // of several addresses: a code only
}

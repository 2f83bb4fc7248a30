import type { Measure, OnLimits } from "../errors.js";
import type { Json } from "../notes/note.js";
import type { OptionValue } from "./options.js";

export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: "auto" | "none";
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  /** Alternatives per token that are wanted. */
  readonly logprobs?: number;
  /** Effort of thinking: `none` to `max`. Absent: as its provider's code finds right. */
  readonly effort?: string;
  /** Repeat number: part of the cache key, never sent. */
  readonly sample: number;
  /**
   * Length, in characters, of the beginning of the first message that other calls share; the system prompt is not counted. No part of
   * the cache key. Default 0: only the system prompt is shared.
   */
  readonly opening?: number;
  /** The lower `maxTokens` that it has without `model.answerTokens`: a reused reply that ended by itself under it is taken. */
  readonly usualTokens?: number;
}

export type Message =
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** The provider's own blocks of this turn, sent back unmodified (signed thinking blocks). */
      readonly opaque?: Json;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Json;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; a string when the model sent something that is not JSON. */
  readonly arguments: Json;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError?: boolean;
}

export type StopReason = "end" | "tool" | "length" | "stop-sequence" | "refusal";

export interface Usage {
  /** Prompt tokens, cache reads and writes included. */
  readonly in: number;
  readonly out: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Part of `cacheWrite`: kept for an hour. */
  readonly cacheWrite1h?: number;
  readonly thinking?: number;
  /** True when counted by us (characters / 4), not by the provider. */
  readonly estimated?: boolean;
  /** Cost of the call by the provider's own account, US dollars (OpenRouter's `usage.cost`). */
  readonly billedUsd?: number;
  /** Set where the request went out in a batch, at a batch's price. */
  readonly batch?: true;
}

export interface TokenLogprob {
  readonly token: string;
  /** Natural log. */
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
}

export interface ModelReply {
  /** Text blocks joined, reasoning blocks left out. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model id that the provider says it used; empty where it says none. */
  readonly model: string;
  readonly logprobs?: readonly TokenLogprob[];
  readonly opaque?: Json;
  /** Changes that the server says it made to the prompt, in its own words. */
  readonly inputChanged?: Json;
  readonly simulated?: boolean;
  /** Set where nothing was sent for it: the run has it from its log, or from an equal call. Never stored. */
  readonly source?: "store";
}

/** Abilities of a model family; a parameter that it does not take is left out. */
export interface Capabilities {
  readonly temperature: boolean;
  readonly stop: boolean;
  readonly tools: boolean;
  readonly prefill: boolean;
  readonly logprobs: boolean;
  readonly thinking: "none" | "optional" | "always";
  /** The provider's prompt cache: the shortest prefix that it keeps, and how many bytes go into a token. Absent: none is steered. */
  readonly cache?: { readonly minTokens: number; readonly bytesPerToken: number };
  /** True if the system prompt goes before the first message, because the server takes no system role (`model.system`). */
  readonly foldsSystem?: boolean;
}

export interface Model {
  /** `provider/model-id`. */
  readonly id: string;
  readonly capabilities: Capabilities;
  readonly simulated: boolean;
  /** Parts of its login that must never be written down, where no variable holds them. */
  readonly secrets?: readonly string[];
  /** Options that the model implies and that can change a reply: part of every arm. Absent: none. */
  readonly settled?: Readonly<Record<string, OptionValue>>;
  /** Where it is asked, where that is a server of its own: limits are learned for it alone. */
  readonly address?: string;
  /** `onLimits` gets the limits that the reply's headers name. */
  complete(request: ModelRequest, signal: AbortSignal, onLimits?: OnLimits): Promise<ModelReply>;
  /** Absent: its provider takes no batches. */
  readonly batch?: BatchWire;
  /** Reason why there are none, and what to do instead. */
  readonly noBatch?: string;
}

/** Batch service of a provider: takes many requests at once, answers within a day and asks less. */
export interface BatchWire {
  /** Of one batch. */
  readonly most: { readonly lines: number; readonly bytes: number };
  /** Most estimated prompt tokens out at once, to begin with. Absent: any number. */
  readonly firstTokens?: number;
  /** A request as it stands in a batch. `id`: at most 64 of [a-zA-Z0-9_-]. */
  line(id: string, request: ModelRequest): string;
  /**
   * Sends lines as one batch and returns its id. Throws ModelError; the provider has surely taken nothing where `bill` is `none`,
   * and where another try is of no use.
   */
  create(facts: BatchFacts, lines: readonly string[], signal: AbortSignal): Promise<string>;
  /**
   * Looks for a batch whose creation got no answer. `running`: it cannot be told before the batches under way have ended. Throws ModelError
   * where a list is not of the provider's form: it may lack the batch.
   */
  find(facts: BatchFacts, signal: AbortSignal): Promise<{ readonly batch: string } | "running" | "none">;
  state(batch: string, signal: AbortSignal): Promise<BatchState>;
  /** Returns the replies of an ended batch, by the ids of its lines; lines that cannot be read are not among them. */
  results(batch: string, signal: AbortSignal): Promise<ReadonlyMap<string, LineReader>>;
}

/** A batch as its sender knows it. */
export interface BatchFacts {
  /** Suffix of the ids of its lines. */
  readonly id: string;
  readonly lines: number;
}

/** `refused`: nothing of it is or will be answered or billed; `overLimit`: because too many tokens are out already. */
export type BatchState =
  | { readonly kind: "running" | "ended" }
  | { readonly kind: "refused"; readonly error: Error; readonly overLimit: boolean };

/** The reply to the request that a line was of. Throws ModelError where it brought none. */
export type LineReader = (request: ModelRequest) => ModelReply;

/** Purpose of a call: `summary`, `simulate`, `gradient`, `update`, `tool`, `select`, `answer`, `judge`, or a word of the method's own. */
export type Phase = string;

/** Purpose of a further model of a run: `reference` shows how sure an answer is, `judge` weighs answers. */
export type ModelRole = "reference" | "judge";

/** A phase; of calls that one of the run's further models answered, with its role: `select@reference`. */
export type PhaseAt = string;

/** A family of models behind one API. SDKs are imported inside `open`, so that unused ones cost nothing. */
export interface Provider {
  /** The part of `provider/model-id` before the slash. */
  readonly name: string;
  readonly summary: string;
  /** True where no reply is of a real model. */
  readonly simulated?: boolean;
  /** Variables that hold its login: one of them is enough. Absent: it needs none. */
  readonly keyVariables?: readonly string[];
  /** The variable that may name its address. */
  readonly addressVariable?: string;
  /** Absent: none are known. */
  readonly limits?: ProviderLimits;
  /** Absent: none are known. */
  readonly prices?: ProviderPrices;
  /** Throws UsageError naming the variable or flag when a key, region or URL is missing. */
  open(modelId: string, settings: ProviderSettings): Promise<Model>;
}

/** Names of reply headers by what they count; `*` stands for `limit`, `remaining` and `reset`. */
export type LimitHeaders = readonly (readonly [Measure, string])[];

/** Rules by which a provider counts calls against the limits of an account. */
interface ProviderLimits {
  readonly headers: LimitHeaders;
  /** Output counts as it is written; else the request's limit is reserved. */
  readonly outputAsWritten?: true;
  /** Tokens read from the prompt cache are not counted as input. */
  readonly cacheReadsFree?: true;
  /** Models whose ids begin alike so share one class of limits. Absent: each has its own. */
  readonly pooled?: RegExp;
}

/** US dollars per million tokens. */
interface TokenPrices {
  readonly in: number;
  readonly out: number;
  /** Absent: not known; such tokens count as plain input, and the sum is marked as a bound. */
  readonly cacheRead?: number | undefined;
  /** Five-minute cache write. Absent: as plain input. */
  readonly cacheWrite?: number | undefined;
  /** Cache write that is kept for an hour. Absent: twice the input, and the sum is marked as a bound. */
  readonly cacheWrite1h?: number | undefined;
}

/** The price of a model over a time. */
export interface PriceRow extends TokenPrices {
  /** As in `--model`: `openai/qwen3-8b`. `*` stands for any characters. */
  readonly model: string;
  /** Calls with a longer prompt, cache reads and writes included, cost this as a whole. */
  readonly above?: (TokenPrices & { readonly tokens: number }) | undefined;
  /** Price of a request in a batch, as a share of that. Absent: half. */
  readonly batch?: number | undefined;
  /** First and last day of the price, UTC, like 2026-11-21. Absent: the first price known; no end. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly source?: string | undefined;
  readonly readOn?: string | undefined;
}

export interface ProviderPrices {
  /** Exact names: a model that no row names has no known price, whatever its relatives cost. */
  readonly rows: readonly PriceRow[];
  /** Returns the listed name of a model id that includes a region, and the region's price factor. */
  listed?(modelId: string): { readonly model: string; readonly factor: number };
}

/** A wire of OpenAI's protocols. `auto`: as the host takes it. */
export type OpenaiApi = "auto" | "chat" | "responses" | "completions";

export interface ProviderSettings {
  /** The environment as handed in by the command line; keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
  /** Set where the model is named by an endpoint of a config. */
  readonly endpoint?: EndpointFacts;
  /** Most calls in flight, for sizing connection pools. */
  readonly concurrency: number;
  /** Gets the head of every answer, where the provider has one. */
  readonly onResponse?: (status: number, headers: Headers) => void;
  /** A dry run: no login is demanded, and nothing may be sent. */
  readonly sendsNothing?: boolean;
  /** Default `auto`. */
  readonly api?: OpenaiApi;
  /** The name of a record of host's quirks. Absent: found by the host. */
  readonly quirks?: string;
  /** Mode in which prompts are marked for the provider's cache where that saves money. Default `auto`. */
  readonly cache?: "auto" | "off";
  /** Parameters and fields of the body that are never sent (`model.omit`). */
  readonly omit?: readonly string[];
  /** Place of the system prompt (`model.system`). Default `own`: a message of its own, or the wire's field for it. */
  readonly system?: "own" | "fold";
  /** Seed of the run: on wires that take a seed, each request gets one of its own from it. Absent: none is sent. */
  readonly seed?: number;
}

/** The endpoint that a provider opens a model for. */
export interface EndpointFacts {
  /** Stands in the place of the provider's name: in ids and in messages. */
  readonly name: string;
  /** The variable that holds the key; empty: no key is sent. Undefined: the provider's usual one. */
  readonly keyEnv: string | undefined;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Their values, which may be secret. */
  readonly secrets: readonly string[];
}

/** Time, handed in by `commands/` (real) or a test (fake). */
export interface Clock {
  /** Milliseconds since the epoch: for dates only, since it may be set back. */
  now(): number;
  /** Milliseconds since some moment, never set back: for waits and durations. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason on abort. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

import type { Hear } from "../errors.js";
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
  /** How many alternatives per token are wanted. */
  readonly logprobs?: number;
  /** How much the model is to think: `none` to `max`. Absent: as its provider's code finds right. */
  readonly effort?: string;
  /** Repeat number: part of the cache key, never sent. */
  readonly sample: number;
  /** How many replies are drawn to this prompt in all, from this sample number on. Absent: one. No part of the cache key. */
  readonly samples?: number;
  /**
   * How many characters of the first message, behind the system prompt, other calls of the run may begin with too. No part of the cache
   * key. Default 0: the system prompt alone.
   */
  readonly opening?: number;
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

export type StopReason = "end" | "tool" | "length" | "stop-sequence" | "refusal" | "other";

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
  /** What the provider says that it billed for the call, US dollars (OpenRouter's `usage.cost`). */
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
  /** What the server says that it took out of the prompt, in its own words. */
  readonly inputChanged?: Json;
  readonly simulated?: boolean;
  /** Further replies of the same request, where several were asked for and the wire can do it. Never stored. */
  readonly others?: readonly ModelReply[];
}

/** What a model family can do; a parameter that it does not take is left out. */
export interface Capabilities {
  readonly temperature: boolean;
  readonly stop: boolean;
  readonly tools: boolean;
  readonly prefill: boolean;
  readonly logprobs: boolean;
  readonly thinking: "none" | "optional" | "always";
  /** Whether one request may bring several replies. Absent: one each. */
  readonly samples?: true;
  /** The provider's prompt cache: the shortest prefix that it keeps, and how many bytes go into a token. Absent: none is steered. */
  readonly cache?: { readonly minTokens: number; readonly bytesPerToken: number };
}

/** What is known of a model from its provider's record: kept in the manifest. */
export interface ServerFacts {
  readonly api: "chat" | "responses" | "messages" | "converse";
  /** How requests keep thinking short: `thinking is disabled`. */
  readonly changed?: readonly string[];
  /** The provider's own record of the model: most tokens in and out, and when it ends (RFC 3339). */
  readonly record?: { readonly in?: number; readonly out?: number; readonly retires?: string };
}

/** One server of a model, as far as its record has been read. */
export interface ModelEndpoint {
  readonly facts: ServerFacts;
  /** Takes over what an earlier process learned of it. */
  recall(facts: ServerFacts): void;
}

export interface Model {
  /** `provider/model-id`. */
  readonly id: string;
  readonly capabilities: Capabilities;
  readonly simulated: boolean;
  /** The same model on each of its servers, where it has several; calls may go to any of them. */
  readonly servers?: readonly Model[];
  /** Options that it has settled by itself and that can change a reply: part of every cell. Absent: none. */
  readonly settled?: Readonly<Record<string, OptionValue>>;
  /** Where it is asked, where that is a server of its own: limits are learned for it alone. */
  readonly address?: string;
  /** Absent: nothing is learned of the server. */
  readonly endpoint?: ModelEndpoint;
  /** When it ends, where that is known without asking. */
  readonly retires?: string;
  /** Reads the provider's own record of it into `endpoint`, without cost. Throws ModelError. Absent: nothing need be asked. */
  readRecord?(signal: AbortSignal): Promise<void>;
  /** How many calls its server works on at once, where that is told without cost. Absent: it does not tell. */
  slots?(signal: AbortSignal): Promise<number | undefined>;
  /** Ids of the models that its server lists; empty where it lists none. */
  listed?(signal: AbortSignal): Promise<readonly string[]>;
  /** `hear` is told what the server says of its limits beside a reply. */
  complete(request: ModelRequest, signal: AbortSignal, hear?: Hear): Promise<ModelReply>;
  /** Absent: its provider takes no batches. */
  readonly batch?: BatchWire;
  /** Why there are none, and what to do instead. */
  readonly noBatch?: string;
}

/** How a provider takes many requests at once, answers them within a day and asks less for it. */
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
  create(wave: WaveFacts, lines: readonly string[], signal: AbortSignal): Promise<string>;
  /** The batch that holds a wave, where its id was never heard. `running`: that shows when batches under way have ended. */
  find(wave: WaveFacts, signal: AbortSignal): Promise<{ readonly batch: string } | "running" | "none">;
  state(batch: string, signal: AbortSignal): Promise<BatchState>;
  /** What an ended batch brought, by the ids of its lines; lines that cannot be read are not among them. */
  results(batch: string, signal: AbortSignal): Promise<ReadonlyMap<string, LineReader>>;
}

/** Requests that are sent together. */
export interface WaveFacts {
  /** Ends the ids of its lines. */
  readonly id: string;
  /** When it was sent, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly lines: number;
}

/** `refused`: nothing of it is or will be answered or billed; `overLimit`: because too many tokens are out already. */
export type BatchState =
  | { readonly kind: "running" | "ended" }
  | { readonly kind: "refused"; readonly error: unknown; readonly overLimit: boolean };

/** The reply to the request that a line was of. Throws ModelError where it brought none. */
export type LineReader = (request: ModelRequest) => ModelReply;

/** Why a call is made: `summary`, `simulate`, `gradient`, `update`, `tool`, `select`, `answer`, `judge`, or a word of the method's own. */
export type Phase = string;

/** What a further model of a run is for: `reference` shows how sure an answer is, `judge` weighs answers. */
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
  /** Throws UsageError naming the variable or flag when a key, region or URL is missing. */
  open(modelId: string, settings: ProviderSettings): Promise<Model>;
}

export interface ProviderSettings {
  /** The environment as handed in by the command line; keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
  /** Set where the model is named by an endpoint of a config. */
  readonly endpoint?: EndpointFacts;
  /** Most calls in flight, for sizing connection pools. */
  readonly concurrency: number;
  /** Hears of the head of every answer, where the provider has one to tell. */
  readonly onResponse?: (status: number, headers: Headers) => void;
  /** A dry run: no login is demanded, and nothing may be sent. */
  readonly sendsNothing?: boolean;
  /** The wire of OpenAI's protocols. Default `auto`: as the host takes it. */
  readonly api?: "auto" | "chat" | "responses";
  /** The name of a record of host's quirks. Absent: found by the host. */
  readonly quirks?: string;
  /** Whether prompts are marked for the provider's cache where that saves money. Default `auto`. */
  readonly cache?: "auto" | "off";
  /** Parameters and fields of the body that are never sent (`model.omit`). */
  readonly omit?: readonly string[];
}

/** What a provider may want to know of the endpoint that it opens a model for. */
export interface EndpointFacts {
  /** Stands in the place of the provider's name: in ids and in messages. */
  readonly name: string;
  /** The variable that holds the key; empty: no key is sent. Undefined: the provider's usual one. */
  readonly keyEnv: string | undefined;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of headers that came from variables. */
  readonly secrets: readonly string[];
}

/** Time, handed in by `cli/` (real) or a test (fake). */
export interface Clock {
  /** Milliseconds since the epoch: for dates only, since it may be set back. */
  now(): number;
  /** Milliseconds since some moment, never set back: for waits and durations. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason on abort. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

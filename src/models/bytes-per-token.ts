import { ModelError } from "../errors.js";
import type { Model, ModelRequest, Usage } from "../types/index.js";

/** Prompt tokens guessed as characters / 4: for servers that report no usage. */
export function estimatedPromptTokens(request: ModelRequest): number {
  let characters = request.system?.length ?? 0;
  for (const message of request.messages) {
    if (message.role === "tool") for (const result of message.results) characters += result.content.length;
    else characters += message.content.length;
    if (message.role === "assistant" && message.toolCalls) characters += JSON.stringify(message.toolCalls).length;
  }
  if (request.tools) characters += JSON.stringify(request.tools).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The most tokens a prompt can count: no tokenizer makes more tokens than bytes, and the provider adds words of its own. */
export function mostPromptTokens(request: ModelRequest): number {
  const { system = "", messages, tools } = request;
  const bytes = Buffer.byteLength(`${system}${JSON.stringify(messages)}`);
  return bytes + PROVIDER_TOKENS + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)) + TOOL_TOKENS);
}

/** Reply tokens guessed the same way. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

const CHARACTERS_PER_TOKEN = 4;
/** Marks between messages. */
const PROVIDER_TOKENS = 64;
/** What providers tell the model about the use of tools: at most 804 tokens in Anthropic's list of November 2026. */
const TOOL_TOKENS = 1024;

/** Bytes that one token of English stands for, by family of models, before anything is known of the texts at hand. */
export function familyBytesPerToken(modelId: string): number {
  return families.find(({ pattern }) => pattern.test(modelId))?.bytes ?? UNKNOWN;
}

/** UTF-8 bytes of a request as far as a model reads them. */
export function promptBytes({ system = "", messages, tools }: ModelRequest): number {
  let bytes = Buffer.byteLength(system);
  for (const message of messages) {
    if (message.role === "tool") for (const { content } of message.results) bytes += Buffer.byteLength(content);
    else bytes += Buffer.byteLength(message.content);
    if (message.role === "assistant" && message.toolCalls)
      bytes += Buffer.byteLength(JSON.stringify(message.toolCalls));
  }
  return bytes + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)));
}

/** Replies after which what they show is believed. */
const ENOUGH_REPLIES = 20;

/** What replies have shown of a model's tokens, for a manifest. */
export interface TokenFacts {
  /** Bytes of prompts by token that the provider counted. */
  readonly bytesPerToken: number;
  readonly replies: number;
}

/**
 * How many bytes a token of one model has, for one kind of prompt: as its family's until so many replies have come, from then on as
 * the provider counted, younger replies weighing more. Nothing exact hangs on it.
 */
export class TokenGauge {
  readonly #family: number;
  readonly #enough: number;
  #seen: TokenFacts | undefined;

  /** `before`: what an earlier process had seen; `enough`: replies after which they are believed. */
  constructor(modelId: string, before?: TokenFacts, enough = ENOUGH_REPLIES) {
    this.#family = familyBytesPerToken(modelId);
    this.#enough = enough;
    this.#seen = before;
  }

  /** Counts that are estimates themselves say nothing. */
  add(request: ModelRequest, usage: Usage): void {
    if (usage.estimated === true || usage.in <= 0) return;
    const now = promptBytes(request) / usage.in;
    const { bytesPerToken = now, replies = 0 } = this.#seen ?? {};
    const weight = Math.max(1 / (replies + 1), YOUNGEST);
    this.#seen = { bytesPerToken: bytesPerToken + weight * (now - bytesPerToken), replies: replies + 1 };
  }

  get bytesPerToken(): number {
    return this.#believed ?? this.#family;
  }

  tokens(request: ModelRequest): number {
    return Math.ceil(promptBytes(request) / this.bytesPerToken);
  }

  /** The same, a quarter more while replies are not believed yet: for what is set aside before a call. */
  tokensToReserve(request: ModelRequest): number {
    return Math.ceil(promptBytes(request) / (this.#believed ?? this.#family * CAUTION));
  }

  /** Undefined while no reply has come. */
  get facts(): TokenFacts | undefined {
    return this.#seen;
  }

  get #believed(): number | undefined {
    return this.#seen !== undefined && this.#seen.replies >= this.#enough ? this.#seen.bytesPerToken : undefined;
  }
}

/** Least weight of the youngest reply. */
const YOUNGEST = 0.05;
const CAUTION = 0.8;
const UNKNOWN = 4;

/** Measured on news, paper and review texts; Claude's tokenizer of 4.7 and later makes some 30 % more tokens of the same text. First match wins. */
const families: readonly { readonly pattern: RegExp; readonly bytes: number }[] = [
  { pattern: /claude-(3|2|instant|(opus|sonnet|haiku)-4(?!-([7-9]|\d\d)(?!\d)|\d))/, bytes: 3.9 },
  { pattern: /claude-/, bytes: 3 },
  { pattern: /gpt-|(^|\/)o\d|llama|qwen|deepseek|gemma|mistral/i, bytes: 4.4 },
];

/**
 * Tells when a server cuts prompts in silence, as some do at the end of their context: the longest prompt so far has far fewer tokens
 * than its bytes say, or as many as a much shorter one. The run then stops: answers to half a prompt are no results.
 */
export function uncut(model: Model): Model {
  if (model.simulated) return model;
  const gauge = new TokenGauge(model.id);
  let [longest, mostTokens, shortestOfMost] = [0, 0, 0];
  return {
    ...model,
    async complete(request, signal, hear) {
      const reply = await model.complete(request, signal, hear);
      const { in: tokens, estimated } = reply.usage;
      if (estimated === true || tokens <= 0) return reply;
      const bytes = promptBytes(request);
      const calibrated = (gauge.facts?.replies ?? 0) >= ENOUGH_REPLIES ? gauge.tokens(request) : 0;
      const isFew = bytes > longest && calibrated >= LEAST_TOKENS && tokens < FEW * calibrated;
      const isEqual = tokens >= LEAST_TOKENS && tokens === mostTokens && differ(bytes, shortestOfMost);
      if (isFew || isEqual) throw cutPrompt(model.id, tokens, isFew ? calibrated : undefined);
      longest = Math.max(longest, bytes);
      if (tokens > mostTokens) [mostTokens, shortestOfMost] = [tokens, bytes];
      else if (tokens === mostTokens) shortestOfMost = Math.min(shortestOfMost, bytes);
      gauge.add(request, reply.usage);
      return reply;
    },
  };
}

/** No server's context is shorter; below it bytes say little of tokens. */
const LEAST_TOKENS = 1024;
const FEW = 0.6;
/** Of the shorter prompt: equal texts in other words are nearer. */
const DIFFERENT = 0.3;

const differ = (a: number, b: number): boolean => Math.abs(a - b) > DIFFERENT * Math.max(a, b);

function cutPrompt(id: string, tokens: number, expected: number | undefined): ModelError {
  const why = expected === undefined ? "as many as of a much shorter one" : `about ${expected} were sent`;
  return new ModelError(`${id}: the server cut the prompt (${tokens} tokens of it, ${why}); raise its context`, {
    retryable: false,
    scope: "stop",
  });
}

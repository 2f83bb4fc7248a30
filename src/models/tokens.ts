import type {
  Capabilities,
  ModelReply,
  ModelRequest,
  PhaseAt,
  PhaseTotals,
  Spend,
  TokenCounts,
  Usage,
} from "../types/index.js";

/**
 * Calls of more prompt tokens than this stand one by one in what rows hold of a phase (`PhaseTotals.long`), because prices
 * may go by the length of the single call. Every price tier that we know of begins above.
 */
export const LONG_PROMPT = 30_000;

export const NO_TOKENS: Required<TokenCounts> = { in: 0, out: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };

export const plus = (a: TokenCounts, b: TokenCounts): Required<TokenCounts> => sumOf(a, b, 1);
export const less = (a: TokenCounts, b: TokenCounts): Required<TokenCounts> => sumOf(a, b, -1);

const sumOf = (a: TokenCounts, b: TokenCounts, sign: 1 | -1): Required<TokenCounts> => ({
  in: a.in + sign * b.in,
  out: a.out + sign * b.out,
  cacheRead: (a.cacheRead ?? 0) + sign * (b.cacheRead ?? 0),
  cacheWrite: (a.cacheWrite ?? 0) + sign * (b.cacheWrite ?? 0),
  cacheWrite1h: (a.cacheWrite1h ?? 0) + sign * (b.cacheWrite1h ?? 0),
});

/** Returns the token counts of a total alone, without caches where nothing was cached. */
export const tokensOf = ({ in: tokensIn, out, cacheRead, cacheWrite, cacheWrite1h }: TokenCounts): TokenCounts => ({
  in: tokensIn,
  out,
  ...(cacheRead ? { cacheRead } : {}),
  ...(cacheWrite ? { cacheWrite } : {}),
  ...(cacheWrite1h ? { cacheWrite1h } : {}),
});

/** Room added to the answer budget where hidden reasoning cannot be switched off: it counts towards the limit. */
const THINKING_TOKENS = 4096;
/** The same where more than a little effort is asked for. */
const HARD_THINKING_TOKENS = 16_384;

/** Returns the most tokens that a reply may have: the answer budget, and room to think where that is unavoidable. */
export function outputLimit({ thinking }: Pick<Capabilities, "thinking">, request: ModelRequest): number {
  const { effort, maxTokens } = request;
  if (effort === undefined) return maxTokens + (thinking === "always" ? THINKING_TOKENS : 0);
  if (effort === "none") return maxTokens;
  return maxTokens + (effort === "minimal" || effort === "low" ? THINKING_TOKENS : HARD_THINKING_TOKENS);
}

/** Returns the texts of a request as far as a model reads them. */
function* textsOf({ system, messages, tools }: ModelRequest): Generator<string> {
  if (system !== undefined) yield system;
  for (const message of messages) {
    if (message.role === "tool") for (const { content } of message.results) yield content;
    else yield message.content;
    if (message.role === "assistant" && message.toolCalls) yield JSON.stringify(message.toolCalls);
  }
  if (tools !== undefined) yield JSON.stringify(tools);
}

/** Returns prompt tokens guessed as characters / 4: for servers that report no usage. */
export function estimatedPromptTokens(request: ModelRequest): number {
  let characters = 0;
  for (const text of textsOf(request)) characters += text.length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Returns reply tokens guessed the same way. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export const estimatedReplyTokens = ({ text, toolCalls }: Pick<ModelReply, "text" | "toolCalls">): number =>
  estimatedTokens(text) + (toolCalls.length === 0 ? 0 : estimatedTokens(JSON.stringify(toolCalls)));

/** Returns the most tokens a prompt can count: no tokenizer makes more tokens than bytes, and the provider adds words of its own. */
export function mostPromptTokens({ system = "", messages, tools }: ModelRequest): number {
  const bytes = Buffer.byteLength(`${system}${JSON.stringify(messages)}`);
  return bytes + PROVIDER_TOKENS + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)) + TOOL_TOKENS);
}

/** Average of English prose. */
export const CHARACTERS_PER_TOKEN = 4;
/** Tokens between messages. */
const PROVIDER_TOKENS = 64;
/** Tokens that providers add about the use of tools: at most 804 tokens in Anthropic's list of November 2026. */
const TOOL_TOKENS = 1024;

/** Returns the UTF-8 bytes of a request as far as a model reads them. */
export function promptBytes(request: ModelRequest): number {
  let bytes = 0;
  for (const text of textsOf(request)) bytes += Buffer.byteLength(text);
  return bytes;
}

/** Returns the bytes of a token of English, by family of models, before anything is known of the texts at hand. */
export const familyBytesPerToken = (modelId: string): number =>
  families.find(([pattern]) => pattern.test(modelId))?.[1] ?? 4;

/** Measured on news, paper and review texts; Claude's tokenizer of 4.7 and later makes some 30 % more tokens of the same text. First match wins. */
const families: readonly (readonly [pattern: RegExp, bytes: number])[] = [
  [/claude-(3|2|instant|(opus|sonnet|haiku)-4(?!-([7-9]|\d\d)(?!\d)|\d))/, 3.9],
  [/claude-/, 3],
  [/gpt-|(^|\/)o\d|llama|qwen|deepseek|gemma|mistral/i, 4.4],
];

/** Least weight of the youngest reply. */
const YOUNGEST = 0.05;
/** Factor on a family's bytes per token until enough replies have come. */
const CAUTION = 0.8;

/**
 * Estimates the bytes per token of a model: by its family until `enough` replies have arrived, then by the provider's counts, where newer
 * replies weigh more.
 */
export class TokenGauge {
  readonly #family: number;
  readonly #enough: number;
  #seen = 0;
  #replies = 0;

  constructor(modelId: string, enough: number) {
    this.#family = familyBytesPerToken(modelId);
    this.#enough = enough;
  }

  /** Adds the counts of a reply; estimated ones are ignored. */
  add(request: ModelRequest, usage: Usage): void {
    if (usage.estimated === true || usage.in <= 0) return;
    this.#replies += 1;
    this.#seen += Math.max(1 / this.#replies, YOUNGEST) * (promptBytes(request) / usage.in - this.#seen);
  }

  get bytesPerToken(): number {
    return this.#replies >= this.#enough ? this.#seen : this.#family;
  }

  /** Returns the tokens to reserve for a call: a quarter more before enough replies have arrived. */
  tokensToReserve(request: ModelRequest): number {
    return Math.ceil(promptBytes(request) / (this.#replies >= this.#enough ? this.#seen : this.#family * CAUTION));
  }
}

/** No server's context is shorter; below it bytes say little of tokens. */
export const SHORTEST_CONTEXT = 1024;
/** Prompts of equal token counts whose bytes differ by a larger share: the server cut one. */
export const CUT_DIFFERENCE = 0.3;

export class SpendMeter {
  readonly #phases = new Map<PhaseAt, CallMeter>();

  add(phase: PhaseAt, usage: Usage): void {
    const meter = this.#phases.get(phase) ?? new CallMeter();
    this.#phases.set(phase, meter);
    meter.add(usage);
  }

  /** Phases in alphabetical order, so that equal spends are equal bytes. */
  total(): Spend {
    const phases = [...this.#phases].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(phases.map(([phase, meter]) => [phase, meter.total()]));
  }
}

export class CallMeter {
  #calls = 0;
  #sum = NO_TOKENS;
  readonly #long: TokenCounts[] = [];
  readonly #billed: { readonly tokens: TokenCounts; readonly usd: number }[] = [];
  #batch: CallMeter | undefined;

  add(usage: Usage): void {
    const tokens = tokensOf(usage);
    const { batch, ...rest } = usage;
    this.#calls += 1;
    this.#sum = plus(this.#sum, tokens);
    if (usage.billedUsd !== undefined) this.#billed.push({ tokens, usd: usage.billedUsd });
    else if (batch === true) {
      this.#batch ??= new CallMeter();
      this.#batch.add(rest);
    } else if (usage.in > LONG_PROMPT) this.#long.push(tokens);
  }

  /** Returns the totals. They do not depend on the order of the calls. */
  total(): PhaseTotals {
    const long = [...this.#long].sort(byTokens);
    const usd = this.#billed.map((call) => call.usd).sort((a, b) => a - b);
    const billed = this.#billed.reduce((sum, { tokens }) => plus(sum, tokens), NO_TOKENS);
    return {
      calls: this.#calls,
      ...tokensOf(this.#sum),
      ...(this.#calls > 1 && long.length > 0 ? { long } : {}),
      ...(usd.length === 0
        ? {}
        : { billed: { calls: usd.length, ...tokensOf(billed), usd: usd.reduce((a, b) => a + b, 0) } }),
      ...(this.#batch === undefined ? {} : { batch: this.#batch.total() }),
    };
  }
}

const byTokens = (a: TokenCounts, b: TokenCounts): number => {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  return b.in - a.in || (x < y ? -1 : x === y ? 0 : 1);
};

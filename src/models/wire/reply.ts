import { holds, isObject, isTooDeep, TOO_DEEP } from "../../text/json.js";
import type { Json, ModelReply, ModelRequest, ToolCall, Usage } from "../../types/index.js";
import { estimatedPromptTokens, estimatedReplyTokens } from "../tokens.js";

/** The error of a body that does not have the expected form. Its message begins with the place: `choices[0].message: expected ...`. */
export class Misfit extends Error {
  override readonly name = "Misfit";

  constructor(
    message: string,
    /** False where another try would bring the same. */
    readonly mayPass: boolean,
  ) {
    super(message);
  }
}

/** A part of a body that a server sent. Its readers throw Misfit where a value is missing or of another type. */
export class Served {
  readonly value: unknown;
  readonly #place: string;

  /** Throws Misfit on a body that is nested too deep to be walked. */
  constructor(value: unknown, place = "") {
    this.value = value;
    this.#place = place;
    if (place === "" && isTooDeep(value)) this.refuse(TOO_DEEP);
  }

  refuse(problem: string, mayPass = true): never {
    throw new Misfit(`${this.#place || "the body"}: ${problem}`, mayPass);
  }

  /** True if the value is absent or null. */
  get isNothing(): boolean {
    return this.value === undefined || this.value === null;
  }

  field(name: string): Served {
    if (!isObject(this.value)) return this.#expected("an object");
    return new Served(fieldsOf(this.value)[name], this.#place === "" ? name : `${this.#place}.${name}`);
  }

  list(): readonly Served[] {
    if (!Array.isArray(this.value)) return this.#expected("a list");
    return this.value.map((one: unknown, at) => new Served(one, `${this.#place}[${at}]`));
  }

  listOrNone(): readonly Served[] {
    return this.isNothing ? [] : this.list();
  }

  text(): string {
    return typeof this.value === "string" ? this.value : this.#expected("a text");
  }

  textOrNone(): string | undefined {
    return this.isNothing ? undefined : this.text();
  }

  /** A name or an id. */
  name(): string {
    return this.text() || this.#expected("a name");
  }

  /** A natural logarithm of a probability. Rounding may leave a certain token a little above 0. */
  logprob(): number {
    if (typeof this.value === "number" && this.value <= 1e-3 && Number.isFinite(this.value))
      return Math.min(0, this.value);
    return this.#expected("a log probability");
  }

  /** Arguments of a tool; parsers make infinity of 1e999, which cannot be written down again. */
  object(): { readonly [name: string]: Json } {
    return isObject(this.value) && isKeepable(this.value)
      ? (this.value as { [name: string]: Json })
      : this.#expected("an object");
  }

  /** The value as it is to be sent back. */
  json(): Json {
    return isKeepable(this.value) ? (this.value as Json) : this.refuse("a number beyond the largest");
  }

  #expected(what: string): never {
    const found = this.value === null ? "null" : Array.isArray(this.value) ? "a list" : typeof this.value;
    return this.refuse(`expected ${what}, not ${found}`);
  }
}

const isKeepable = (value: unknown): boolean =>
  !holds(value, (part) => typeof part === "number" && !Number.isFinite(part));

/** Returns the fields of whatever was served: none where it is no object. */
export function fieldsOf(served: unknown): Readonly<Record<string, unknown>> {
  return typeof served === "object" && served !== null ? { ...served } : {};
}

/** A block of a reply: text, a call, or (neither) reasoning and unknown types. */
export interface Block {
  readonly text?: string;
  readonly call?: ToolCall;
}

/** Returns the text and calls of blocks. If some are no text, all are kept, to be sent back unmodified. */
export function contentsOf(
  blocks: readonly Block[],
  content: Served,
): Pick<ModelReply, "text" | "toolCalls" | "opaque"> {
  const isPlain = blocks.every(({ text }) => text !== undefined);
  return {
    text: blocks.map(({ text = "" }) => text).join(""),
    toolCalls: blocks.flatMap(({ call }) => call ?? []),
    ...(isPlain ? {} : { opaque: content.json() }),
  };
}

/** Paths of a wire's token counts inside of `usage`. */
export interface UsageFields {
  readonly in: string;
  readonly out: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  /** Part of `cacheWrite`. */
  readonly cacheWrite1h?: string;
  readonly thinking?: string;
  /** Dollars that the call was billed at. */
  readonly billedUsd?: string;
  /** True if `in` already counts cache reads and writes. */
  readonly promptIncludesCache: boolean;
}

/**
 * Returns the usage of a reply. Only whole counts from 0 on are believed, and no 0 for a prompt with words; what is missing or
 * anything else is estimated from the texts, and the usage is marked `estimated`. Cache reads and writes are parts of `in`.
 */
export function readUsage(
  served: unknown,
  { promptIncludesCache, ...paths }: UsageFields,
  [request, reply]: readonly [ModelRequest, Pick<ModelReply, "text" | "toolCalls">],
): Usage {
  const at = (path: string | undefined): unknown =>
    path?.split(".").reduce<unknown>((value, name) => fieldsOf(value)[name], served);
  const servedIn = at(paths.in);
  const servedOut = at(paths.out);
  const billed = at(paths.billedUsd);
  const cacheRead = partOf(at(paths.cacheRead));
  const cacheWrite = partOf(at(paths.cacheWrite));
  const cacheWrite1h = partOf(at(paths.cacheWrite1h));
  const thinking = partOf(at(paths.thinking));
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isZero = count(servedIn) === 0 && (promptIncludesCache || cached === 0) && estimatedPromptTokens(request) > 0;
  const promptTokens = isZero ? undefined : count(servedIn);
  const outputTokens = isZero && servedOut === 0 ? undefined : count(servedOut);
  const cacheFits =
    cacheRead !== undefined && cacheWrite !== undefined && (!promptIncludesCache || cached <= (promptTokens ?? 0));
  const isPromptUsable = promptTokens !== undefined && (cacheFits || promptIncludesCache);
  const isWhole = isPromptUsable && cacheFits && outputTokens !== undefined && thinking !== undefined;
  return {
    in: isPromptUsable ? promptTokens + (promptIncludesCache ? 0 : cached) : estimatedPromptTokens(request),
    out: outputTokens ?? estimatedReplyTokens(reply),
    ...(isPromptUsable && cacheFits && cacheRead > 0 && { cacheRead }),
    ...(isPromptUsable && cacheFits && cacheWrite > 0 && { cacheWrite }),
    ...(isPromptUsable && cacheFits && cacheWrite1h && cacheWrite1h <= cacheWrite && { cacheWrite1h }),
    ...(thinking && { thinking }),
    ...(!isWhole && { estimated: true }),
    ...(isBill(billed) && { billedUsd: billed }),
  };
}

/** No single call has more tokens, or costs more dollars: a larger number is a mistake of the server. */
const MOST_TOKENS = 1_000_000_000;
const MOST_USD = 10_000;

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;

export const isBill = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_USD;

/** A count that servers leave out where it is 0; undefined: no valid count. */
const partOf = (value: unknown): number | undefined => (value === undefined || value === null ? 0 : count(value));

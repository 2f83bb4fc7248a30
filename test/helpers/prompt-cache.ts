import { sha256 } from "../../src/text/content-id.js";

/** A part of a prompt in the order in which a cache sees it; `marked`: the request asks to keep everything up to here. */
export interface PromptBlock {
  readonly text: string;
  readonly marked?: boolean;
}

/** What a provider's cache does, by its documentation. */
export interface CacheRules {
  /** Shorter prefixes are neither kept nor read. */
  readonly minTokens: number;
  /** An entry lives so long after its last use. */
  readonly lifeMs: number;
  /** How far before a mark an entry may end, blocks; without a bound, anywhere. */
  readonly lookBack: number;
  /** Whether what is kept is billed as a write. */
  readonly billsWrites: boolean;
}

/** Tokens of one prompt; `in` counts all. */
export interface CountedPrompt {
  readonly in: number;
  readonly read: number;
  readonly written: number;
}

/**
 * A provider's cache of prompts: prefixes are kept at marks alone, from the least length on; the longest kept prefix that a
 * prompt begins with is read; an entry can be read once the reply to its first prompt has begun, and each use renews it.
 */
export class PromptCache {
  readonly #kept = new Map<string, Entry>();
  readonly #rules: CacheRules;

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** Counts a prompt that arrives at `nowMs`; `begun` is to be called when its reply begins. */
  count(blocks: readonly PromptBlock[], nowMs: number): CountedPrompt & { begun(): void } {
    const { minTokens, lookBack, billsWrites, lifeMs } = this.#rules;
    const ends = endsOf(blocks);
    const marks = ends.flatMap(({ marked, tokens }, index) => (marked === true && tokens >= minTokens ? [index] : []));
    const isReadable = (index: number): boolean => {
      const entry = this.#kept.get(ends[index]!.prefix);
      return entry?.begun === true && entry.until > nowMs;
    };
    const near = ends.flatMap((_, index) =>
      marks.some((mark) => index <= mark && mark - index <= lookBack) ? [index] : [],
    );
    const readAt = near.filter(isReadable).at(-1) ?? -1;
    const read = readAt < 0 ? 0 : ends[readAt]!.tokens;
    const last = marks.at(-1);
    const kept = last === undefined ? read : Math.max(read, ends[last]!.tokens);
    const used = [...marks, ...(readAt < 0 ? [] : [readAt])].map((index) =>
      this.#use(ends[index]!.prefix, nowMs, lifeMs),
    );
    return {
      in: ends.at(-1)?.tokens ?? 0,
      read,
      written: billsWrites ? kept - read : 0,
      begun: () => {
        for (const entry of used) entry.begun = true;
      },
    };
  }

  #use(prefix: string, nowMs: number, lifeMs: number): Entry {
    const known = this.#kept.get(prefix);
    const entry = known !== undefined && known.until > nowMs ? known : { begun: false, until: 0 };
    entry.until = nowMs + lifeMs;
    this.#kept.set(prefix, entry);
    return entry;
  }
}

interface Entry {
  begun: boolean;
  until: number;
}

interface BlockEnd extends PromptBlock {
  /** From the beginning of the prompt. */
  readonly tokens: number;
  readonly prefix: string;
}

/** So many bytes are a token, whatever the model. */
const BYTES_PER_TOKEN = 3;

function endsOf(blocks: readonly PromptBlock[]): BlockEnd[] {
  let [tokens, prefix] = [0, ""];
  return blocks.map((block) => {
    tokens += Math.ceil(Buffer.byteLength(block.text) / BYTES_PER_TOKEN);
    prefix = sha256(`${prefix}\n${block.text}`);
    return { ...block, tokens, prefix };
  });
}

import { type Answer, asStored, type Key, requestKey } from "../log/entry.js";
import type { Json, Model, ModelReply, ModelRequest, Usage } from "../types/index.js";
import { replyKind, storedReply } from "./answers.js";
import type { Tries } from "./caps.js";
import { type Book, type Kind, memoryBook, Once, type Purchase } from "./once.js";

/** Services for buying and storing replies. */
export interface ReplySettings {
  readonly once: Once<Book>;
  /** US dollars of a usage; undefined where no price is known. */
  price(usage: Usage): number | undefined;
  readonly tries: Pick<Tries, "takeMs">;
  /** Aborted when no call may be made. */
  readonly stop: AbortSignal;
  /** Called where a new reply equals an earlier draw and arrived too fast to have been computed. */
  readonly onCachedDraw?: (() => void) | undefined;
}

/** Tells whether nothing was sent for a reply: it was stored, or an equal call received it. */
export const isFromStore = ({ source }: ModelReply): boolean => source === "store";

/** Returns stored replies, and sends equal requests once. Stores all replies, refusals included. */
export function boughtOnce(model: Model, settings: Partial<ReplySettings> = {}): Model {
  const { once = new Once(memoryBook()), price, tries, stop = NEVER, onCachedDraw } = settings;
  const kind = replyKind(model.id, stop);

  function purchaseOf(key: Key, reply: ModelReply): Purchase {
    const usd = price?.(reply.usage);
    const ms = reply.usage.batch === true ? undefined : tries?.takeMs(key);
    const value = reply as unknown as Json; // a reply is JSON
    return { value, ...(usd !== undefined && { usd }), ...(ms !== undefined && { ms }) };
  }

  return {
    ...model,
    async complete(request, signal) {
      const key = requestKey(model.id, request);
      let isReused = false;
      const buy = async (): Promise<Purchase> => {
        const ended = endedReply(model.id, request, { book: once.book, kind });
        isReused = ended !== undefined;
        if (ended !== undefined)
          return { request: asStored(request), value: ended.value as unknown as Json, from: ended.from };
        const reply = await model.complete(request, signal);
        return { request: asStored(request), ...purchaseOf(key, reply) };
      };
      const { value, isNew } = await once.one(key, kind, buy, signal);
      if (!isNew || isReused) return { ...value, source: "store" };
      const { sample } = request;
      const earlier = sample - (sample % DRAWS_PER_REPEAT === 0 ? DRAWS_PER_REPEAT : 1);
      if (sample > 0 && isFromCache(timingOf(request), timingOf({ ...request, sample: earlier }))) onCachedDraw?.();
      return value;
    },
  };

  function timingOf(request: ModelRequest): Timing | undefined {
    const read = (answer: Answer): Timing => ({ ms: answer.ms, text: storedReply(answer)?.text });
    return once.book.find(requestKey(model.id, request), { ...kind, read });
  }
}

/** Returns another run's reply to the same request with its usual tokens, if it came to its end: more tokens would have changed nothing. */
function endedReply(
  modelId: string,
  { usualTokens, ...request }: ModelRequest,
  { book, kind }: { readonly book: Book; readonly kind: Kind<ModelReply> },
) {
  if (usualTokens === undefined) return undefined;
  const found = book.findElsewhere?.(requestKey(modelId, { ...request, maxTokens: usualTokens }), kind);
  return found?.value.stop === "length" ? undefined : found;
}

interface Timing {
  readonly ms: number | undefined;
  readonly text: string | undefined;
}

/** Tells whether a draw came at once and equals an earlier one that took its time, as from the cache of a gateway. */
function isFromCache(draw: Timing | undefined, earlier: Timing | undefined): boolean {
  const isEqual = draw?.text !== undefined && draw.text === earlier?.text;
  return isEqual && (draw.ms ?? CACHED_MS) < CACHED_MS && (earlier?.ms ?? 0) >= CACHED_MS;
}

/** Number of draws of a question in a repeat: `sample` of a request is repeat * DRAWS_PER_REPEAT + draw. */
export const DRAWS_PER_REPEAT = 1000;

/** Milliseconds: no model answers faster across a network. */
const CACHED_MS = 50;

const NEVER: AbortSignal = new AbortController().signal;

/**
 * Returns a wrapper that passes on one reply in each turn of the event loop. Methods take time for a reply; between two of them the
 * replies that arrived meanwhile are stored, so that a killed process loses few.
 */
export function inSeparateTurns(): (model: Model) => Model {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  const turn = (resolve: () => void): void => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  };
  return (model) => ({
    ...model,
    async complete(request, signal) {
      const reply = await model.complete(request, signal);
      if (!isFromStore(reply)) await new Promise<void>(turn);
      return reply;
    },
  });
}

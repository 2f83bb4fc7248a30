import { ModelError } from "../errors.js";
import { asStored, type Key, requestKey } from "../log/entry.js";
import type { Model, ModelReply, ModelRequest } from "../types/index.js";

/** Where replies are kept. */
export interface ReplyStore {
  get(key: Key): ModelReply | undefined;
  /**
   * Asked before a call is sent. Returns the reply that another process has bought by now; undefined: this one is to buy it, and
   * to tell of it by `put` or `failed`. Throws `failedAlike` where an equal call failed after all its tries.
   */
  claim?(key: Key, signal: AbortSignal): Promise<ModelReply | undefined>;
  /** The reply counts as answered once this settles. Returns the one that counts where another process was first. */
  put(key: Key, request: ModelRequest, reply: ModelReply): Promise<ModelReply | undefined> | undefined;
  /** No reply came; `error` is undefined where the call was aborted. Returns what another process has bought meanwhile. */
  failed?(key: Key, error: unknown): Promise<ModelReply | undefined>;
}

/** Returns true where nothing was sent for this reply: it was stored, or came to an equal call. */
export const isFromStore = (reply: ModelReply): boolean => free.has(reply);

export function fromStore(found: ModelReply): ModelReply {
  const reply = { ...found }; // a store may hand out the object it was given
  free.add(reply);
  return reply;
}

const free = new WeakSet<ModelReply>();

/** Answers from the store where it can; equal requests in flight are sent once. Replies are kept, refusals included; errors never are. */
export function stored(model: Model, store: ReplyStore): Model {
  const inFlight = new Map<Key, Promise<ModelReply>>();
  const buy = async (key: Key, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    try {
      const bought = await store.claim?.(key, signal);
      if (bought !== undefined) return fromStore(bought);
      const reply = await model.complete(request, signal);
      return (await store.put(key, asStored(request), reply)) ?? reply;
    } catch (error) {
      const bought = isAlike(error) ? undefined : await store.failed?.(key, signal.aborted ? undefined : error);
      if (bought !== undefined) return fromStore(bought);
      throw error;
    } finally {
      inFlight.delete(key);
    }
  };
  return {
    ...model,
    async complete(request, signal) {
      const key = requestKey(model.id, request);
      const found = store.get(key) ?? inFlight.get(key);
      if (found !== undefined) return fromStore(await found);
      const sent = buy(key, request, signal);
      inFlight.set(key, sent);
      return sent;
    },
  };
}

/** Of a call that is not made, because an equal one failed after all its tries. */
export function failedAlike(message: string): ModelError {
  const error = new ModelError(message, { retryable: false, bill: "none" });
  alike.add(error);
  return error;
}

const alike = new WeakSet<ModelError>();
const isAlike = (error: unknown): boolean => error instanceof ModelError && alike.has(error);

/**
 * Hands received replies on, one in each turn of the event loop. What a method does with a reply takes time; meanwhile others arrive,
 * and in between they are read and stored, so that a killed process has lost next to nothing.
 */
export function openTurns(): (model: Model) => Model {
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

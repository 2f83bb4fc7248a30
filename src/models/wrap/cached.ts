import { ModelError } from "../../errors.js";
import { contentId } from "../../text/content-id.js";
import type { Model, ModelReply, ModelRequest } from "../../types/index.js";

/** A call that ended. */
export interface CallFact {
  readonly key: string;
  /** Served from the store or from an equal call in flight: nothing was sent for it. */
  readonly cached: boolean;
  readonly failed: boolean;
}

/**
 * The store's key of a request: every field counts, the sample number and the model's id included; not how many samples are
 * wanted in all, nor what others begin with, which change no reply.
 */
export function requestKey(modelId: string, request: ModelRequest): string {
  const known = keys.get(request);
  if (known?.modelId === modelId) return known.key;
  const key = contentId({ model: modelId, request: asStored(request) });
  keys.set(request, { modelId, key });
  return key;
}

export function asStored(request: ModelRequest): ModelRequest {
  if (request.samples === undefined && request.opening === undefined) return request;
  const { samples: _, opening: __, ...plain } = request;
  return plain;
}

/** Whether this reply object was read from a response store rather than received. */
export function isFromStore(reply: ModelReply): boolean {
  return stored.has(reply);
}

export function fromStore(found: ModelReply): ModelReply {
  const reply = { ...found }; // a store may hand out the object it was given
  stored.add(reply);
  return reply;
}

/**
 * Answers from the store where it can; equal requests in flight are sent once. Replies are kept, refusals included;
 * errors never are.
 */
export function cached(model: Model, store: ResponseStore, observe?: (fact: CallFact) => void): Model {
  const inFlight = new Map<string, Promise<ModelReply>>();
  const owners = new WeakMap<Promise<ModelReply>, AbortSignal>();

  async function send(key: string, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    try {
      const claimed = store.claim?.(key, signal);
      const bought = claimed === undefined ? undefined : await claimed; // else it is sent in this turn
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
  }

  /** The reply, and whether it cost nothing. An equal call that was aborted by its own caller is taken over. */
  async function find(key: string, request: ModelRequest, signal: AbortSignal): Promise<[ModelReply, boolean]> {
    const kept = store.get(key);
    const found = kept instanceof Promise ? await kept : kept;
    if (found !== undefined) return [fromStore(found), true];
    const running = inFlight.get(key);
    if (running === undefined) {
      const sent = send(key, request, signal);
      inFlight.set(key, sent);
      owners.set(sent, signal);
      const reply = await sent;
      return [reply, isFromStore(reply)];
    }
    try {
      return [await running, true];
    } catch (error) {
      if (owners.get(running)?.aborted && !signal.aborted) return find(key, request, signal);
      throw error;
    }
  }

  return {
    ...model,
    async complete(request, signal) {
      const key = requestKey(model.id, request);
      try {
        const [reply, free] = await find(key, request, signal);
        observe?.({ key, cached: free, failed: false });
        return reply;
      } catch (error) {
        observe?.({ key, cached: false, failed: true });
        throw error;
      }
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

/** Requests never change, so a key is computed once per request object. */
const keys = new WeakMap<ModelRequest, { readonly modelId: string; readonly key: string }>();
const stored = new WeakSet<ModelReply>();

/** Where replies are kept between runs. */
export interface ResponseStore {
  get(key: string): Promise<ModelReply | undefined> | ModelReply | undefined;
  /**
   * Asked before a call is sent. Returns the reply that another process has bought by now; undefined: this one is to buy it, and
   * to tell of it by `put` or `failed`. Throws `failedAlike` where an equal call failed after all its tries.
   */
  claim?(key: string, signal: AbortSignal): Promise<ModelReply | undefined>;
  /** The reply counts as answered once this settles. Returns the one that counts where another process was first. */
  put(key: string, request: ModelRequest, reply: ModelReply): Promise<ModelReply | undefined> | undefined;
  /** No reply came; `error` is undefined where the call was aborted. Returns what another process has bought meanwhile. */
  failed?(key: string, error: unknown): Promise<ModelReply | undefined>;
}

/** Lets one waiting job go on in each turn of the event loop. */
type Turns = () => Promise<void>;

export function openTurns(): Turns {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

/**
 * Hands received replies on one a turn. What a method does with a reply takes time; meanwhile others arrive, and in between
 * they are read and stored, so that a killed process has lost next to nothing.
 */
export function oneATurn(model: Model, turns: Turns): Model {
  return {
    ...model,
    async complete(request, signal) {
      const reply = await model.complete(request, signal);
      if (!isFromStore(reply)) await turns();
      return reply;
    },
  };
}

/** A request that a recording does not hold. Never tried again: the recording will not grow. */
export class ReplayMiss extends ModelError {
  constructor() {
    super("not in the recording", { retryable: false, bill: "none" });
  }
}

/** Stands in a provider's place where every reply must come from a recording: reaches nothing, and misses what it is asked. */
export const replaying = ({ id, capabilities, simulated }: Model): Model => ({
  id,
  capabilities,
  simulated,
  complete: () => Promise.reject(new ReplayMiss()),
});

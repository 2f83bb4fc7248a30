import { ModelError } from "../../errors.js";
import type { Model, ModelReply, ModelRequest } from "../../types/index.js";
import { cacheMarks } from "../cache-marks.js";
import { asStored, fromStore, type ResponseStore, requestKey } from "./cached.js";

/** Draws of one question share a repeat: sample = repeat * DRAWS_PER_REPEAT + draw, so no two ever share a cache key. */
export const DRAWS_PER_REPEAT = 1000;

/**
 * Buys all draws of a prompt (`samples`) together with the first: those that came in the same reply are stored under their own
 * numbers; where the wire gives one reply at a time, but has just put the prompt into its cache, the others are asked for at
 * once, while it is warm. Else each is bought when its turn comes. A draw whose turn comes while the first is out waits for it where
 * it comes with it, or, out of batches, where the first writes the prompt into a cache.
 */
export function sampled(model: Model, store: ResponseStore, { inBatches = false } = {}): Model {
  const keyOf = (request: ModelRequest): string => requestKey(model.id, request);
  const at = (request: ModelRequest, draw: number): ModelRequest => ({
    ...request,
    sample: request.sample + draw * DRAWS_PER_REPEAT,
  });
  const keep = async (request: ModelRequest, reply: ModelReply): Promise<unknown> =>
    store.put(keyOf(request), asStored(request), reply);
  const buy = async (
    request: ModelRequest,
    draws: readonly ModelRequest[],
    signal: AbortSignal,
  ): Promise<ModelReply> => {
    const { others = [], ...reply } = await model.complete(request, signal);
    for (const [index, other] of others.entries()) await keep(at(request, index + 1), other);
    const { cacheRead = 0, cacheWrite = 0 } = reply.usage;
    if (others.length > 0 || cacheRead + cacheWrite === 0) return reply;
    const untried = draws.filter((one) => !alone.has(keyOf(one)) && store.get(keyOf(one)) === undefined);
    const bought = Promise.all(
      untried.map(async (one) => {
        try {
          await keep(one, await model.complete(one, signal));
        } catch (error) {
          if (!(error instanceof ModelError)) throw error; // its own turn comes later
        }
      }),
    );
    for (const one of untried) out.set(keyOf(one), bought);
    await bought;
    return reply;
  };
  /** What a draw may come with. */
  const out = new Map<string, Promise<unknown>>();
  /** Draws that are out by themselves. */
  const alone = new Set<string>();
  const buyAlone = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const key = keyOf(request);
    const found = await cameWith(key);
    if (found !== undefined) return found;
    alone.add(key);
    return model.complete(request, signal).finally(() => alone.delete(key));
  };
  /** The draw, where it came with one that was out. */
  const cameWith = async (key: string): Promise<ModelReply | undefined> => {
    const first = out.get(key);
    if (first === undefined) return undefined;
    await first.catch(() => undefined); // who sent it tells of its failure
    const reply = await store.get(key);
    return reply === undefined ? undefined : fromStore(reply);
  };
  return {
    ...model,
    async complete(request, signal) {
      const { samples = 1 } = request;
      if (samples === 1) return buyAlone(request, signal);
      const draws = Array.from({ length: samples - 1 }, (_, index) => at(request, index + 1));
      const sent = buy(request, draws, signal);
      const isTogether = model.capabilities.samples === true && request.temperature !== 0;
      const isWritten = !inBatches && cacheMarks(request, model.capabilities, "auto").last;
      for (const one of isTogether || isWritten ? draws : []) out.set(keyOf(one), sent);
      try {
        return await sent;
      } finally {
        for (const one of draws) out.delete(keyOf(one));
      }
    },
  };
}

import type { Model } from "../../types.js";
import { isFromStore } from "./cached.js";

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

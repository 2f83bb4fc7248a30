import { anthropic } from "../../../src/models/providers/anthropic/index.js";
import { openai } from "../../../src/models/providers/openai/index.js";
import { failure, type ModelAccess } from "../../../src/models/wire/failure.js";
import { readLimits } from "../../../src/models/wire/limits.js";
import type { HeaderBag } from "../../../src/net/retry.js";
import { layered } from "../../../src/outside/layers.js";
import { Once } from "../../../src/outside/once.js";
import { Servers } from "../../../src/outside/servers.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Clock, Model } from "../../../src/types/index.js";

/** A code's way from a bare model to one that waits, is limited and tried again. */
export interface LimitCode {
  /** A model around `bare` that calls are made to all at once. */
  wrap(bare: Model, clock: Clock, seed: string): Model;
  /** The bare model of an OpenAI-compatible server. */
  open(url: string): Promise<Model>;
  failure: typeof failure;
}

/** The code at hand. */
export function learning(concurrency?: number): LimitCode {
  return {
    failure,
    open: (baseUrl) => openai.open("bench", { env: {}, baseUrl, concurrency: MOST_SOCKETS }),
    wrap(bare, clock, seed) {
      const random = seeded(seed);
      const servers = new Servers({ endpoints: {}, concurrency, clock, random });
      return layered(bare, {
        servers,
        replies: forgetting(),
        clock,
        random,
        startTimer: never,
      });
    },
  };
}

const MOST_SOCKETS = 64;
const forgetting = () => ({ once: new Once({ find: () => undefined, end: (entry) => entry }) });
/** Deadlines are real time, which does not pass here. */
const never = () => (): void => undefined;

const limitHeaders = [openai, anthropic].flatMap(({ limits }) => limits?.headers ?? []);
export const access: ModelAccess = {
  ...{ model: "openai/bench", keyName: "OPENAI_API_KEY", secrets: [] },
  ...{ billsRepliesOnly: true, limitHeaders },
};
export const limitsIn = (headers: HeaderBag) => readLimits(headers, limitHeaders);

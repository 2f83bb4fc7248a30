import { type TokenFacts, TokenGauge } from "../../../models/tokens.js";
import { isFromStore } from "../../../models/wrap/cached.js";
import type { Model } from "../../../types/index.js";

/** What replies showed of tokens, by model and method. */
export type KnownTokens = Readonly<Record<string, Readonly<Record<string, TokenFacts>>>>;

/** Learns from the replies of a run how many bytes a token has, for each model and method; goes on from what was known before. */
export class TokenGauges {
  readonly #before: KnownTokens;
  readonly #gauges = new Map<string, Map<string, TokenGauge>>();

  constructor(before: KnownTokens = {}) {
    this.#before = before;
  }

  /** A model whose replies are learned from; those out of a store were learned from before. */
  watched(model: Model, method: string): Model {
    if (model.simulated) return model;
    const gauge = this.#of(model.id, method);
    return {
      ...model,
      async complete(request, signal) {
        const reply = await model.complete(request, signal);
        if (!isFromStore(reply)) gauge.add(request, reply.usage);
        return reply;
      },
    };
  }

  /** For the manifest; nothing where no reply has come. */
  facts(): { bytesPerToken?: Record<string, Record<string, TokenFacts>> } {
    const byModel = [...this.#gauges].map(([model, gauges]) => {
      const known = [...gauges].flatMap(([method, { facts }]) =>
        facts === undefined ? [] : [[method, facts] as const],
      );
      return [model, { ...this.#before[model], ...Object.fromEntries(known) }] as const;
    });
    const some = byModel.filter(([, methods]) => Object.keys(methods).length > 0);
    return some.length === 0 ? {} : { bytesPerToken: Object.fromEntries(some) };
  }

  #of(model: string, method: string): TokenGauge {
    const ofModel = this.#gauges.get(model) ?? new Map<string, TokenGauge>();
    const gauge = ofModel.get(method) ?? new TokenGauge(model, this.#before[model]?.[method]);
    this.#gauges.set(model, ofModel.set(method, gauge));
    return gauge;
  }
}

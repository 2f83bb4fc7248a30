import { requestKey } from "../models/wrap/cached.js";
import { modelOf } from "../registry/further-models.js";
import { sha256 } from "../text/content-id.js";
import type { ModelReply, ModelRequest, PhaseTotals } from "../types/index.js";
import type { CallOrigin } from "./kit.js";
import type { Arm } from "./plan/plan.js";
import { CallMeter } from "./spend.js";

/**
 * The requests that the arms of a dry run walk through. Equal requests of a run are sent once. Surely equal, whatever the model
 * replies, are requests of equal text and history: the replies that their user, their question and the shared values had got before.
 */
export class EqualRequests {
  readonly #seen = new Set<string>();

  /**
   * Follows one arm. `standsFor`: the embedder that another one stands in for, which would retrieve other things; empty where
   * none does. `repeated`: what the arm asks for that was surely asked for before, by model: the store answers.
   */
  of(
    { cell }: Arm,
    standsFor: string,
  ): {
    onAsk(request: ModelRequest, asked: CallOrigin): (reply: ModelReply) => void;
    repeated(): ReadonlyMap<string, PhaseTotals>;
  } {
    const got = new Map<string, string[]>();
    const repeated = new Map<string, CallMeter>();
    return {
      onAsk: (request, { unit, question, phase }) => {
        const model = modelOf(phase, cell);
        const origin = question === undefined ? unit : `${unit}\t${question}`;
        const history = [...new Set(["", unit, origin])].flatMap((earlier) => got.get(earlier) ?? []);
        const id = sha256([requestKey(model, request), ...history.sort(), standsFor].join());
        const known = this.#seen.has(id);
        this.#seen.add(id);
        return ({ usage }) => {
          got.set(origin, [...(got.get(origin) ?? []), id]);
          if (!known) return;
          const meter = repeated.get(model) ?? new CallMeter();
          repeated.set(model, meter);
          meter.add(usage);
        };
      },
      repeated: () => new Map([...repeated].map(([model, meter]) => [model, meter.total()])),
    };
  }
}

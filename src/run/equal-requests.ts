import { modelOf, plannedIn } from "../further-models.js";
import { requestKey } from "../models/wrap/cached.js";
import { sha256 } from "../text/content-id.js";
import type { ModelReply, ModelRequest, PhaseAt, PhaseTotals } from "../types.js";
import type { CallOrigin } from "./kit.js";
import type { Arm } from "./plan/plan.js";
import { CallMeter } from "./spend.js";

/**
 * The requests that the arms of a dry run walk through. Equal requests of a run are sent once: these are the bounds of that.
 *
 * A request's history are the replies that its user, its question and the shared values had got before it. Surely equal are
 * requests of equal text and history, whatever the model replies: they bound a total from above. Surely distinct are requests
 * of different text and equal history. Those of one phase of a user or question with different histories may come
 * to the same words when a model repeats itself, e.g. leaves a persona as it was, also in an ablation of the method: of these
 * the largest group counts, less the calls that the plan may do without, which bounds a total from below.
 */
export class EqualRequests {
  readonly #seen = new Set<string>();
  readonly #phases = new Map<string, PhaseRequests>();

  /**
   * Follows one arm. `standsFor`: the embedder that another one stands in for, which would retrieve other things; empty where
   * none does. `repeated`: what the arm surely asks for that was asked for before, by model: the store answers.
   */
  of(
    arm: Arm,
    standsFor: string,
  ): {
    onAsk(request: ModelRequest, asked: CallOrigin): (reply: ModelReply) => void;
    repeated(): ReadonlyMap<string, PhaseTotals>;
  } {
    const { cell, method } = arm;
    const got = new Map<string, string[]>();
    const repeated = new Map<string, CallMeter>();
    const family = [cell.task, method.ablates ?? method.name, cell.model, cell.repeat].join("\t");
    const sure = sureCalls(arm);
    return {
      onAsk: (request, { unit, question, phase }) => {
        const model = modelOf(phase, cell);
        const key = requestKey(model, request);
        const origin = question === undefined ? unit : `${unit}\t${question}`;
        const history = idOf([...new Set(["", unit, origin])].flatMap((earlier) => got.get(earlier) ?? []));
        this.#keep(`${family}\t${origin}\t${phase}`, {
          arm: cell.id,
          history,
          key,
          sure: () => sure(unit, question, phase),
        });
        const id = idOf([key, history, standsFor]);
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

  /** Requests of all arms that are surely made and that no model's replies can make equal. */
  distinct(): number {
    const keys = new Set<string>();
    for (const { byHistory, arms } of this.#phases.values()) {
      const [largest = new Set()] = [...byHistory.values()].sort((a, b) => b.size - a.size);
      const walked = [...arms.values()];
      const avoidable = walked.reduce((sum, { calls, sure }) => sum + Math.max(0, calls - sure), 0);
      const least = walked.some(({ sure }) => sure > 0) ? 1 : 0;
      for (const key of [...largest].slice(0, Math.max(least, largest.size - avoidable))) keys.add(key);
    }
    return keys.size;
  }

  #keep(name: string, { arm, history, key, sure }: Kept): void {
    const ofPhase = this.#phases.get(name) ?? { byHistory: new Map(), arms: new Map() };
    this.#phases.set(name, ofPhase);
    ofPhase.byHistory.set(history, (ofPhase.byHistory.get(history) ?? new Set()).add(key));
    const ofArm = ofPhase.arms.get(arm) ?? { calls: 0, sure: sure() };
    ofPhase.arms.set(arm, { ...ofArm, calls: ofArm.calls + 1 });
  }
}

/** A phase of one user or question of a method, its ablations among it. */
interface PhaseRequests {
  /** Keys of requests. */
  readonly byHistory: Map<string, Set<string>>;
  /** Calls walked through, and those that the plan is sure of, by cell. */
  readonly arms: Map<string, { readonly calls: number; readonly sure: number }>;
}

interface Kept {
  readonly arm: string;
  readonly history: string;
  readonly key: string;
  readonly sure: () => number;
}

/** The fewest calls that the arm's plan promises. */
function sureCalls({ cell, method, options, loaded }: Arm) {
  const plan = method.plan(options);
  const histories = new Map(Array.from(loaded.units, ({ id, user }) => [id, user.history] as const));
  return (unit: string, question: string | undefined, phase: PhaseAt): number => {
    const history = histories.get(unit);
    const planned =
      question !== undefined ? plan.perQuestion() : history === undefined ? plan.perCell?.() : plan.perUnit(history);
    return plannedIn(planned ?? {}, cell)[phase]?.low ?? 0;
  };
}

const idOf = (parts: readonly string[]): string => (parts.length === 0 ? "" : sha256([...parts].sort().join()));

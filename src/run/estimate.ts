import { requestKey } from "../log/entry.js";
import { answeredBy, type FindReply, filling, withReplies } from "../outside/pretended.js";
import { isFromStore } from "../outside/store.js";
import { runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import { both, callsPerQuestion, furtherModels, modelOf, plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { sha256 } from "../text/content-id.js";
import type { CallRange, Embedder, Model, PhaseAt, Usage } from "../types/index.js";
import { type EngineSettings, runArms } from "./engine.js";
import type { ToolOf } from "./kit.js";

/** Calls with their tokens and US dollars. */
interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
}

/** What stands in the place of everything outside. */
export interface EstimateInputs {
  /** Returns the model of an id, for its abilities: it is never called. */
  readonly model: (id: string) => Model;
  /** The model whose replies stand in the models' place. */
  readonly replyModel: Model;
  readonly bytesPerToken: (model: string) => number;
  /** Returns replies at hand. */
  readonly find: FindReply;
  /** `standsFor`: the embedder in whose place this one is taken; it would retrieve other things, so its requests equal no others. */
  readonly embedder: (arm: Arm) => { readonly embedder: Embedder; readonly standsFor?: string };
  readonly tool: ToolOf;
  /** Texts of the files that options name. */
  readonly files?: ReadonlyMap<string, string>;
  readonly online?: boolean;
  /** Returns the US dollars of a usage; undefined where no price is known. */
  readonly price: (model: string, usage: Usage) => number | undefined;
}

/** The calls of a phase. Tokens and US dollars are upper bounds: every reply, and every loop, as long as allowed. */
export interface PhaseEstimate {
  /** `answer`, or `summary (shared)` where it prepares what all users share. */
  readonly phase: string;
  /** The fewest and the most calls by the method's plan. */
  readonly callsLow: number;
  readonly callsHigh: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
  readonly expected: Load;
}

interface Estimate {
  /** The phases of each arm, in the order of the arms. Equal requests are counted each time, calls that are answered never. */
  readonly arms: readonly (readonly PhaseEstimate[])[];
  /** Of all arms; equal requests are counted once. */
  readonly total: Omit<PhaseEstimate, "phase">;
  /** Calls whose replies are at hand. */
  readonly atHand: number;
}

/**
 * Executes arms with models that send nothing: with replies that are filled to their limit, for the bounds, then with replies of usual
 * length. Throws what would end the run, such as a request that a model cannot take.
 */
export async function estimateArms(arms: readonly Arm[], inputs: EstimateInputs): Promise<Estimate> {
  const filled = await executed(arms, inputs, {
    model: (id, { loaded }) => filling({ ...inputs.model(id), id }, loaded.task.labels),
    withEarlier: true,
  });
  const usual = await executed(arms, inputs, {
    model: (id) => answeredBy(inputs.replyModel, { ...inputs.model(id), id }, inputs.bytesPerToken(id)),
    tokensOut: ({ spec }, phase) => filled.get(spec.id)!.replyTokens(phase),
    withEarlier: false,
  });
  let [repeated, expected, most] = [NOTHING, NOTHING, NOTHING];
  let [lowest, atHand] = [0, 0];
  const phases = arms.map((arm) => {
    const counts = { filled: filled.get(arm.spec.id)!, usual: usual.get(arm.spec.id)! };
    const ofArm = phasesOf(arm, counts, inputs.price);
    repeated = plus(repeated, counts.filled.repeated);
    expected = plus(expected, plus(counts.usual.all, times(counts.usual.repeated, -1)));
    most = ofArm.reduce((sum, { callsHigh: calls, ...phase }) => plus(sum, { ...phase, calls }), most);
    lowest += Math.max(0, ofArm.reduce((sum, { callsLow }) => sum + callsLow, 0) - counts.filled.repeated.calls);
    atHand += counts.filled.atHand;
    return ofArm;
  });
  const { calls: callsHigh, ...high } = plus(most, times(repeated, -1));
  expected = times(expected, Math.min(1, callsHigh / (expected.calls || 1))); // plans may bound what was executed
  const callsLow = Math.min(lowest, Math.floor(expected.calls));
  return { arms: phases, total: { callsLow, callsHigh, ...high, expected }, atHand };
}

const NOTHING: Load = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** The dollars of a sum with a part of unknown price are unknown. */
const plus = (a: Load, b: Load): Load => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

const times = ({ calls, tokensIn, tokensOut, usd }: Load, factor: number): Load => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

/** What an arm asked. */
class Counts {
  /** Calls without a reply at hand, and those of them that were asked before. */
  all = NOTHING;
  repeated = NOTHING;
  /** The most tokens of one call. */
  longest = { in: 0, out: 0 };
  atHand = 0;
  readonly #phases = new Map<string, Load>();
  readonly #replies = new Map<PhaseAt, Load>();
  readonly #isAnswered = new Map<string, boolean>();

  add(place: string, phase: PhaseAt, load: Load, { isNew, isAtHand }: { isNew: boolean; isAtHand: boolean }): void {
    this.#isAnswered.set(place, isAtHand && this.#isAnswered.get(place) !== false);
    if (isAtHand) {
      this.#replies.set(phase, plus(this.#replies.get(phase) ?? NOTHING, load));
      this.atHand += 1;
      return;
    }
    const name = `${phase} ${place === ""}`;
    this.#phases.set(name, plus(this.#phases.get(name) ?? NOTHING, load));
    this.all = plus(this.all, load);
    if (!isNew) this.repeated = plus(this.repeated, load);
    this.longest = { in: Math.max(this.longest.in, load.tokensIn), out: Math.max(this.longest.out, load.tokensOut) };
  }

  /** Returns the phases that were asked, each with a range of 0 to 0 calls. */
  askedPhases(isShared: boolean): CallRange {
    const names = [...this.#phases.keys()].map((name) => name.split(" "));
    const asked = names.flatMap(([phase = "", of]) => (of === String(isShared) ? [phase] : []));
    return Object.fromEntries(asked.map((phase) => [phase, { low: 0, high: 0 }]));
  }

  of(phase: PhaseAt, isShared: boolean): Load {
    return this.#phases.get(`${phase} ${isShared}`) ?? NOTHING;
  }

  /** Returns true where all that a place asks is answered; undefined where it asks nothing. */
  isAnswered(unit: string, question?: string): boolean | undefined {
    return this.#isAnswered.get(placeOf(unit, question));
  }

  /** Mean tokens of the replies at hand; undefined where they are too few. */
  replyTokens(phase: PhaseAt): number | undefined {
    const { calls, tokensOut } = this.#replies.get(phase) ?? NOTHING;
    return calls < FEWEST_REPLIES ? undefined : tokensOut / calls;
  }
}

const FEWEST_REPLIES = 5;

/** A question, the preparation of a user, or, with an empty `unit`, what all users share. */
const placeOf = (unit: string, question: string | undefined): string =>
  question === undefined ? unit : `${unit}\t${question}`;

interface Execution {
  readonly model: (id: string, arm: Arm) => Model;
  /** Tokens of a reply; undefined: as the model says. */
  readonly tokensOut?: (arm: Arm, phase: PhaseAt) => number | undefined;
  /** True: earlier requests of the question count in the key, since real replies would make later prompts differ. */
  readonly withEarlier: boolean;
}

/** Returns what each arm asked, by arm. */
async function executed(
  arms: readonly Arm[],
  inputs: EstimateInputs,
  { model, tokensOut, withEarlier }: Execution,
): Promise<Map<string, Counts>> {
  const armOf = new Map(arms.map((arm) => [arm.spec.id, arm]));
  const counts = new Map(arms.map(({ spec }) => [spec.id, new Counts()]));
  const asked = new Set<string>();
  const before = new Map<string, string[]>();
  const onAsk: NonNullable<EngineSettings["onAsk"]> = (request, { arm: armId, unit, question, phase }) => {
    const arm = armOf.get(armId)!; // it asks
    const place = placeOf(unit, question);
    const history = withEarlier
      ? [...new Set(["", unit, place])].flatMap((at) => before.get(`${armId} ${at}`) ?? [])
      : [];
    const id = modelOf(phase, arm.spec);
    const key = sha256([requestKey(id, request), ...history.sort(), inputs.embedder(arm).standsFor ?? ""].join());
    const isNew = !asked.has(key);
    asked.add(key);
    return (reply) => {
      if (withEarlier) before.set(`${armId} ${place}`, [...(before.get(`${armId} ${place}`) ?? []), key]);
      const out = tokensOut?.(arm, phase) ?? reply.usage.out;
      const load = {
        calls: 1,
        tokensIn: reply.usage.in,
        tokensOut: out,
        usd: inputs.price(id, { ...reply.usage, out }),
      };
      counts.get(armId)!.add(place, phase, load, { isNew, isAtHand: isFromStore(reply) });
    };
  };
  const stop = new AbortController();
  const reason = await runArms({
    arms,
    modelsOf(arm) {
      const own = (id: string): Model => withReplies(model(id, arm), inputs.find);
      const further = Object.entries(furtherModels(arm.spec)).map(([role, id]) => [role, own(id)] as const);
      const { temperature } = readOptions(runOptions, arm.spec.options);
      const { embedder } = inputs.embedder(arm);
      return { model: own(arm.spec.model), further: Object.fromEntries(further), embedder, temperature };
    },
    concurrency: 1,
    tool: inputs.tool,
    online: inputs.online === true,
    rows: {
      row: (row) => void before.delete(`${row.arm} ${placeOf(row.unit, row.question)}`),
      unit: () => undefined,
      trace: () => undefined,
    },
    ...{ files: inputs.files, stop, kill: stop.signal, onAsk },
  });
  if (reason !== undefined) throw reason;
  return counts;
}

function phasesOf(
  arm: Arm,
  { filled, usual }: { filled: Counts; usual: Counts },
  price: EstimateInputs["price"],
): PhaseEstimate[] {
  const { method, options, spec } = arm;
  const shared = filled.isAnswered("") === true ? {} : (method.plan(options).perArm?.() ?? {});
  return [false, true].flatMap((isShared) => {
    const range = isShared ? shared : leftOf(arm, filled);
    const planned = { ...filled.askedPhases(isShared), ...plannedIn(range, spec) };
    const ranges = Object.entries(planned) as [PhaseAt, { low: number; high: number }][];
    return ranges.map(([phase, { low, high: promised }]): PhaseEstimate => {
      const simulated = filled.of(phase, isShared);
      const high = Math.max(promised, simulated.calls); // a plug-in's plan may be wrong
      const expected = usual.of(phase, isShared);
      const priced = (usage: Usage) => price(modelOf(phase, spec), usage);
      const most = isShared ? simulated : mostOf(high, simulated, filled.longest, priced); // shared values hold no loops
      return {
        ...{ phase: isShared ? `${phase} (shared)` : phase, callsLow: low, callsHigh: high },
        ...{ tokensIn: most.tokensIn, tokensOut: most.tokensOut, usd: most.usd },
        expected: { ...expected, calls: Math.min(Math.max(expected.calls, low), high) },
      };
    });
  });
}

/** Returns all calls of an arm by its method's plan, by phase. */
export const plannedCalls = (arm: Arm): CallRange =>
  plannedIn(both(leftOf(arm, new Counts()), arm.method.plan(arm.options).perArm?.() ?? {}), arm.spec);

/** The calls by the method's plan of the users and questions whose replies are not all at hand. */
function leftOf({ loaded, method, options, spec }: Arm, counts: Counts): CallRange {
  const plan = method.plan(options);
  let planned: CallRange = {};
  for (const { id, user, examples } of loaded.units) {
    const open = examples.filter(({ question }) => counts.isAnswered(id, question.id) !== true);
    const isPrepared = counts.isAnswered(id) ?? open.length < examples.length; // without calls: once a question is answered
    if (!isPrepared) planned = both(planned, plan.perUnit(user.history));
    for (const { before = [] } of open)
      planned = both(planned, callsPerQuestion(plan, loaded.task, spec.options.online === true, before.length));
  }
  return planned;
}

/** What a tool may add to the prompt of the next turn (4000 characters). */
const OBSERVATION_TOKENS = 1000;

/**
 * Returns the most that so many calls of a phase come to, where `simulated` were made. Calls beyond those are later turns of a loop:
 * each carries the earlier turns' replies and observations. A phase without simulated calls is asked by tools: each call is as long
 * as the longest, with what was written before and what was found.
 */
function mostOf(
  high: number,
  simulated: Load,
  longest: Counts["longest"],
  price: (usage: Usage) => number | undefined,
): Load {
  const { calls } = simulated;
  if (high <= calls || longest.in === 0) return simulated;
  let [tokensIn, tokensOut] = [high * (longest.in + 2 * longest.out + OBSERVATION_TOKENS), high * longest.out];
  if (calls > 0) {
    const turns = high / calls;
    const growth = calls * (simulated.tokensOut / calls + OBSERVATION_TOKENS) * ((turns * (turns - 1)) / 2);
    [tokensIn, tokensOut] = [Math.ceil(simulated.tokensIn * turns + growth), Math.ceil(simulated.tokensOut * turns)];
  }
  const usd = price({ in: tokensIn / high, out: tokensOut / high });
  return { calls: high, tokensIn, tokensOut, usd: usd === undefined ? undefined : usd * high };
}

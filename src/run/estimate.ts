import { requestKey } from "../log/entry.js";
import {
  answeredBy,
  type EarlierCall,
  type FindReply,
  isTurnAfter,
  mostOfCall,
  withReplies,
} from "../outside/stand-ins.js";
import { isFromStore } from "../outside/store.js";
import { runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import { both, callsPerQuestion, furtherModels, modelOf, plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import type { CallRange, Embedder, Model, PhaseAt, Usage } from "../types/index.js";
import { type EngineSettings, runArms } from "./engine.js";
import type { ToolOf } from "./kit.js";
import { addLoads, type Load, type Longest, NO_CALLS, scaleLoad, upperBound, withReplyLength } from "./load.js";
import { type EarlierRun, phasesOfProgram } from "./program-estimate.js";

/** Replacements of all that a run calls. */
export interface EstimateInputs {
  /** Returns the model of an id. Only its capabilities are used. */
  readonly model: (id: string) => Model;
  /** Makes the replies in place of all models. */
  readonly replyModel: Model;
  readonly bytesPerToken: (model: string) => number;
  /** Finds stored replies. */
  readonly find: FindReply;
  /** Earlier runs, whose programs show what these programs call. Absent: none. */
  readonly runs?: readonly EarlierRun[];
  /** `standsFor`: id of the embedder that it replaces. The two retrieve other items, so requests of arms with other ids are not equal. */
  readonly embedder: (arm: Arm) => { readonly embedder: Embedder; readonly standsFor?: string };
  readonly tool: ToolOf;
  /** Texts of the files that options name. */
  readonly files?: ReadonlyMap<string, string>;
  readonly online?: boolean;
  /** Returns the US dollars of a usage; undefined if no price is known. */
  readonly price: (model: string, usage: Usage) => number | undefined;
}

/**
 * The unanswered calls of a phase; NaN if they are not known. Tokens and US dollars are upper bounds: every reply and every loop is as long
 * as allowed.
 */
export interface PhaseEstimate {
  /** `answer`, or `summary (shared)` for a value that all users share. */
  readonly phase: string;
  /** Fewest and most calls of the method's plan. */
  readonly callsLow: number;
  readonly callsHigh: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined if no price is known. */
  readonly usd: number | undefined;
  /** The calls that a simulation made. */
  readonly expected: Load;
}

interface Estimate {
  /** The phases of each arm, in the order of the arms. Equal requests are counted each time. */
  readonly arms: readonly (readonly PhaseEstimate[])[];
  /** The sum of all arms. `expected` counts equal requests once, as they are sent; the bounds count them each time. */
  readonly total: Omit<PhaseEstimate, "phase">;
  /** Number of calls with a stored reply. */
  readonly atHand: number;
}

/**
 * Simulates arms with a model that sends nothing and whose replies are of usual length. Calls are bounded by the methods' plans; tokens by
 * the simulated prompts, in which each earlier reply is as long as allowed. Throws any error that would end the run, such as a request that
 * a model refuses.
 */
export async function estimateArms(arms: readonly Arm[], inputs: EstimateInputs): Promise<Estimate> {
  const counts = await simulate(arms, inputs);
  const phases = arms.map((arm) =>
    arm.method.callsElsewhere === true
      ? phasesOfProgram(arm, inputs)
      : phasesOf(arm, counts.get(arm.spec.id)!, inputs.price),
  );
  const all = phases.flat();
  const sent = all.reduce(
    (sum, { expected, repeated }) => addLoads(sum, addLoads(expected, scaleLoad(repeated, -1))),
    NO_CALLS,
  );
  const { calls: callsHigh, ...most } = all.reduce(
    (sum, { callsHigh: calls, ...phase }) => addLoads(sum, { ...phase, calls }),
    NO_CALLS,
  );
  const callsLow = all.reduce((sum, { callsLow: low }) => sum + low, 0);
  return {
    arms: phases.map((ofArm) => ofArm.map(({ repeated: _, ...phase }) => phase)),
    total: { callsLow: Math.min(callsLow, Math.floor(sent.calls)), callsHigh, ...most, expected: sent },
    atHand: [...counts.values()].reduce((sum, { atHand }) => sum + atHand, 0),
  };
}

/** The simulated calls of a phase that have no stored reply. */
class PhaseCounts {
  expected = NO_CALLS;
  /** The calls among them whose request was sent before. */
  repeated = NO_CALLS;
  /** Upper bound of the first turns of loops. A call outside of a loop is a first turn. */
  firstTurns = NO_CALLS;
}

/** End of the name of a phase that builds a shared value. */
const SHARED = " (shared)";

/** The simulated calls of an arm. */
class Counts {
  readonly phases = new Map<string, PhaseCounts>();
  /** Calls with a stored reply, by phase. */
  readonly replies = new Map<string, Load>();
  /** The most tokens of one call. */
  longest: Longest = { in: 0, out: 0 };
  /** Whether all calls of a place have stored replies. */
  readonly #isAnswered = new Map<string, boolean>();

  get atHand(): number {
    return [...this.replies.values()].reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Returns true if all calls of a place have stored replies; undefined if it makes none. */
  isAnswered(unit: string, question?: string): boolean | undefined {
    return this.#isAnswered.get(placeOf(unit, question));
  }

  add(place: string, phase: string, call: SimulatedCall): void {
    const { expected, most, isAtHand } = call;
    this.#isAnswered.set(place, isAtHand && this.#isAnswered.get(place) !== false);
    if (isAtHand) {
      this.replies.set(phase, addLoads(this.replies.get(phase) ?? NO_CALLS, expected));
      return;
    }
    const name = place === "" ? `${phase}${SHARED}` : phase;
    const counts = this.phases.get(name) ?? new PhaseCounts();
    this.phases.set(name, counts);
    counts.expected = addLoads(counts.expected, expected);
    if (call.isRepeated) counts.repeated = addLoads(counts.repeated, expected);
    if (call.isFirstTurn) counts.firstTurns = addLoads(counts.firstTurns, most);
    this.longest = { in: Math.max(this.longest.in, most.tokensIn), out: Math.max(this.longest.out, most.tokensOut) };
  }
}

interface SimulatedCall {
  readonly expected: Load;
  /** Upper bound. */
  readonly most: Load;
  readonly isAtHand: boolean;
  readonly isRepeated: boolean;
  readonly isFirstTurn: boolean;
}

/** Returns the name of a question, of the preparation of a unit, or (`unit` empty) of all shared values. */
const placeOf = (unit: string, question: string | undefined): string =>
  question === undefined ? unit : `${unit}\t${question}`;

/** Runs arms with the replacements of all calls. Returns the calls of each arm, by its id. */
async function simulate(arms: readonly Arm[], inputs: EstimateInputs): Promise<Map<string, Counts>> {
  const armOf = new Map(arms.map((arm) => [arm.spec.id, arm]));
  const counts = new Map(arms.map(({ spec }) => [spec.id, new Counts()]));
  const sentKeys = new Set<string>();
  /** The calls of a place so far: their replies may stand in its later prompts. */
  const earlier = new Map<string, EarlierCall[]>();
  const onAsk: NonNullable<EngineSettings["onAsk"]> = (request, { arm: armId, unit, question, phase }) => {
    const arm = armOf.get(armId)!;
    const place = placeOf(unit, question);
    const before = [...new Set(["", unit, place])].flatMap((at) => earlier.get(`${armId} ${at}`) ?? []);
    const id = modelOf(phase, arm.spec);
    const key = `${requestKey(id, request)} ${inputs.embedder(arm).standsFor}`;
    const isRepeated = sentKeys.has(key);
    sentKeys.add(key);
    const prompt = JSON.stringify(request.messages);
    return (replied) => {
      const { text: reply, usage } = replied;
      const load = (of: Usage): Load => ({ calls: 1, tokensIn: of.in, tokensOut: of.out, usd: inputs.price(id, of) });
      const isAtHand = isFromStore(replied);
      const most = mostOfCall({ ...inputs.model(id), id }, request, before);
      const written = Math.floor(Buffer.byteLength(reply) / inputs.bytesPerToken(id)); // the usage may count more than the text has
      const growth = isAtHand ? 0 : most.out - Math.min(usage.out, written);
      const owner = `${armId} ${phase === "update" ? unit : place}`; // updates of a memory are in prompts of later questions, too
      earlier.set(owner, [...(earlier.get(owner) ?? []), { phase, prompt, reply, growth }]);
      const isFirstTurn = !before.some((one) => one.phase === phase && isTurnAfter(one.prompt, prompt));
      const call = { expected: load(usage), most: load(most), isAtHand, isRepeated, isFirstTurn };
      counts.get(armId)!.add(place, phase, call);
    };
  };
  const stop = new AbortController();
  const reason = await runArms({
    arms,
    modelsOf(arm) {
      const own = (id: string): Model => {
        const standIn = answeredBy(inputs.replyModel, { ...inputs.model(id), id }, inputs.bytesPerToken(id));
        return withReplies(standIn, inputs.find);
      };
      const further = Object.entries(furtherModels(arm.spec)).map(([role, id]) => [role, own(id)] as const);
      const { temperature } = readOptions(runOptions, arm.spec.options);
      const { embedder } = inputs.embedder(arm);
      return { model: own(arm.spec.model), further: Object.fromEntries(further), embedder, temperature };
    },
    concurrency: 1,
    tool: inputs.tool,
    online: inputs.online === true,
    rows: {
      row: (row) => void earlier.delete(`${row.arm} ${placeOf(row.unit, row.question)}`),
      unit: () => undefined,
      trace: () => undefined,
    },
    files: inputs.files,
    stop,
    kill: stop.signal,
    onAsk,
  });
  if (reason !== undefined) throw reason;
  return counts;
}

/** `repeated`: the expected calls that equal earlier requests. */
type OpenPhase = PhaseEstimate & { readonly repeated: Load };

/** Returns the estimate of each phase of an arm. */
function phasesOf(arm: Arm, counts: Counts, price: EstimateInputs["price"]): OpenPhase[] {
  const { method, options, spec } = arm;
  const perArm = counts.isAnswered("") === true ? {} : (method.plan(options).perArm?.() ?? {});
  const shared = Object.entries(plannedIn(perArm, spec)).map(([phase, range]) => [`${phase}${SHARED}`, range] as const);
  const ranges = new Map<string, CallRange[PhaseAt]>([
    ...Object.entries(plannedIn(unansweredCalls(arm, counts), spec)),
    ...shared,
  ]);
  const names = [...new Set([...counts.phases.keys(), ...ranges.keys()])];
  names.sort((a, b) => Number(a.endsWith(SHARED)) - Number(b.endsWith(SHARED)));
  return names.map((name) => {
    const [phase = ""] = name.split(" ");
    const priced = (usage: Usage) => price(modelOf(phase, spec), usage);
    const { expected: made, repeated, firstTurns } = counts.phases.get(name) ?? new PhaseCounts();
    const { low, high: planned } = ranges.get(name) ?? { low: 0, high: 0 };
    const high = Math.max(planned, made.calls); // a plug-in's plan may be wrong
    const { calls: _, ...most } = upperBound({ calls: high, firstTurns, longest: counts.longest }, priced);
    const adjusted = (load: Load): Load => withReplyLength(load, counts.replies.get(phase), priced);
    const calls = Math.min(Math.max(made.calls, low), high);
    return {
      phase: name,
      callsLow: low,
      callsHigh: high,
      ...most,
      expected: { ...adjusted(made), calls },
      repeated: adjusted(repeated),
    };
  });
}

/** Returns all calls of an arm by its method's plan, by phase. */
export const plannedCalls = (arm: Arm): CallRange =>
  plannedIn(both(unansweredCalls(arm, new Counts()), arm.method.plan(arm.options).perArm?.() ?? {}), arm.spec);

/** Returns the planned calls of units and questions without all stored replies. */
function unansweredCalls({ loaded, method, options, spec }: Arm, counts: Counts): CallRange {
  const plan = method.plan(options);
  let planned: CallRange = {};
  for (const { id, user, examples } of loaded.units) {
    const open = examples.filter(({ question }) => counts.isAnswered(id, question.id) !== true);
    const isPrepared = counts.isAnswered(id) ?? open.length < examples.length; // a preparation without calls: if a question is answered
    if (!isPrepared) planned = both(planned, plan.perUnit(user.history));
    for (const { before = [] } of open)
      planned = both(planned, callsPerQuestion(plan, loaded.task, spec.options.online === true, before.length));
  }
  return planned;
}

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
import { addLoads, type Load, NOTHING, timesLoad } from "./load.js";
import { type EarlierRun, phasesOfProgram } from "./program-estimate.js";

/** What stands in the place of everything outside. */
export interface EstimateInputs {
  /** Returns the model of an id, for its abilities: it is never called. */
  readonly model: (id: string) => Model;
  /** The model whose replies stand in the models' place. */
  readonly replyModel: Model;
  readonly bytesPerToken: (model: string) => number;
  /** Returns replies at hand. */
  readonly find: FindReply;
  /** Earlier runs, whose programs show what these programs call. Absent: none. */
  readonly runs?: readonly EarlierRun[];
  /** `standsFor`: the embedder in whose place this one is taken; it would retrieve other things, so its requests equal no others. */
  readonly embedder: (arm: Arm) => { readonly embedder: Embedder; readonly standsFor?: string };
  readonly tool: ToolOf;
  /** Texts of the files that options name. */
  readonly files?: ReadonlyMap<string, string>;
  readonly online?: boolean;
  /** Returns the US dollars of a usage; undefined where no price is known. */
  readonly price: (model: string, usage: Usage) => number | undefined;
}

/** The calls of a phase; NaN where they are not known. Tokens and US dollars are upper bounds: every reply, and every loop, as long as allowed. */
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
  /** Of all arms. What is expected counts equal requests once, as they are sent; the bounds count them each time. */
  readonly total: Omit<PhaseEstimate, "phase">;
  /** Calls whose replies are at hand. */
  readonly atHand: number;
}

/**
 * Executes arms with a model that sends nothing and replies as long as usual. The methods' plans bound the calls. Tokens are bounded by
 * the prompts, with each earlier reply in them as long as it may be. Throws what would end the run, such as a request that a model
 * cannot take.
 */
export async function estimateArms(arms: readonly Arm[], inputs: EstimateInputs): Promise<Estimate> {
  const counts = await executed(arms, inputs);
  const phases = arms.map((arm) =>
    arm.method.callsElsewhere === true
      ? phasesOfProgram(arm, inputs)
      : phasesOf(arm, counts.get(arm.spec.id)!, inputs.price),
  );
  const all = phases.flat();
  const sent = all.reduce(
    (sum, { expected, repeated }) => addLoads(sum, addLoads(expected, timesLoad(repeated, -1))),
    NOTHING,
  );
  const { calls: callsHigh, ...most } = all.reduce(
    (sum, { callsHigh: calls, ...phase }) => addLoads(sum, { ...phase, calls }),
    NOTHING,
  );
  const callsLow = all.reduce((sum, { callsLow: low }) => sum + low, 0);
  return {
    arms: phases.map((ofArm) => ofArm.map(({ repeated: _, ...phase }) => phase)),
    total: { callsLow: Math.min(callsLow, Math.floor(sent.calls)), callsHigh, ...most, expected: sent },
    atHand: [...counts.values()].reduce((sum, { atHand }) => sum + atHand, 0),
  };
}

/** The calls of a phase without a reply at hand. */
class PhaseCounts {
  expected = NOTHING;
  /** Those of them whose request was sent before. */
  repeated = NOTHING;
  /** The most that first turns of loops come to; a call outside of a loop is a first turn. */
  firstTurns = NOTHING;
}

/** Ends the name of a phase that prepares what all users share. */
const SHARED = " (shared)";

/** What an arm asked. */
class Counts {
  readonly phases = new Map<string, PhaseCounts>();
  /** Replies at hand, by phase. */
  readonly replies = new Map<string, Load>();
  /** The most tokens of one call. */
  longest = { in: 0, out: 0 };
  readonly #isAnswered = new Map<string, boolean>();

  get atHand(): number {
    return [...this.replies.values()].reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Returns true where all that a place asks is answered; undefined where it asks nothing. */
  isAnswered(unit: string, question?: string): boolean | undefined {
    return this.#isAnswered.get(placeOf(unit, question));
  }

  add(place: string, phase: string, asked: AskedCall): void {
    const { expected, most, isAtHand } = asked;
    this.#isAnswered.set(place, isAtHand && this.#isAnswered.get(place) !== false);
    if (isAtHand) {
      this.replies.set(phase, addLoads(this.replies.get(phase) ?? NOTHING, expected));
      return;
    }
    const name = place === "" ? `${phase}${SHARED}` : phase;
    const counts = this.phases.get(name) ?? new PhaseCounts();
    this.phases.set(name, counts);
    counts.expected = addLoads(counts.expected, expected);
    if (asked.isRepeated) counts.repeated = addLoads(counts.repeated, expected);
    if (asked.isFirstTurn) counts.firstTurns = addLoads(counts.firstTurns, most);
    this.longest = { in: Math.max(this.longest.in, most.tokensIn), out: Math.max(this.longest.out, most.tokensOut) };
  }
}

interface AskedCall {
  readonly expected: Load;
  readonly most: Load;
  readonly isAtHand: boolean;
  readonly isRepeated: boolean;
  readonly isFirstTurn: boolean;
}

/** A question, the preparation of a user, or, with an empty `unit`, what all users share. */
const placeOf = (unit: string, question: string | undefined): string =>
  question === undefined ? unit : `${unit}\t${question}`;

/** Returns what each arm asked, by arm. */
async function executed(arms: readonly Arm[], inputs: EstimateInputs): Promise<Map<string, Counts>> {
  const armOf = new Map(arms.map((arm) => [arm.spec.id, arm]));
  const counts = new Map(arms.map(({ spec }) => [spec.id, new Counts()]));
  const asked = new Set<string>();
  const earlier = new Map<string, EarlierCall[]>();
  const onAsk: NonNullable<EngineSettings["onAsk"]> = (request, { arm: armId, unit, question, phase }) => {
    const arm = armOf.get(armId)!; // it asks
    const place = placeOf(unit, question);
    const before = [...new Set(["", unit, place])].flatMap((at) => earlier.get(`${armId} ${at}`) ?? []);
    const id = modelOf(phase, arm.spec);
    const sent = `${requestKey(id, request)} ${inputs.embedder(arm).standsFor}`;
    const isRepeated = asked.has(sent);
    asked.add(sent);
    const prompt = JSON.stringify(request.messages);
    return (replied) => {
      const { text: reply, usage } = replied;
      const load = (of: Usage): Load => ({ calls: 1, tokensIn: of.in, tokensOut: of.out, usd: inputs.price(id, of) });
      const isAtHand = isFromStore(replied);
      const most = mostOfCall({ ...inputs.model(id), id }, request, before);
      const growth = isAtHand ? 0 : most.out - usage.out;
      const key = `${armId} ${phase === "update" ? unit : place}`; // a memory keeps updates for later questions
      earlier.set(key, [...(earlier.get(key) ?? []), { phase, prompt, reply, growth }]);
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
    ...{ files: inputs.files, stop, kill: stop.signal, onAsk },
  });
  if (reason !== undefined) throw reason;
  return counts;
}

/** `repeated`: those of its expected calls that equal earlier requests. */
type OpenPhase = PhaseEstimate & { readonly repeated: Load };

/** Returns the calls of each phase, with those of its expected calls that equal earlier requests. */
function phasesOf(arm: Arm, counts: Counts, price: EstimateInputs["price"]): OpenPhase[] {
  const { method, options, spec } = arm;
  const shared = counts.isAnswered("") === true ? {} : (method.plan(options).perArm?.() ?? {});
  const ofAll = Object.entries(plannedIn(shared, spec)).map(([phase, range]) => [`${phase}${SHARED}`, range] as const);
  const ranges = new Map<string, CallRange[PhaseAt]>([
    ...Object.entries(plannedIn(leftOf(arm, counts), spec)),
    ...ofAll,
  ]);
  const names = [...new Set([...counts.phases.keys(), ...ranges.keys()])];
  names.sort((a, b) => Number(a.endsWith(SHARED)) - Number(b.endsWith(SHARED)));
  return names.map((name) => {
    const [phase = ""] = name.split(" ");
    const priced = (usage: Usage) => price(modelOf(phase, spec), usage);
    const { expected: made, repeated, firstTurns } = counts.phases.get(name) ?? new PhaseCounts();
    const { low, high: promised } = ranges.get(name) ?? { low: 0, high: 0 };
    const high = Math.max(promised, made.calls); // a plug-in's plan may be wrong
    const { calls: _, ...most } = mostOf(high, firstTurns, counts.longest, priced);
    const asLong = (load: Load): Load => asLongAs(counts.replies.get(phase), load, priced);
    const calls = Math.min(Math.max(made.calls, low), high);
    return {
      ...{ phase: name, callsLow: low, callsHigh: high, ...most },
      expected: { ...asLong(made), calls },
      repeated: asLong(repeated),
    };
  });
}

/** Fewest replies at hand that say how long the others will be. */
const FEWEST_REPLIES = 5;

/** Returns calls whose replies are as long as those at hand are on average, where these are enough. */
function asLongAs(replies: Load | undefined, load: Load, price: (usage: Usage) => number | undefined): Load {
  if (replies === undefined || replies.calls < FEWEST_REPLIES || load.calls === 0) return load;
  const out = replies.tokensOut / replies.calls;
  const usd = price({ in: load.tokensIn / load.calls, out });
  return { ...load, tokensOut: out * load.calls, usd: usd === undefined ? undefined : usd * load.calls };
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

import { furtherModels, plannedIn } from "../further-models.js";
import { familyBytesPerToken, promptBytes } from "../models/bytes-per-token.js";
import { CallSums } from "../models/call-sums.js";
import { outputLimit } from "../models/capabilities.js";
import { readOptions } from "../options.js";
import type {
  Artifacts,
  CallRange,
  Embedder,
  Model,
  ModelRequest,
  PhaseAt,
  PhaseTotals,
  Spend,
  TokenLogprob,
} from "../types.js";
import { callsPerQuestion } from "./estimate/calls-per-question.js";
import { EqualRequests } from "./estimate/equal-requests.js";
import { type CallOrigin, type Ledger, openKit, type ToolOf } from "./kit.js";
import { askedRoles } from "./plan/asked-roles.js";
import { runOptions } from "./plan/options.js";
import type { Arm } from "./plan/plan.js";

/** What a cell will ask, told before anything is sent. */
export interface Estimate {
  readonly arm: Arm;
  readonly phases: Readonly<Partial<Record<PhaseAt, PhaseEstimate>>>;
  /** What all users of the cell share. */
  readonly shared: Readonly<Partial<Record<PhaseAt, PhaseEstimate>>>;
  /** The part of it that this arm or an earlier one has asked before, by model: the store will answer. */
  readonly repeated: ReadonlyMap<string, PhaseTotals>;
}

interface PhaseEstimate {
  /** Calls by the formulas of METHODS 0.4; they differ where a loop has no fixed length. */
  readonly low: number;
  readonly high: number;
  /** Upper bounds: every reply as long as allowed, every loop as long as allowed. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** The same as far as single calls are told apart. */
  readonly sums: CallSums;
}

export interface EstimateSettings {
  readonly capabilities: Model["capabilities"];
  /** Those of further models, by id. Absent: there are none. */
  readonly further?: ReadonlyMap<string, Model["capabilities"]>;
  readonly embedder: Embedder;
  readonly tool: ToolOf;
  /** Id of the embedder that `embedder` stands in for. Absent: it is the arm's own. */
  readonly standsFor?: string;
  /** Texts of the files that options name. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string>;
  /** The requests of all arms of the run. Absent: the arm is estimated by itself. */
  readonly requests?: EqualRequests;
  /** Hears of every request that is walked through, and of its bytes. */
  readonly heard?: (bytes: number, asked: CallOrigin, request: ModelRequest) => void;
  /** Where shared values are kept between runs. Absent: nowhere. */
  readonly artifacts?: Artifacts;
  /** What the replies of the walk begin with. Absent: nothing that tells them apart. */
  readonly replies?: (request: ModelRequest) => string;
}

/** English prose is about four characters a token; the bound is for planning, the bill is the provider's. */
const CHARACTERS_PER_TOKEN = 4;
/** A token may have so many fewer bytes than by the model's family. */
const LEAST = 0.8;
/** What a tool may add to the prompt of the next turn (agent.obsMaxChars / 4). */
const OBSERVATION_TOKENS = 1000;

/** Walks through the arm with a model that sends nothing and fills every reply to its limit. */
export async function estimateArm(arm: Arm, settings: EstimateSettings): Promise<Estimate> {
  const planned = plannedCalls(arm);
  const walked: Walked = new Map();
  const walkedShared: Walked = new Map();
  const { labels = [] } = arm.loaded.task;
  const filling = (id: string, capabilities: Model["capabilities"]) =>
    fillingModel(id, capabilities, { labels, begun: settings.replies });
  const model = filling(arm.cell.model, settings.capabilities);
  const { requests = new EqualRequests(), standsFor = "" } = settings;
  const most = { in: 0, out: 0 };
  const followed = requests.of(arm, standsFor);
  const named = Object.entries(furtherModels(arm.cell)).map(
    ([role, id]) => [role, filling(id, settings.further?.get(id) ?? settings.capabilities)] as const,
  );
  const bench = {
    cell: arm.cell,
    task: arm.loaded.task,
    model,
    roles: askedRoles(arm.method, arm.options),
    further: Object.fromEntries(named),
    embedder: settings.embedder,
    others: arm.loaded.others,
    tool: settings.tool,
    ...(settings.files === undefined ? {} : { files: settings.files }),
    temperature: readOptions(runOptions, arm.cell.options).temperature,
    signal: new AbortController().signal,
    ...(settings.artifacts === undefined ? {} : { artifacts: settings.artifacts }),
    shared: new Map(),
    onShared: (_key: string, ledger: Ledger) => addSpend(walkedShared, ledger.spend()),
    onAsk: (request: ModelRequest, asked: CallOrigin) => {
      const bytes = promptBytes(request);
      most.in = Math.max(most.in, Math.ceil(bytes / (familyBytesPerToken(arm.cell.model) * LEAST)));
      most.out = Math.max(most.out, outputLimit(settings.capabilities, request));
      settings.heard?.(bytes, asked, request);
      return followed.onAsk(request, asked);
    },
  };
  for (const unit of arm.loaded.units) {
    const preparation = openKit(bench, unit.id);
    const answerer = await arm.method.personalize(unit.user, arm.options, preparation.kit);
    addSpend(walked, preparation.ledger.spend());
    for (const { question, before = [] } of unit.examples) {
      const { kit, ledger } = openKit(bench, unit.id, question.id);
      if (arm.loaded.task.dialogue === true) for (const turn of before) await answerer.observe?.(turn, false, kit);
      const reply = await answerer(question, kit);
      if (arm.loaded.task.dialogue === true)
        await answerer.observe?.({ id: question.id, said: question.text, reply }, true, kit);
      addSpend(walked, ledger.spend());
    }
  }
  const phases: Partial<Record<PhaseAt, PhaseEstimate>> = {};
  for (const [phase, { low, high }] of planned)
    phases[phase] = bound(low, high, walked.get(phase) ?? new CallSums(), most);
  const shared = sharedPhases(plannedIn(arm.method.plan(arm.options).perCell?.() ?? {}, arm.cell), walkedShared);
  return { arm, phases, shared, repeated: followed.repeated() };
}

/** What replies of the walk hold. */
interface Filling {
  readonly labels?: readonly string[] | undefined;
  /** What tells a reply from others, at its beginning. */
  readonly begun?: ((request: ModelRequest) => string) | undefined;
}

/** Sends nothing and fills every reply to its limit. */
export function fillingModel(
  id: string,
  capabilities: Model["capabilities"],
  { labels = [], begun = () => "" }: Filling = {},
): Model {
  const bytes = familyBytesPerToken(id) * LEAST;
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request) {
      return {
        text: begun(request) + "word ".repeat(Math.floor((request.maxTokens * CHARACTERS_PER_TOKEN) / 5)),
        toolCalls: [],
        stop: "end",
        usage: {
          in: Math.ceil(promptBytes(request) / bytes),
          out: outputLimit(capabilities, request),
          estimated: true,
        },
        model: id,
        ...(request.logprobs === undefined || !capabilities.logprobs ? {} : { logprobs: surerOfMore(request, labels) }),
      };
    },
  };
}

/** Probabilities that are the surer the longer the prompt is: whoever chooses by them chooses as much as may be. */
function surerOfMore(request: ModelRequest, labels: readonly string[]): TokenLogprob[] {
  const tokens = (labels.length > 1 ? labels : ["word", "other"]).slice(0, request.logprobs);
  const others = 1 / (2 + promptBytes(request) / 100);
  const top = tokens.map((token, at) => ({
    token,
    logprob: Math.log(at === 0 ? 1 - others : others / (tokens.length - 1)),
  }));
  return Array.from({ length: request.maxTokens }, () => ({ ...top[0]!, top }));
}

type Walked = Map<string, CallSums>;

/** Shared values hold no loops: what the walk asked is all that a run will ask. */
function sharedPhases(planned: CallRange, walked: Walked): Estimate["shared"] {
  return Object.fromEntries(
    Object.entries(planned).map(([phase, { low, high }]) => {
      const sums = walked.get(phase) ?? new CallSums();
      const { in: tokensIn, out: tokensOut } = sums.total;
      return [phase, { low, high, tokensIn, tokensOut, sums }];
    }),
  );
}

function plannedCalls(arm: Arm): Map<PhaseAt, { low: number; high: number }> {
  const plan = arm.method.plan(arm.options);
  const total = new Map<PhaseAt, { low: number; high: number }>();
  const add = (phase: string, low: number, high: number) => {
    const sum = total.get(phase as PhaseAt) ?? { low: 0, high: 0 };
    total.set(phase as PhaseAt, { low: sum.low + low, high: sum.high + high });
  };
  for (const unit of arm.loaded.units) {
    const addAll = (range: CallRange) => {
      for (const [phase, { low, high }] of Object.entries(plannedIn(range, arm.cell))) add(phase, low, high);
    };
    const online = arm.cell.options.online === true;
    addAll(plan.perUnit(unit.user.history));
    for (const { before = [] } of unit.examples) addAll(callsPerQuestion(plan, arm.loaded.task, online, before.length));
  }
  return total;
}

function addSpend(walked: Walked, spend: Spend): void {
  for (const [phase, totals] of Object.entries(spend)) {
    const sums = walked.get(phase) ?? new CallSums();
    walked.set(phase, sums);
    sums.add(totals);
  }
}

/**
 * Calls beyond those walked are later turns of a loop: each carries the earlier turns' replies and observations. A phase of which
 * nothing was walked is asked by tools: each call is as long as the longest walked, with what was written before and what was found.
 */
function bound(
  low: number,
  high: number,
  sums: CallSums,
  most: { readonly in: number; readonly out: number },
): PhaseEstimate {
  const { calls, total } = sums;
  if (calls === 0 && most.in > 0) {
    const longest = most.in + 2 * most.out + OBSERVATION_TOKENS;
    const tokens = { in: high * longest, out: high * most.out };
    return { low, high, tokensIn: tokens.in, tokensOut: tokens.out, sums: CallSums.ofUpTo(tokens, high, longest) };
  }
  if (calls === 0 || high <= calls) return { low, high, tokensIn: total.in, tokensOut: total.out, sums };
  const turns = high / calls;
  const turnTokens = total.out / calls + OBSERVATION_TOKENS;
  const growth = calls * turnTokens * ((turns * (turns - 1)) / 2);
  const tokensIn = Math.ceil(total.in * turns + growth);
  const tokensOut = Math.ceil(total.out * turns);
  const longest = Math.ceil(sums.longest + turns * turnTokens);
  return { low, high, tokensIn, tokensOut, sums: CallSums.ofUpTo({ in: tokensIn, out: tokensOut }, high, longest) };
}

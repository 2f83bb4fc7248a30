import { familyBytesPerToken, promptBytes } from "../models/bytes-per-token.js";
import { CallSums } from "../models/call-sums.js";
import { outputLimit } from "../models/capabilities.js";
import { requestKey } from "../models/wrap/cached.js";
import { furtherModels, modelOf, plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import type {
  CallPlan,
  CallRange,
  Embedder,
  Model,
  ModelRequest,
  PhaseAt,
  PhaseTotals,
  TaskBrief,
  TokenLogprob,
  Unit,
  Usage,
} from "../types/index.js";
import { EqualRequests } from "./equal-requests.js";
import { type ArmContext, type CallOrigin, openKit, type ToolOf } from "./kit.js";
import { askedRoles } from "./plan/asked-roles.js";
import { runOptions } from "./plan/options.js";
import type { Arm } from "./plan/plan.js";

/** What an arm is walked through with. */
interface WalkSettings {
  readonly embedder: Embedder;
  readonly tool: ToolOf;
  /** Texts of the files that options name. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string>;
}

interface Walk extends WalkSettings {
  /** Answers in the place of the model of this id, without cost. */
  readonly model: (id: string) => Model;
  readonly onAsk: NonNullable<ArmContext["onAsk"]>;
  readonly units: Iterable<Unit>;
  /** The first so many questions of each unit. */
  readonly questions: number;
}

/** Walks through some users and questions of an arm as a run does. Sends nothing. Returns how many questions it went through. */
async function walk(arm: Arm, { model, onAsk, units, questions, embedder, tool, files }: Walk): Promise<number> {
  const { cell, loaded, method, options } = arm;
  const further = Object.entries(furtherModels(cell)).map(([role, id]) => [role, model(id)] as const);
  const bench: ArmContext = {
    cell,
    task: loaded.task,
    model: model(cell.model),
    roles: askedRoles(method, options),
    further: Object.fromEntries(further),
    embedder,
    others: loaded.others,
    tool,
    temperature: readOptions(runOptions, cell.options).temperature,
    signal: new AbortController().signal,
    shared: new Map(),
    ...(files === undefined ? {} : { files }),
    onAsk,
  };
  const isHeard = loaded.task.dialogue === true;
  let asked = 0;
  for (const unit of units) {
    const answerer = await method.personalize(unit.user, options, openKit(bench, unit.id).kit);
    for (const { question, before = [] } of unit.examples.slice(0, questions)) {
      const { kit } = openKit(bench, unit.id, question.id);
      if (isHeard) for (const turn of before) await answerer.observe?.(turn, false, kit);
      const reply = await answerer(question, kit);
      if (isHeard) await answerer.observe?.({ id: question.id, said: question.text, reply }, true, kit);
      asked += 1;
    }
  }
  return asked;
}

/** Bounds of what an arm will ask. */
export interface Bounds {
  readonly phases: Readonly<Partial<Record<PhaseAt, PhaseBounds>>>;
  /** What all users of the cell share. */
  readonly shared: Readonly<Partial<Record<PhaseAt, PhaseBounds>>>;
  /** The part of it that this arm or an earlier one has asked before, by model: the store will answer. */
  readonly repeated: ReadonlyMap<string, PhaseTotals>;
}

interface PhaseBounds {
  /** Calls by the formulas of METHODS 0.4; they differ where a loop has no fixed length. */
  readonly low: number;
  readonly high: number;
  /** Upper bounds: every reply as long as allowed, every loop as long as allowed. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** The same as far as single calls are told apart. */
  readonly sums: CallSums;
}

export interface BoundSettings extends WalkSettings {
  readonly capabilities: Model["capabilities"];
  /** Those of further models, by id. Absent: there are none. */
  readonly further?: ReadonlyMap<string, Model["capabilities"]>;
  /** Id of the embedder that `embedder` stands in for. Absent: it is the arm's own. */
  readonly standsFor?: string;
  /** The requests of all arms of the run. Absent: the arm is walked by itself. */
  readonly requests?: EqualRequests;
  /** Called with every request of the walk and its bytes. */
  readonly heard?: (bytes: number, asked: CallOrigin, request: ModelRequest) => void;
}

/** English prose is about four characters a token; the bound is for planning, the bill is the provider's. */
const CHARACTERS_PER_TOKEN = 4;
/** A token may have so many fewer bytes than by the model's family. */
const LEAST = 0.8;
/** What a tool may add to the prompt of the next turn (agent.obsMaxChars / 4). */
const OBSERVATION_TOKENS = 1000;

type Sums = Map<string, CallSums>;

/** Walks through the whole arm with a model that sends nothing and fills every reply to its limit. */
export async function boundArm(arm: Arm, settings: BoundSettings): Promise<Bounds> {
  const { cell, loaded } = arm;
  const { capabilities, further, requests = new EqualRequests(), standsFor = "", heard } = settings;
  const { labels } = loaded.task;
  const own: Sums = new Map();
  const ofShared: Sums = new Map();
  const most = { in: 0, out: 0 };
  const followed = requests.of(arm, standsFor);
  await walk(arm, {
    ...settings,
    units: loaded.units,
    questions: Number.POSITIVE_INFINITY,
    model: (id) => fillingModel(id, (id === cell.model ? undefined : further?.get(id)) ?? capabilities, labels),
    onAsk: (request, asked) => {
      const bytes = promptBytes(request);
      most.in = Math.max(most.in, Math.ceil(bytes / (familyBytesPerToken(cell.model) * LEAST)));
      most.out = Math.max(most.out, outputLimit(capabilities, request));
      heard?.(bytes, asked, request);
      const onReply = followed.onAsk(request, asked);
      return (reply) => {
        onReply(reply);
        const sums = asked.unit === "" ? ofShared : own;
        const ofPhase = sums.get(asked.phase) ?? new CallSums();
        sums.set(asked.phase, ofPhase);
        ofPhase.add({ calls: 1, in: reply.usage.in, out: reply.usage.out });
      };
    },
  });
  const walked = (sums: Sums, phase: string) => sums.get(phase) ?? new CallSums();
  const phases = Object.entries(plannedCalls(arm)).map(
    ([phase, { low, high }]) => [phase, bound(low, high, walked(own, phase), most)] as const,
  );
  const planned = plannedIn(arm.method.plan(arm.options).perCell?.() ?? {}, cell);
  const shared = Object.entries(planned).map(([phase, { low, high }]) => {
    const sums = walked(ofShared, phase); // shared values hold no loops: what the walk asked is all
    const { in: tokensIn, out: tokensOut } = sums.total;
    return [phase, { low, high, tokensIn, tokensOut, sums }] as const;
  });
  return { phases: Object.fromEntries(phases), shared: Object.fromEntries(shared), repeated: followed.repeated() };
}

/** Sends nothing and fills every reply to its limit. */
export function fillingModel(id: string, capabilities: Model["capabilities"], labels: readonly string[] = []): Model {
  const bytes = familyBytesPerToken(id) * LEAST;
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request) {
      return {
        text: "word ".repeat(Math.floor((request.maxTokens * CHARACTERS_PER_TOKEN) / 5)),
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

function plannedCalls({ method, options, loaded, cell }: Arm): CallRange {
  const plan = method.plan(options);
  const online = cell.options.online === true;
  let total: CallRange = {};
  for (const { user, examples } of loaded.units) {
    total = both(total, plan.perUnit(user.history));
    for (const { before = [] } of examples)
      total = both(total, callsPerQuestion(plan, loaded.task, online, before.length));
  }
  return plannedIn(total, cell);
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
): PhaseBounds {
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

/**
 * What one question may ask: its answer, and what lets it into memory, as a turn of a dialogue or with its gold in prequential mode;
 * with the turns of the dialogue `before` it that nobody is asked about.
 */
export function callsPerQuestion(
  plan: CallPlan,
  task: Pick<TaskBrief, "dialogue">,
  online: boolean,
  before = 0,
): CallRange {
  const learning = online ? plan.perLearned?.() : undefined;
  const remembering = task.dialogue === true ? (plan.perObserved?.(true) ?? plan.perLearned?.()) : learning;
  const heard = Array.from({ length: before }, () => plan.perObserved?.(false) ?? {});
  return [remembering ?? {}, ...heard].reduce(both, plan.perQuestion());
}

function both(one: CallRange, other: CallRange): CallRange {
  const phases = [...new Set([...Object.keys(one), ...Object.keys(other)])] as PhaseAt[];
  const sum = (phase: PhaseAt, end: "low" | "high") => (one[phase]?.[end] ?? 0) + (other[phase]?.[end] ?? 0);
  return Object.fromEntries(phases.map((phase) => [phase, { low: sum(phase, "low"), high: sum(phase, "high") }]));
}

/** What calls are expected to come to. */
export interface Expected {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** US dollars; undefined where no price is known. */
  readonly usd: number | undefined;
}

export interface Rehearsal {
  readonly phases: Readonly<Partial<Record<PhaseAt, Expected>>>;
  /** What all users of the cell share. */
  readonly shared: Readonly<Partial<Record<PhaseAt, Expected>>>;
  /** Of requests that no arm before has asked. */
  readonly sent: Expected;
}

interface RehearsalSettings extends WalkSettings {
  /** Answers in the place of the model of this id, without cost, under its name and with its abilities. */
  readonly standIn: (id: string) => Model;
  /** Keys of the requests of all arms, to which this one adds its own. */
  readonly asked: Set<string>;
  readonly price: (usage: Usage, phase: PhaseAt) => number | undefined;
}

export const NOTHING_EXPECTED: Expected = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/**
 * Plays an arm through with a model that answers without cost, for some users and some of their questions, and takes all users
 * and questions to be like these. Prompts are those that a run would send as far as replies do not shape them; tokens are counted
 * by the bytes of a token of the arm's model. Sends nothing.
 */
export async function rehearseArm(arm: Arm, settings: RehearsalSettings): Promise<Rehearsal> {
  const sizes = Array.from(arm.loaded.units, sizeOf);
  const places = spread(sizes, USERS);
  const heard: { part: "cell" | "unit" | "question"; phase: PhaseAt; isNew: boolean; one: Expected }[] = [];
  const asked = await walk(arm, {
    ...settings,
    model: settings.standIn,
    units: places.map((place) => arm.loaded.units.at(place)!), // places of these units
    questions: QUESTIONS_PER_USER,
    onAsk: (request, { unit, question, phase }) => {
      const key = requestKey(modelOf(phase, arm.cell), request);
      const isNew = !settings.asked.has(key);
      settings.asked.add(key);
      const part = unit === "" ? "cell" : question === undefined ? "unit" : "question";
      return ({ usage }) => {
        const one = { calls: 1, tokensIn: usage.in, tokensOut: usage.out, usd: settings.price(usage, phase) };
        heard.push({ part, phase, isNew, one });
      };
    },
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const drawn = sum(places.map((place) => sizes[place]!));
  const factors = {
    cell: 1,
    unit: drawn === 0 ? 0 : sum(sizes) / drawn,
    question: asked === 0 ? 0 : arm.loaded.questions / asked,
  };
  const phases: Partial<Record<PhaseAt, Expected>> = {};
  const shared: Partial<Record<PhaseAt, Expected>> = {};
  let sent = NOTHING_EXPECTED;
  for (const { part, phase, isNew, one } of heard) {
    const scaled = timesExpected(one, factors[part]);
    const into = part === "cell" ? shared : phases;
    into[phase] = plusExpected(into[phase] ?? NOTHING_EXPECTED, scaled);
    if (isNew) sent = plusExpected(sent, scaled);
  }
  return { phases, shared, sent };
}

/**
 * The stand-in of a model: what `answers` replies, under the model's name and with its abilities. Prompts and replies have a
 * token for so many bytes, and room is taken for thinking that cannot be switched off.
 */
export function standInFor({ id, capabilities }: Model, answers: Model, bytes: number): Model {
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request, signal) {
      const reply = await answers.complete(request, signal);
      const calls = reply.toolCalls.length === 0 ? "" : JSON.stringify(reply.toolCalls);
      const written = Math.ceil(Buffer.byteLength(reply.text + calls) / bytes);
      const thinks = outputLimit(capabilities, request) > request.maxTokens;
      const usage = {
        in: Math.ceil(promptBytes(request) / bytes),
        out: written + (thinks ? THINKING_TOKENS : 0),
        estimated: true,
      };
      return { ...reply, usage };
    },
  };
}

/** The sum of both; the dollars of what has no price are not known. */
export const plusExpected = (a: Expected, b: Expected): Expected => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

/** Users that are played through, and questions of each. */
const USERS = 12;
const QUESTIONS_PER_USER = 4;
/** Of a call of a model that always thinks, at the effort that short answers are asked with. */
const THINKING_TOKENS = 300;

/** As much as preparations grow with: the past, and a little for what is the same for all. */
const sizeOf = ({ user }: Unit): number =>
  user.history.reduce((sum, { document }) => sum + document.length, SAME_FOR_ALL);
const SAME_FOR_ALL = 200;

/** Places of so many users, from small to large in even steps. */
function spread(sizes: readonly number[], count: number): number[] {
  const order = sizes.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  if (order.length <= count) return order;
  return Array.from({ length: count }, (_, k) => order[Math.floor(((k + 0.5) * order.length) / count)]!);
}

const timesExpected = ({ calls, tokensIn, tokensOut, usd }: Expected, factor: number): Expected => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

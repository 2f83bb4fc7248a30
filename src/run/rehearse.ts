import { requestKey } from "../models/wrap/cached.js";
import { furtherModels, modelOf, plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { sha256 } from "../text/content-id.js";
import type { CallPlan, CallRange, Embedder, Model, PhaseAt, TaskBrief, Unit, Usage } from "../types/index.js";
import { type ArmContext, openKit, type ToolOf } from "./kit.js";
import { askedRoles } from "./plan/asked-roles.js";
import { runOptions } from "./plan/options.js";
import type { Arm } from "./plan/plan.js";

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
  /**
   * Of both: requests that neither an earlier arm nor this one had asked before, which are sent once. Of an arm that is played whole
   * only those are equal that are so whatever the model replies: of equal text and history, that is, the replies that their user, their
   * question and the shared values had got before.
   */
  readonly sent: Expected;
  /** The most tokens of one call. */
  readonly longest: { readonly in: number; readonly out: number };
}

export interface RehearsalSettings {
  readonly embedder: Embedder;
  readonly tool: ToolOf;
  /** Texts of the files that options name. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string>;
  /** Answers in the place of the model of this id, without cost, under its name and with its abilities. */
  readonly model: (id: string) => Model;
  /** How many users are played through, from small to large, and questions of each; all users are taken to be like these. Absent: all. */
  readonly sample?: { readonly users: number; readonly questions: number };
  /** Keys of the requests of all arms, to which this one adds its own. */
  readonly asked: Set<string>;
  /** Id of an embedder that `embedder` stands in for: it would retrieve other things, so its requests equal no other's. */
  readonly standsFor?: string;
  readonly price: (usage: Usage, phase: PhaseAt) => number | undefined;
}

/** Plays an arm through as a run does, with models that send nothing. */
export async function rehearse(arm: Arm, settings: RehearsalSettings): Promise<Rehearsal> {
  const { sample, asked, standsFor = "", price } = settings;
  const calls = {
    cell: new Map<PhaseAt, Calls>(),
    unit: new Map<PhaseAt, Calls>(),
    question: new Map<PhaseAt, Calls>(),
  };
  const longest = { in: 0, out: 0 };
  const got = new Map<string, string[]>();
  const onAsk: NonNullable<ArmContext["onAsk"]> = (request, origin) => {
    const { unit, question, phase } = origin;
    const own = question === undefined ? unit : `${unit}\t${question}`;
    const history =
      sample === undefined ? [...new Set(["", unit, own])].flatMap((earlier) => got.get(earlier) ?? []) : [];
    const key = sha256([requestKey(modelOf(phase, arm.cell), request), ...history.sort(), standsFor].join());
    const isNew = !asked.has(key);
    asked.add(key);
    const part = calls[unit === "" ? "cell" : question === undefined ? "unit" : "question"];
    return ({ usage }) => {
      if (sample === undefined) got.set(own, [...(got.get(own) ?? []), key]);
      const one = { calls: 1, tokensIn: usage.in, tokensOut: usage.out, usd: price(usage, phase) };
      const { all, sent } = part.get(phase) ?? { all: NOTHING_EXPECTED, sent: NOTHING_EXPECTED };
      part.set(phase, { all: plusExpected(all, one), sent: isNew ? plusExpected(sent, one) : sent });
      longest.in = Math.max(longest.in, usage.in);
      longest.out = Math.max(longest.out, usage.out);
    };
  };
  const { units, scale } = sample === undefined ? whole(arm) : drawn(arm, sample.users);
  const played = await playThrough(arm, units, { ...settings, onAsk });
  const factors = { cell: 1, unit: scale, question: sample === undefined ? 1 : arm.loaded.questions / (played || 1) };
  const phases: Partial<Record<PhaseAt, Expected>> = {};
  const shared: Partial<Record<PhaseAt, Expected>> = {};
  let allSent = NOTHING_EXPECTED;
  for (const part of ["cell", "unit", "question"] as const)
    for (const [phase, { all, sent }] of calls[part]) {
      const into = part === "cell" ? shared : phases;
      into[phase] = plusExpected(into[phase] ?? NOTHING_EXPECTED, timesExpected(all, factors[part]));
      allSent = plusExpected(allSent, timesExpected(sent, factors[part]));
    }
  return { phases, shared, sent: allSent, longest };
}

/** Calls of one phase, and those of them that go out: equal ones once. */
interface Calls {
  readonly all: Expected;
  readonly sent: Expected;
}

/** Returns how many questions it went through. */
async function playThrough(
  arm: Arm,
  units: Iterable<Unit>,
  { model, onAsk, embedder, tool, files, sample }: RehearsalSettings & Required<Pick<ArmContext, "onAsk">>,
): Promise<number> {
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
    for (const { question, before = [] } of unit.examples.slice(0, sample?.questions)) {
      const { kit } = openKit(bench, unit.id, question.id);
      if (isHeard) for (const turn of before) await answerer.observe?.(turn, false, kit);
      const reply = await answerer(question, kit);
      if (isHeard) await answerer.observe?.({ id: question.id, said: question.text, reply }, true, kit);
      asked += 1;
    }
  }
  return asked;
}

/** Bounds of what an arm asks in one phase. */
export interface Bound {
  /** Calls by the formulas of METHODS 0.4; they differ where a loop has no fixed length. */
  readonly low: number;
  readonly high: number;
  /** Every reply as long as allowed, every loop as long as allowed. */
  readonly most: Expected;
}

/** Bounds of an arm that was rehearsed whole, with models that fill every reply. */
export function boundsOf(
  { method, options, loaded, cell }: Arm,
  played: Rehearsal,
  price: RehearsalSettings["price"],
): { readonly phases: Partial<Record<PhaseAt, Bound>>; readonly shared: Partial<Record<PhaseAt, Bound>> } {
  const plan = method.plan(options);
  const online = cell.options.online === true;
  let total: CallRange = {};
  for (const { user, examples } of loaded.units) {
    total = both(total, plan.perUnit(user.history));
    for (const { before = [] } of examples)
      total = both(total, callsPerQuestion(plan, loaded.task, online, before.length));
  }
  const bounds = (range: CallRange, most: (phase: PhaseAt, high: number) => Expected) =>
    Object.fromEntries(
      (Object.entries(plannedIn(range, cell)) as [PhaseAt, { low: number; high: number }][]).map(
        ([phase, { low, high }]) => [phase, { low, high, most: most(phase, high) }],
      ),
    );
  const { phases, shared, longest } = played;
  return {
    phases: bounds(total, (phase, high) =>
      mostOf(high, phases[phase] ?? NOTHING_EXPECTED, longest, (usage) => price(usage, phase)),
    ),
    shared: bounds(plan.perCell?.() ?? {}, (phase) => shared[phase] ?? NOTHING_EXPECTED), // shared values hold no loops
  };
}

/** What a tool may add to the prompt of the next turn (4000 characters). */
const OBSERVATION_TOKENS = 1000;

/**
 * The most that so many calls of a phase come to, where `played` were. Calls beyond those are later turns of a loop: each carries the
 * earlier turns' replies and observations. A phase of which nothing was played is asked by tools: each call is as long as the longest,
 * with what was written before and what was found.
 */
function mostOf(
  high: number,
  played: Expected,
  longest: Rehearsal["longest"],
  price: (usage: Usage) => number | undefined,
): Expected {
  const { calls } = played;
  if (high <= calls || longest.in === 0) return played;
  let [tokensIn, tokensOut] = [high * (longest.in + 2 * longest.out + OBSERVATION_TOKENS), high * longest.out];
  if (calls > 0) {
    const turns = high / calls;
    const growth = calls * (played.tokensOut / calls + OBSERVATION_TOKENS) * ((turns * (turns - 1)) / 2);
    [tokensIn, tokensOut] = [Math.ceil(played.tokensIn * turns + growth), Math.ceil(played.tokensOut * turns)];
  }
  const usd = price({ in: tokensIn / high, out: tokensOut / high });
  return { calls: high, tokensIn, tokensOut, usd: usd === undefined ? undefined : usd * high };
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

export const NOTHING_EXPECTED: Expected = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** The sum of both; the dollars of what has no price are not known. */
export const plusExpected = (a: Expected, b: Expected): Expected => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

const timesExpected = ({ calls, tokensIn, tokensOut, usd }: Expected, factor: number): Expected => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

/** As much as preparations grow with: the past, and a little for what is the same for all. */
const sizeOf = ({ user }: Unit): number =>
  user.history.reduce((sum, { document }) => sum + document.length, SAME_FOR_ALL);
const SAME_FOR_ALL = 200;

const whole = ({ loaded }: Arm) => ({ units: loaded.units as Iterable<Unit>, scale: 1 });

/** So many users, from small to large in even steps, and how many times their size all are. */
function drawn({ loaded: { units } }: Arm, count: number): { readonly units: Iterable<Unit>; readonly scale: number } {
  const sizes = Array.from(units, sizeOf);
  const order = sizes.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  const places =
    order.length <= count
      ? order
      : Array.from({ length: count }, (_, k) => order[Math.floor(((k + 0.5) * order.length) / count)]!);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const scale = sum(sizes) / (sum(places.map((place) => sizes[place]!)) || 1);
  return { units: places.map((place) => units.at(place)!), scale }; // places of these units
}

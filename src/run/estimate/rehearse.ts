import { furtherModels, modelOf } from "../../further-models.js";
import { promptBytes } from "../../models/bytes-per-token.js";
import { outputLimit } from "../../models/capabilities.js";
import { requestKey } from "../../models/wrap/cached.js";
import { readOptions } from "../../options.js";
import type { Embedder, Model, PhaseAt, Unit, Usage } from "../../types.js";
import { type Bench, type CallOrigin, openKit, type ToolOf } from "../kit.js";
import { askedRoles } from "../plan/asked-roles.js";
import { runOptions } from "../plan/options.js";
import type { Arm } from "../plan/plan.js";

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

interface RehearsalSettings {
  /** Answers in the place of the arm's model, without cost; its name and abilities are those of the arm's model. */
  readonly standIn: Model;
  readonly embedder: Embedder;
  readonly tool: ToolOf;
  /** Texts of the files that options name. */
  readonly files?: ReadonlyMap<string, string>;
  /** Keys of the requests of all arms, to which this one adds its own. */
  readonly asked: Set<string>;
  /** The same for further models, by id. Absent: there are none. */
  readonly further?: ReadonlyMap<string, Model>;
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
  const preparation = new Tally();
  const questions = new Tally();
  const shared = new Tally();
  const onAsk: Bench["onAsk"] = (request, { unit, question, phase }: CallOrigin) => {
    const key = requestKey(modelOf(phase, arm.cell), request);
    const isNew = !settings.asked.has(key);
    settings.asked.add(key);
    const tally = unit === "" ? shared : question === undefined ? preparation : questions;
    return ({ usage }) => tally.add(phase, usage, isNew, settings.price);
  };
  const { standIn, embedder, tool } = settings;
  const named = Object.entries(furtherModels(arm.cell)).map(
    ([role, id]) => [role, settings.further?.get(id) ?? standIn] as const,
  );
  const bench: Bench = {
    cell: arm.cell,
    task: arm.loaded.task,
    model: standIn,
    roles: askedRoles(arm.method, arm.options),
    further: Object.fromEntries(named),
    embedder,
    others: arm.loaded.others,
    tool,
    temperature: readOptions(runOptions, arm.cell.options).temperature,
    signal: new AbortController().signal,
    shared: new Map(),
    ...(settings.files === undefined ? {} : { files: settings.files }),
    onAsk,
  };
  let asked = 0;
  for (const place of places) {
    const unit = arm.loaded.units.at(place)!; // places of these units
    const answerer = await arm.method.personalize(unit.user, arm.options, openKit(bench, unit.id).kit);
    for (const { question } of unit.examples.slice(0, QUESTIONS_PER_USER)) {
      await answerer(question, openKit(bench, unit.id, question.id).kit);
      asked += 1;
    }
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const drawn = sum(places.map((place) => sizes[place]!));
  const byUsers = drawn === 0 ? 0 : sum(sizes) / drawn;
  const byQuestions = asked === 0 ? 0 : arm.loaded.questions / asked;
  const parts = [preparation.times(byUsers), questions.times(byQuestions), shared.times(1)] as const;
  return {
    phases: joined(parts[0].phases, parts[1].phases),
    shared: parts[2].phases,
    sent: parts.map((part) => part.sent).reduce(plusExpected),
  };
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

/** Calls by phase, and those of them that were asked for the first time. */
class Tally {
  readonly phases: Partial<Record<PhaseAt, Expected>> = {};
  sent = NOTHING_EXPECTED;

  add(phase: PhaseAt, usage: Usage, isNew: boolean, price: RehearsalSettings["price"]): void {
    const one = { calls: 1, tokensIn: usage.in, tokensOut: usage.out, usd: price(usage, phase) };
    this.phases[phase] = plusExpected(this.phases[phase] ?? NOTHING_EXPECTED, one);
    if (isNew) this.sent = plusExpected(this.sent, one);
  }

  times(factor: number): Pick<Tally, "phases" | "sent"> {
    const phases = Object.entries(this.phases).map(([phase, sum]) => [phase, timesExpected(sum, factor)] as const);
    return { phases: Object.fromEntries(phases), sent: timesExpected(this.sent, factor) };
  }
}

const timesExpected = ({ calls, tokensIn, tokensOut, usd }: Expected, factor: number): Expected => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

function joined(a: Rehearsal["phases"], b: Rehearsal["phases"]): Rehearsal["phases"] {
  const phases = [...new Set([...Object.keys(a), ...Object.keys(b)])] as PhaseAt[];
  const of = (one: Rehearsal["phases"], phase: PhaseAt) => one[phase] ?? NOTHING_EXPECTED;
  return Object.fromEntries(phases.map((phase) => [phase, plusExpected(of(a, phase), of(b, phase))]));
}

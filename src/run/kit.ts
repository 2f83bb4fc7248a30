import { type Key, requestKey } from "../log/entry.js";
import {
  type Answers,
  keptFailure,
  type ProgramAnswer,
  type ProgramCalls,
  ReplayMiss,
  replyKind,
} from "../outside/answers.js";
import { FailedBefore, type Kind, type Once, type Purchase } from "../outside/once.js";
import type { PendingTask, Waits } from "../outside/waits.js";
import { modelOptions } from "../plan/options.js";
import { seeded } from "../random/seeded.js";
import { phaseAt } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { stripReasoning } from "../text/strip-reasoning.js";
import type {
  ArmSpec,
  AskRequest,
  Embedder,
  Json,
  Kit,
  Model,
  ModelReply,
  ModelRequest,
  ModelRole,
  OthersPool,
  Phase,
  PhaseAt,
  SharedContent,
  TaskBrief,
  Tool,
} from "../types/index.js";
import { Ledger } from "./ledger.js";

/** What a call was made for. */
export interface CallOrigin {
  readonly arm: string;
  /** Empty for what all units of an arm share. */
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  readonly phase: PhaseAt;
}

/** The tool of this name, for one preparation or question. */
export type ToolOf = (name: string, at: Omit<CallOrigin, "phase">) => Tool | undefined;

/** What the kits of all arms are wired to. */
export interface Wiring {
  readonly tool: ToolOf;
  /** Where answers of programs are bought. Absent: each is asked anew. */
  readonly once?: Once<Answers> | undefined;
  /** Texts of the files that options name, by the name that the run gives them. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  /** Counts who waits for replies. Absent: nobody asks. */
  readonly waits?: Waits | undefined;
  /** Gives the error of a failed call another text, from what the call was made for. Undefined: the error stays as it is. */
  readonly explain?: ((error: unknown, asked: CallOrigin) => Error | undefined) | undefined;
  /** Called with every request before it is sent; the function it returns is called with the reply. */
  readonly onAsk?: ((request: ModelRequest, asked: CallOrigin) => (reply: ModelReply) => void) | undefined;
}

/** What all kits of one arm have in common. */
export interface ArmContext extends Wiring {
  readonly model: Model;
  readonly spec: ArmSpec;
  readonly task: TaskBrief;
  /** The further models that the method's plan has calls of; it may ask no other. Absent: it is not looked at. */
  readonly roles?: ReadonlySet<ModelRole>;
  /** The models that the arm names besides. */
  readonly further?: Readonly<Partial<Record<ModelRole, Model>>>;
  readonly embedder: Embedder;
  readonly others: OthersPool;
  /** Ranks the history of the unit at hand. Absent: there is none. */
  readonly retrieve?: Kit["retrieve"];
  /** Told of what is out besides model calls. Absent: nobody waits for it. */
  readonly out?: <T>(job: Promise<T>) => Promise<T>;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
  readonly signal: AbortSignal;
  /** Fires when no new call may start: what fails then may have failed through it. Absent: nobody stops. */
  readonly stop?: AbortSignal;
  readonly shared: Map<string, Promise<unknown>>;
  /** Values with a content id, of all arms with this pool. Absent: the arm keeps them alone. */
  readonly common?: Map<string, Promise<unknown>> | undefined;
  /** Called once for every shared value, built or failed, before its first user gets it. */
  readonly onShared?: (key: string, ledger: Ledger) => void;
}

/**
 * Opens a kit for one unit (`question` absent), one question of it, or the whole arm (`unit` empty), and the ledger of what is
 * done with it. `pending`: the task that works with it.
 */
export function openKit(
  context: ArmContext,
  unit: string,
  question?: string,
  pending?: PendingTask,
): { kit: Kit; ledger: Ledger } {
  const { spec, task, model, explain } = context;
  const ledger = new Ledger(model.simulated, pending);
  const scope = question === undefined ? unit : `${unit}/${question}`;
  const seed = `${spec.seed}/${spec.task}/${spec.method}`;
  const place = { arm: spec.id, unit, ...(question === undefined ? {} : { question }) };
  const about = ({ id, capabilities }: Model): Kit["model"] => ({ id, capabilities });
  const modelOf = (role: ModelRole): Kit["model"] => about(context.further?.[role] ?? model);
  const embedder = trackedEmbedder(context.embedder, ledger);

  const kit: Kit = {
    task,
    model: about(model),
    models: { reference: modelOf("reference"), judge: modelOf("judge") },
    embedder,
    others: context.others,
    async retrieve(query, k) {
      if (unit === "" || context.retrieve === undefined) throw new Error("retrieve: there is no user's history here");
      return ledger.call(context.retrieve(query, k), () => contentId({ retrieve: query as unknown as Json, k }));
    },
    embed: (texts) => embedder.embed(texts),
    file(name) {
      const text = context.files?.get(name);
      if (text === undefined) throw new Error(`no option of the arm names the file ${name}`);
      return text;
    },
    tool: (name) => trackedTool(context.tool(name, place), ledger),
    random: (label) => seeded(`${seed}/${scope}/${label}`),
    runRandom: (label) => seeded(`${seed}//${label}`),
    async ask(phase: Phase, { of, ...asked }: AskRequest): Promise<ModelReply> {
      if (of !== undefined && context.roles?.has(of) === false)
        throw new Error(
          `${spec.method} asks its ${of} model, and its plan has no calls of it: name "${phase}@${of}" there`,
        );
      const further = of === undefined ? undefined : context.further?.[of];
      const answering = further ?? model;
      const at = phaseAt(phase, further === undefined ? undefined : of);
      const origin = { ...place, phase: at };
      const request = completeRequest(asked, context, further === undefined);
      const key = requestKey(answering.id, request);
      ledger.asked(key);
      const onReply = context.onAsk?.(request, origin);
      const sent = answering.complete(request, context.signal).catch((error: unknown) => {
        throw explain?.(error, origin) ?? error;
      });
      const reply = await ledger.call(sent, () => key);
      onReply?.(reply);
      return withoutThinking(key, at, reply);
    },
    program: (job, answer) => ledger.call(programAnswer(job, answer), () => contentId({ program: job })),
    shared<T>(key: string, build: (kit: Kit) => Promise<T>, made?: SharedContent): Promise<T> {
      const known = made === undefined ? context.shared : (context.common ?? context.shared);
      const name = made === undefined ? key : `${key} ${made.content}`;
      const value = known.get(name) ?? buildShared(key, build, context, made !== undefined);
      known.set(name, value);
      return ledger.call(value as Promise<T>, () => name); // one builder per key, so one type per key
    },
    note: (note) => ledger.note(note),
    count: (incident) => ledger.count(incident),
  };
  return { kit, ledger };

  async function programAnswer(job: Json, answer: (repeat: number) => Promise<string>): Promise<string> {
    const { once, signal, out } = context;
    if (once === undefined) return answer(spec.repeat);
    const settingsKey = requestKey(model.id, completeRequest({ messages: [] }, context, true)); // effort, temperature, repeat
    const key = contentId({ program: job, beside: settingsKey });
    const replies = replyKind(model.id, signal);
    const kind: Kind<ProgramAnswer> = {
      name: "program",
      model: model.id,
      read({ kind: found, value }) {
        const known = value as unknown as ProgramAnswer; // as it is kept below
        const isWhole = found === "program" && known.asked.every((call) => once.book.find(call, replies) !== undefined);
        return isWhole ? known : undefined; // a reply that went into it is lost: asked again
      },
      failure(error) {
        const failure = context.stop?.aborted === true ? undefined : keptFailure(error);
        return failure && { ...failure, ...ledger.calls() };
      },
    };
    const buy = async (): Promise<Purchase> => {
      if (once.book.isReplay) throw new ReplayMiss();
      const output = await answer(spec.repeat);
      return { value: { output, ...ledger.calls() } as unknown as Json };
    };
    const repeatCalls = ({ asked = [], unanswered = [] }: Partial<ProgramCalls>): void => {
      for (const call of asked) {
        const reply = once.book.find(call, replies);
        if (reply !== undefined) withoutThinking(call, "answer", reply);
      }
      for (const call of unanswered) ledger.asked(call);
    };
    try {
      const bought = once.one(key, kind, buy, signal);
      const { value, isNew } = await (out?.(bought) ?? bought);
      if (!isNew) repeatCalls(value);
      return value.output;
    } catch (error) {
      if (error instanceof FailedBefore) repeatCalls(error.failure);
      throw explain?.(error, { ...place, phase: "answer" }) ?? error;
    }
  }

  function withoutThinking(key: Key, at: PhaseAt, reply: ModelReply): ModelReply {
    ledger.answered(key, at, reply);
    const { source: _, ...plain } = reply; // no method may act on it
    const text = stripReasoning(reply.text);
    if (text === reply.text) return plain;
    ledger.count("thinking-in-text");
    return { ...plain, text };
  }
}

const trackedEmbedder = (embedder: Embedder, ledger: Ledger): Embedder => ({
  id: embedder.id,
  get dimensions() {
    return embedder.dimensions;
  },
  embed: (texts) => ledger.call(embedder.embed(texts), () => contentId({ embed: texts })),
});

const trackedTool = (tool: Tool | undefined, ledger: Ledger): Tool | undefined =>
  tool && { ...tool, run: (input, use) => ledger.call(tool.run(input, use), () => contentId({ [tool.name]: input })) };

/**
 * Builds a shared value. What that asks and counts goes into a ledger of its own, not into that of the unit that came first; a value
 * that arms share by its content may ask and count nothing: other arms would lack that.
 */
async function buildShared<T>(
  key: string,
  build: (kit: Kit) => Promise<T>,
  context: ArmContext,
  byContent: boolean,
): Promise<T> {
  const pending = context.waits?.begin();
  const { kit, ledger } = openKit(context, "", undefined, pending);
  let value: T;
  try {
    value = await ledger.whole(build(kit));
  } finally {
    pending?.end();
    if (!byContent) context.onShared?.(key, ledger); // a failed build has cost calls too
  }
  if (byContent && !ledger.isEmpty())
    throw new Error(`shared value ${key} is shared by its content but asks, notes or counts`);
  return value;
}

/** Draws of one question share a repeat: sample = repeat * DRAWS_PER_REPEAT + draw, so no two ever share a key. */
const DRAWS_PER_REPEAT = 1000;

/** `answering`: the request is to the model that answers, which the options of thinking are about. */
function completeRequest(asked: AskRequest, { spec, task, temperature }: ArmContext, answering: boolean): ModelRequest {
  const given = readOptions(modelOptions, answering ? spec.options : {});
  const { "model.effort": effort, "model.answerTokens": room } = given;
  const { maxTokens, temperature: ownTemperature, draw, ...rest } = asked;
  const wanted = ownTemperature ?? temperature;
  return {
    ...rest,
    maxTokens: Math.max(maxTokens ?? task.maxAnswerTokens, room),
    ...(effort === "auto" ? {} : { effort }),
    ...(wanted === undefined ? {} : { temperature: wanted }),
    sample: spec.repeat * DRAWS_PER_REPEAT + (draw ?? 0),
  };
}

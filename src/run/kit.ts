import { type Key, requestKey } from "../log/entry.js";
import type { AnswerBook } from "../outside/answers.js";
import type { Once } from "../outside/once.js";
import { DRAWS_PER_REPEAT } from "../outside/store.js";
import type { Waits } from "../outside/waits.js";
import { modelOptions } from "../plan/options.js";
import { seeded } from "../random/seeded.js";
import { modelOf, phaseAt } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { defined } from "../text/json.js";
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
import { replyIncident } from "./health.js";
import { Ledger } from "./ledger.js";
import { ProgramAnswers } from "./program-answers.js";

/** What a kit belongs to: a question, the preparation of a unit, or a value that all units of an arm share. */
interface KitPlace {
  /** Id of the arm. */
  readonly arm: string;
  /** Empty for a value that all units share. */
  readonly unit: string;
  /** Absent for the preparation of the unit. */
  readonly question?: string;
}

/** Where a call was made. */
export interface CallOrigin extends KitPlace {
  readonly phase: PhaseAt;
}

/** Returns the tool of a name for one kit; undefined if it is switched off. */
export type ToolOf = (name: string, place: KitPlace) => Tool | undefined;

/** Services that the kits of all arms use. */
export interface Wiring {
  readonly tool: ToolOf;
  /** Buys answers of programs. Absent: every question is sent to the program. */
  readonly once?: Once<AnswerBook> | undefined;
  /** Texts of the files that options name, by their names in the plan. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  /** Counts the tasks that wait for replies; only with batches. */
  readonly waits?: Waits | undefined;
  /** Returns an error with a better text for a failed call; undefined to keep the error. */
  readonly explain?: ((error: unknown, origin: CallOrigin) => Error | undefined) | undefined;
  /** Called with each request before it is sent. Returns a function that is called with its reply. */
  readonly onAsk?: ((request: ModelRequest, origin: CallOrigin) => (reply: ModelReply) => void) | undefined;
}

/** Values that several kits share, by key. */
type SharedValues = Map<string, Promise<unknown>>;

/** All that the kits of one arm have in common. */
export interface ArmContext extends Wiring {
  readonly model: Model;
  readonly spec: ArmSpec;
  readonly task: TaskBrief;
  /** Roles of further models that the method's plan has calls for; asking another role is an error. Absent: all are allowed. */
  readonly roles?: ReadonlySet<ModelRole>;
  /** The arm's further models. */
  readonly further?: Readonly<Partial<Record<ModelRole, Model>>>;
  readonly embedder: Embedder;
  readonly others: OthersPool;
  /** Ranks the history of the unit. Absent for shared values. */
  readonly retrieve?: Kit["retrieve"];
  /** Counts a purchase as in flight until it ends, and returns it. */
  readonly track?: <T>(job: Promise<T>) => Promise<T>;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
  /** Fires when calls in flight are dropped. */
  readonly signal: AbortSignal;
  /** Fires when no new call may start. A failure after that is not kept: the stop may be its cause. */
  readonly stop?: AbortSignal;
  /** Shared values of this arm. */
  readonly shared: SharedValues;
  /** Shared values with a content id, of all arms with the same pool of others. Absent: as `shared`. */
  readonly sharedByContent?: SharedValues | undefined;
  /** Called once for each shared value of this arm, built or failed, before a unit gets it. */
  readonly onShared?: (key: string, ledger: Ledger) => void;
}

export interface OpenedKit {
  readonly kit: Kit;
  readonly ledger: Ledger;
  /** Call it when the work with the kit is done. */
  close(): void;
}

/** Opens the kit of a question, of a unit's preparation (`question` undefined), or of a shared value (`unit` empty). */
export function openKit(context: ArmContext, unit: string, question?: string): OpenedKit {
  const { spec, task, model, further } = context;
  const pending = context.waits?.begin();
  const ledger = new Ledger(model.simulated, pending);
  const place: KitPlace = { arm: spec.id, unit, ...defined({ question }) };
  const calls = new KitCalls(context, place, ledger);
  const seed = `${spec.seed}/${spec.task}/${spec.method}`;
  const scope = question === undefined ? unit : `${unit}/${question}`;
  const known = ({ id, capabilities }: Model): Kit["model"] => ({ id, capabilities });
  const embedder = trackedEmbedder(context.embedder, ledger);
  const kit: Kit = {
    task,
    model: known(model),
    models: { reference: known(further?.reference ?? model), judge: known(further?.judge ?? model) },
    embedder,
    others: context.others,
    async retrieve(query, k) {
      if (unit === "" || context.retrieve === undefined) throw new Error("retrieve: there is no user's history here");
      return ledger.track(context.retrieve(query, k), () => contentId({ retrieve: query as unknown as Json, k }));
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
    ask: (phase, request) => calls.ask(phase, request),
    program: (job, ...how) => ledger.track(calls.program(kit, job, ...how), () => contentId({ program: job })),
    shared: (key, build, made) => calls.shared(key, build, made),
    note: (note) => ledger.note(note),
    count: (incident) => ledger.count(incident),
  };
  return { kit, ledger, close: () => pending?.end() };
}

/** The calls of one kit to models, to programs, and for shared values. */
class KitCalls {
  readonly #context: ArmContext;
  readonly #place: KitPlace;
  readonly #ledger: Ledger;

  constructor(context: ArmContext, place: KitPlace, ledger: Ledger) {
    this.#context = context;
    this.#place = place;
    this.#ledger = ledger;
  }

  async ask(phase: Phase, { of: role, ...asked }: AskRequest): Promise<ModelReply> {
    const { spec, roles, further, model: mainModel, signal, explain, onAsk } = this.#context;
    if (role !== undefined && roles?.has(role) === false)
      throw new Error(
        `${spec.method} asks its ${role} model, and its plan has no calls of it: name "${phase}@${role}" there`,
      );
    const furtherModel = role === undefined ? undefined : further?.[role];
    const model = furtherModel ?? mainModel;
    const origin = { ...this.#place, phase: phaseAt(phase, furtherModel === undefined ? undefined : role) };
    const settings = furtherModel === undefined ? spec.options : {}; // options of thinking are about the main model
    const request = completeRequest(asked, this.#context, settings);
    const key = requestKey(model.id, request);
    this.#ledger.addRequest(key);
    const onReply = onAsk?.(request, origin);
    const sent = model.complete(request, signal).catch((error: unknown) => {
      throw explain?.(error, origin) ?? error;
    });
    const reply = await this.#ledger.track(sent, () => key);
    onReply?.(reply);
    const incident = replyIncident(origin.phase, request, reply);
    if (incident !== undefined) this.#ledger.count(incident);
    return this.#countedReply(key, origin.phase, reply);
  }

  /** Adds a reply to the ledger. Returns it without thinking in its text, and without its source: no method may act on that. */
  #countedReply(key: Key, phase: PhaseAt, { source, ...reply }: ModelReply): ModelReply {
    this.#ledger.addReply(key, phase, reply);
    if (source !== "store") this.#ledger.hasBought = true;
    const text = stripReasoning(reply.text);
    if (text === reply.text) return reply;
    this.#ledger.count("thinking-in-text");
    return { ...reply, text };
  }

  shared<T>(key: string, build: (kit: Kit) => Promise<T>, made?: SharedContent): Promise<T> {
    const context = this.#context;
    const values = made === undefined ? context.shared : (context.sharedByContent ?? context.shared);
    const name = made === undefined ? key : `${key} ${made.content}`;
    const value = values.get(name) ?? (made === undefined ? builtInArm : builtByContent)(key, build, context);
    values.set(name, value);
    return this.#ledger.track(value as Promise<T>, () => name); // a key has one builder, and so one type
  }

  program(kit: Kit, ...asked: Parameters<Kit["program"]>): Promise<string> {
    const { once, signal, stop, track, spec, model, explain } = this.#context;
    const { unit, question } = this.#place;
    const settings = completeRequest({ messages: [] }, this.#context, spec.options); // effort, temperature, repeat
    const program = new ProgramAnswers({
      kit,
      once,
      signal,
      stop,
      track,
      repeat: spec.repeat,
      ledger: this.#ledger,
      settings: requestKey(model.id, settings),
      modelAt: (phase) => modelOf(phase, spec),
      open: () => openKit(this.#context, unit, question),
      explain: (error) => explain?.(error, { ...this.#place, phase: "answer" }) ?? error,
    });
    return program.answer(...asked);
  }
}

const trackedEmbedder = (embedder: Embedder, ledger: Ledger): Embedder => ({
  id: embedder.id,
  get dimensions() {
    return embedder.dimensions;
  },
  embed: (texts) => ledger.track(embedder.embed(texts), () => contentId({ embed: texts })),
});

const trackedTool = (tool: Tool | undefined, ledger: Ledger): Tool | undefined =>
  tool && { ...tool, run: (input, use) => ledger.track(tool.run(input, use), () => contentId({ [tool.name]: input })) };

type Build<T> = (kit: Kit) => Promise<T>;

/** Builds a value for all units of an arm. Its calls get a ledger of their own: no unit is charged for them. */
async function builtInArm<T>(key: string, build: Build<T>, context: ArmContext): Promise<T> {
  const { kit, ledger, close } = openKit(context, "");
  try {
    return await ledger.whole(build(kit));
  } finally {
    close();
    context.onShared?.(key, ledger); // a failed build has cost calls, too
  }
}

/** Builds a value for several arms. Throws if the build makes calls, notes or counts: the other arms would lack them. */
async function builtByContent<T>(key: string, build: Build<T>, context: ArmContext): Promise<T> {
  const { kit, ledger, close } = openKit(context, "");
  const value = await ledger.whole(build(kit)).finally(close);
  if (!ledger.isEmpty()) throw new Error(`shared value ${key} is shared by its content but asks, notes or counts`);
  return value;
}

/** Returns what a method asks as a request to a model; `settings` are the options that the model takes part in. */
function completeRequest(
  asked: Omit<AskRequest, "of">,
  { spec, task, temperature }: ArmContext,
  settings: ArmSpec["options"],
): ModelRequest {
  const { "model.effort": effort, "model.answerTokens": minAnswerTokens } = readOptions(modelOptions, settings);
  const { maxTokens = task.maxAnswerTokens, temperature: ownTemperature, draw = 0, ...rest } = asked;
  return {
    ...rest,
    maxTokens: Math.max(maxTokens, minAnswerTokens),
    ...(minAnswerTokens > maxTokens ? { usualTokens: maxTokens } : {}),
    ...(effort === "auto" ? {} : { effort }),
    ...defined({ temperature: ownTemperature ?? temperature }),
    sample: spec.repeat * DRAWS_PER_REPEAT + draw,
  };
}

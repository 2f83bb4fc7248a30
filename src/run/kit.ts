import { type Key, requestKey } from "../log/entry.js";
import { seeded } from "../random/seeded.js";
import { phaseAt } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { stripReasoning } from "../text/strip-reasoning.js";
import type {
  AskRequest,
  Cell,
  Embedder,
  Kit,
  Model,
  ModelReply,
  ModelRequest,
  ModelRole,
  Note,
  OthersPool,
  Phase,
  PhaseAt,
  SharedContent,
  Spend,
  TaskBrief,
  Tool,
} from "../types/index.js";
import type { Asked, Programs } from "./outside/answers.js";
import { DRAWS_PER_REPEAT } from "./outside/store.js";
import { modelOptions } from "./plan/options.js";
import { SpendMeter } from "./spend.js";
import type { Waits, Worker } from "./waits.js";

/** Traces name calls by the first digits of their key. */
export const CALL_ID_LENGTH = 16;

/** What a call was made for. */
export interface CallOrigin {
  readonly cell: string;
  /** Empty for what all units of a cell share. */
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  readonly phase: PhaseAt;
}

/** What one unit or one question did: kept beside its row. */
export interface Ledger {
  spend(): Spend;
  incidents(): Readonly<Record<string, number>>;
  /** Content ids of the requests made, sorted, each as often as it was answered, once where it never was. */
  requests(): readonly string[];
  /** Steps of the trajectory, in the order noted. */
  notes(): readonly Note[];
  simulated(): boolean;
}

/** What all kits of one cell have in common. */
export interface ArmContext {
  readonly model: Model;
  readonly cell: Cell;
  readonly task: TaskBrief;
  /** The further models that the method's plan has calls of; it may ask no other. Absent: it is not looked at. */
  readonly roles?: ReadonlySet<ModelRole>;
  /** The models that the cell names besides. */
  readonly further?: Readonly<Partial<Record<ModelRole, Model>>>;
  readonly embedder: Embedder;
  readonly others: OthersPool;
  readonly tool: ToolOf;
  /** Ranks the history of the unit at hand. Absent: there is none. */
  readonly retrieve?: Kit["retrieve"];
  /** Told of what is out besides model calls. Absent: nobody waits for it. */
  readonly out?: <T>(job: Promise<T>) => Promise<T>;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
  readonly signal: AbortSignal;
  /** Counts who waits for replies. Absent: nobody asks. */
  readonly waits?: Waits;
  /** Answers of programs. Absent: each is asked anew. */
  readonly programs?: Pick<Programs, "find" | "answered" | "failed">;
  /** Texts of the files that options name, by the name that the run gives them. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string>;
  readonly shared: Map<string, Promise<unknown>>;
  /** Values with a content id, of all cells with this pool. Absent: the cell keeps them alone. */
  readonly common?: Map<string, Promise<unknown>> | undefined;
  /** Called once for every shared value, built or failed, before its first user gets it. */
  readonly onShared?: (key: string, ledger: Ledger) => void;
  /** Gives the error of a failed call another text, from what the call was made for. Undefined, or no `explain`: the error stays as it is. */
  readonly explain?: (error: unknown, asked: CallOrigin) => Error | undefined;
  /** Called with every request before it is sent; the function it returns is called with the reply. */
  readonly onAsk?: (request: ModelRequest, asked: CallOrigin) => (reply: ModelReply) => void;
}

/** The tool of this name, for one preparation or question. */
export type ToolOf = (name: string, at: Omit<CallOrigin, "phase">) => Tool | undefined;

/**
 * A kit for one unit (`question` absent), one question of it, or the whole cell (`user` empty), and the ledger of what was
 * done with it. `worker`: who works with it.
 */
export function openKit(
  context: ArmContext,
  user: string,
  question?: string,
  worker?: Worker,
): { kit: Kit; ledger: Ledger } {
  const spend = new SpendMeter();
  const incidents = new Map<string, number>();
  /** How often each was answered, by key. */
  const requests = new Map<string, number>();
  const notes: Note[] = [];
  let simulated = false;
  const { cell, task } = context;
  const { model } = context;
  const models = { reference: furtherModel("reference"), judge: furtherModel("judge") };
  const scope = question === undefined ? user : `${user}/${question}`;
  const seed = `${cell.seed}/${cell.task}/${cell.method}/${scope}`;
  const place = { cell: cell.id, unit: user, ...(question === undefined ? {} : { question }) };
  const waited = <T>(reply: Promise<T>): Promise<T> => (worker === undefined ? reply : worker.waitFor(reply));

  const kit: Kit = {
    task,
    model: { id: model.id, capabilities: model.capabilities },
    models,
    embedder: context.embedder,
    async retrieve(query, k) {
      if (user === "" || context.retrieve === undefined) throw new Error("retrieve: there is no user's history here");
      return context.retrieve(query, k);
    },
    embed: (texts) => context.embedder.embed(texts),
    others: context.others,
    file(name) {
      const text = context.files?.get(name);
      if (text === undefined) throw new Error(`no option of the cell names the file ${name}`);
      return text;
    },
    tool: (name) => context.tool(name, place),
    random: (label) => seeded(`${seed}/${label}`),
    runRandom: (label) => seeded(`${cell.seed}/${cell.task}/${cell.method}//${label}`),
    async ask(phase: Phase, { of, ...asked }: AskRequest): Promise<ModelReply> {
      if (of !== undefined && context.roles?.has(of) === false)
        throw new Error(
          `${cell.method} asks its ${of} model, and its plan has no calls of it: name "${phase}@${of}" there`,
        );
      const further = of === undefined ? undefined : context.further?.[of];
      const answering = further ?? model;
      const at = phaseAt(phase, further === undefined ? undefined : of);
      const origin = { ...place, phase: at };
      const request = completeRequest(asked, context, further === undefined);
      const id = requestKey(answering.id, request);
      requests.set(id, requests.get(id) ?? 0);
      const onReply = context.onAsk?.(request, origin);
      const reply = await waited(answering.complete(request, context.signal)).catch((error: unknown) => {
        throw context.explain?.(error, origin) ?? error;
      });
      onReply?.(reply);
      return book(id, at, reply);
    },
    async program(job, answer): Promise<string> {
      const { programs } = context;
      if (programs === undefined) return answer(cell.repeat);
      const beside = requestKey(model.id, completeRequest({ messages: [] }, context, true));
      const key = contentId({ program: job, beside });
      let known: ReturnType<typeof programs.find>;
      try {
        known = programs.find(key, model.id);
      } catch (error) {
        throw context.explain?.(error, { ...place, phase: "answer" }) ?? error;
      }
      if (known !== undefined) {
        for (const [id, reply] of known.replies) book(id, "answer", reply);
        for (const id of known.unanswered) requests.set(id, requests.get(id) ?? 0);
        return known.output();
      }
      try {
        const answered = answer(cell.repeat);
        const output = await waited(context.out?.(answered) ?? answered);
        return await programs.answered(key, output, askedOf(requests));
      } catch (error) {
        await programs.failed(key, error, askedOf(requests));
        throw error;
      }
    },
    shared<T>(key: string, build: (kit: Kit) => Promise<T>, made?: SharedContent): Promise<T> {
      const known = made === undefined ? context.shared : (context.common ?? context.shared);
      const name = made === undefined ? key : `${key} ${made.content}`;
      const existing = known.get(name);
      if (existing !== undefined) return waited(existing as Promise<T>); // one builder per key, so one type per key
      const built = made === undefined ? buildShared(key, build, context) : commonValue(key, build, context);
      known.set(name, built);
      return waited(built);
    },
    note: (note) => {
      notes.push(note);
    },
    count: (incident) => {
      incidents.set(incident, (incidents.get(incident) ?? 0) + 1);
    },
  };
  const ledger: Ledger = {
    spend: () => spend.total(),
    incidents: () => Object.fromEntries([...incidents].sort(([a], [b]) => (a < b ? -1 : 1))),
    requests: () =>
      [...requests]
        .flatMap(([key, answers]) => Array<string>(Math.max(1, answers)).fill(key.slice(0, CALL_ID_LENGTH)))
        .sort(),
    notes: () => notes,
    simulated: () => simulated || model.simulated,
  };
  return { kit, ledger };

  function book(key: Key, at: PhaseAt, reply: ModelReply): ModelReply {
    requests.set(key, (requests.get(key) ?? 0) + 1);
    spend.add(at, reply.usage);
    if (reply.simulated === true) simulated = true;
    else if (reply.usage.estimated === true) kit.count("usage-estimated");
    if (reply.inputChanged !== undefined) kit.count("input-changed-by-server");
    const text = stripReasoning(reply.text);
    if (text === reply.text) return reply;
    kit.count("thinking-in-text");
    return { ...reply, text };
  }

  function furtherModel(role: ModelRole): Kit["model"] {
    const { id, capabilities } = context.further?.[role] ?? model;
    return { id, capabilities };
  }
}

/** The calls of a kit, by how often each was answered. */
function askedOf(requests: ReadonlyMap<Key, number>): Asked {
  const unanswered = [...requests].flatMap(([key, answers]) => (answers === 0 ? [key] : []));
  return {
    asked: [...requests].flatMap(([key, answers]) => Array<Key>(answers).fill(key)),
    ...(unanswered.length === 0 ? {} : { unanswered }),
  };
}

/** What building asks and counts goes into a ledger of the shared value, not into that of the unit that happened to come first. */
async function buildShared<T>(key: string, build: (kit: Kit) => Promise<T>, context: ArmContext): Promise<T> {
  const worker = context.waits?.worker();
  const { kit, ledger } = openKit(context, "", undefined, worker);
  try {
    return await build(kit);
  } finally {
    worker?.end();
    context.onShared?.(key, ledger); // a failed build has cost calls too
  }
}

/** Built once for all cells that share what it is made of. */
async function commonValue<T>(key: string, build: (kit: Kit) => Promise<T>, context: ArmContext): Promise<T> {
  const worker = context.waits?.worker();
  const { kit, ledger } = openKit(context, "", undefined, worker);
  const value = await build(kit).finally(() => worker?.end());
  if (ledger.requests().length + ledger.notes().length + Object.keys(ledger.incidents()).length > 0)
    throw new Error(
      `shared value ${key} is shared by its content but asks, notes or counts: other cells would lack that`,
    );
  return value;
}

/** `answering`: the request is to the model that answers, which the knobs of thinking are about. */
function completeRequest(asked: AskRequest, { cell, task, temperature }: ArmContext, answering: boolean): ModelRequest {
  const knobs = readOptions(modelOptions, answering ? cell.options : {});
  const { "model.effort": effort, "model.answerTokens": room } = knobs;
  const { maxTokens, temperature: ownTemperature, draw, ...rest } = asked;
  const wanted = ownTemperature ?? temperature;
  return {
    ...rest,
    maxTokens: Math.max(maxTokens ?? task.maxAnswerTokens, room),
    ...(effort === "auto" ? {} : { effort }),
    ...(wanted === undefined ? {} : { temperature: wanted }),
    sample: cell.repeat * DRAWS_PER_REPEAT + (draw ?? 0),
  };
}

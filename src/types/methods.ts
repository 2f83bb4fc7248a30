import type { Json, Note } from "../notes/note.js";
import type { Event, Question, Turn, Unit, User } from "./data.js";
import type { Message, Model, ModelReply, ModelRole, Phase, PhaseAt, ToolSpec } from "./models.js";
import type { Options, OptionTable } from "./options.js";
import type { Embedder, Random, RetrieverDocument } from "./retrieval.js";
import type { TaskBrief } from "./tasks.js";

export interface AskRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: "auto" | "none";
  /** Default: the task's answer budget. */
  readonly maxTokens?: number;
  /** Default: the run's temperature. */
  readonly temperature?: number;
  readonly stop?: readonly string[];
  readonly logprobs?: number;
  /** Draw number when one question is sampled several times. Default 0. */
  readonly draw?: number;
  /**
   * Length, in characters, of the beginning of the first message that other questions share: a provider's cache keeps it from the
   * second such call on. Default 0: only the system prompt is shared.
   */
  readonly opening?: number;
  /** Role of the model that is asked. Absent, or where the run sets no model for it: the answering model. */
  readonly of?: ModelRole;
}

/** An event of the pool and the id of its user. */
export interface PoolEvent {
  readonly owner: string;
  readonly event: Event;
}

/** Other users' histories, never a test user's questions. Events without a label are in it: a method that needs labels leaves them out. */
export interface OthersPool {
  /** `training users`, `leave-one-out`, or `training users and leave-one-out`. */
  readonly kind: string;
  /** Tells whether nobody else has a history. Cheap: gathers nobody's. */
  readonly isEmpty: boolean;
  /** Size of the smallest pool of any test user, ignoring dates. */
  readonly size: number;
  /** The labelled ones among these. */
  readonly labelled: number;
  /** Everybody's, in a fixed order: the same array of the same things as long as the pool lives. */
  readonly events: readonly PoolEvent[];
  /**
   * A test on indexes of `events`: may the user see that event for a question of that date? None of the user's own, and none dated later
   * where the data are dated. Costs nothing in the size of the pool.
   */
  visibleTo(user: string, date?: string): (index: number) => boolean;
  /** Those of `events` that are visible, in their order. Walks the whole pool. */
  eventsFor(user: string, date?: string): readonly PoolEvent[];
}

/** The content of a value shared by several arms. Only for values that are built without calls, notes or incidents. */
export interface SharedContent {
  /** Content id of all that goes into the value, the version of its building included. */
  readonly content: string;
}

/** The part of a model that a method knows. */
export type KnownModel = Pick<Model, "id" | "capabilities">;

/** Everything that a method can reach. Scoped: the engine hands out one per unit and one per question. */
export interface Kit {
  readonly task: TaskBrief;
  readonly model: KnownModel;
  /** The run's further models; the one that answers where none is named. */
  readonly models: Readonly<Record<ModelRole, KnownModel>>;
  readonly embedder: Embedder;
  readonly others: OthersPool;
  /** The `k` best matching events of the user's history, best first: BM25, as LaMP ranks. In the kit of `shared`: none. */
  retrieve(query: Question | string, k: number): Promise<readonly Event[]>;
  /** One vector a text by the run's encoder. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  /** The text of a file that an option names, as it was when the run was planned. */
  file(name: string): string;
  /** A tool that calls out (`wikipedia`), provided by the engine; undefined when it is switched off. */
  tool(name: string): Tool | undefined;
  /** A stream seeded by run seed, method, user (and question) and the label: another label, an independent stream. */
  random(label: string): Random;
  /** The same for all users: seeded by run seed and method only (e.g. ICL's fixed demos). */
  runRandom(label: string): Random;
  ask(phase: Phase, request: AskRequest): Promise<ModelReply>;
  /**
   * Returns an answer from outside that is none of the run's models, e.g. a program's. `answer` is called once; its text, and the calls
   * and incidents of the kit that it gets, are taken from the run's log afterwards. `job`: all that it depends on besides the model and
   * the repeat. `again`: a program that has lost what it learned is called again: where its calls differ, they replace those in the log.
   */
  program(job: Json, answer: (kit: Kit, use: ProgramUse) => Promise<string>, again?: "again"): Promise<string>;
  /**
   * Builds once per arm, whoever asks first. `build` gets a kit of the arm, so that its calls and incidents belong to no unit. With a
   * content id the value is built once for all arms of the run with this pool of others, and `build` may ask, note and count nothing.
   */
  shared<T>(key: string, build: (kit: Kit) => Promise<T>, made?: SharedContent): Promise<T>;
  /** Keeps a step of the trajectory (traces, personas, retrieved ids). */
  note(note: Note): void;
  /** Counts an incident by name (`fallback=prompt`, `summary-empty`), shown in tables' footnotes. */
  count(incident: string): void;
}

export interface ProgramUse {
  /** From 0. */
  readonly repeat: number;
  /** To be called where all its calls go through the kit. Not called: its calls, tokens and cost are lower bounds. */
  allCounted(): void;
}

/** Answers one user's questions. What was learned lives in the closure. */
export interface Answerer {
  (question: Question, kit: Kit): Promise<string>;
  /**
   * Prequential mode (`--online`): lets an answered question, now with its gold label, enter what the method remembers.
   * Absent: the method remembers nothing that could grow.
   */
  learn?(event: Event, kit: Kit): Promise<void>;
  /**
   * In a dialogue: lets a turn enter what the method remembers, after its answer where `wasQuestion` is true. Absent: the turn
   * is learned as an event; where there is no `learn` either, nothing of it is kept.
   */
  observe?(turn: Turn, wasQuestion: boolean, kit: Kit): Promise<void>;
}

/**
 * Calls by phase; fewest (`low`) and most (`high`); they differ where a loop has no fixed length. A phase `x@role` counts as
 * `x` where the run sets no model for the role (`plannedIn` of registry/further-models.ts).
 */
export type CallRange = Readonly<Record<PhaseAt, { readonly low: number; readonly high: number }>>;

/** Call counts of a method before it runs, for `--dry-run` and for the tests of METHODS 0.4. */
export interface CallPlan {
  /** To prepare one unit. */
  perUnit(history: readonly Event[]): CallRange;
  perQuestion(): CallRange;
  /** For an answered question that enters memory (`--online`). Absent: nothing. */
  perLearned?(): CallRange;
  /** For a turn of a dialogue that is remembered. Absent: as `perLearned`. */
  perObserved?(wasQuestion: boolean): CallRange;
  /** For what all units of an arm share. Absent: nothing. */
  perArm?(): CallRange;
}

export interface Method<T extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly options: T;
  personalize(user: User, options: Options<T>, kit: Kit): Promise<Answerer>;
  plan(options: Options<T>): CallPlan;
  /** Throws UsageError on settings that make no sense for the task. Whoever plans a run asks before the first call. */
  check?(options: Options<T>, task: TaskBrief): void;
  /** Says why it says nothing on this task, in half a sentence; undefined where it applies. Such a method is left out of the run and has a dash. */
  unfit?(task: TaskBrief): string | undefined;
  /** True where it may call models that the run does not see (a program of the user's): what it spends there is unknown. */
  readonly callsElsewhere?: true;
  /** The files that its answers were taken from, one a repeat, and whether a simulated model made them (`lamp-eval import`). */
  readonly imported?: {
    readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
    readonly simulated: boolean;
  };
  /** True when the questions of one user must be answered one after the other, in date order. */
  sequential?(options: Options<T>): boolean;
  /** Requirements before the first call: tools of the run, by name; and a model that can call tools, where the method runs agents. */
  needs?(options: Options<T>): { readonly tools: readonly string[]; readonly agent: boolean };
  /**
   * Tells whether the method reads the pool of other users, or only the `labelled` of their events: a pool without any is then
   * an error before the first call.
   */
  usesOthers?(options: Options<T>): boolean | "labelled";
  /** Tells whether it asks the run's embedder. Undefined or absent: as the selector says that its options name. */
  embeds?(options: Options<T>): boolean | undefined;
  /** Remarks on these settings for a reader of its tables, a sentence each. */
  remarks?(options: Options<T>): readonly string[];
  /** Of an ablation: the name of the full method, `persona-agent`. */
  readonly ablates?: string;
}

/** Something an agent can call. */
export interface Tool extends ToolSpec {
  /** True where the tool keeps `use.timeoutMs` itself, because waiting for its turn must not count. */
  readonly timesItself?: boolean;
  /** The observation. `input` is whatever the model sent: an object, or a bare string. Throws an Error with a short message on failure. */
  run(input: Json, use: ToolUse): Promise<string>;
}

/** Everything that one call of a tool may reach. */
export interface ToolUse {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  note(note: Note): void;
  count(incident: string): void;
}

/** A history event that was chosen, and why. */
export interface SelectedItem {
  readonly event: Event;
  /** A few words for whoever reads the transcript: `rank 1`, `named by the model`. */
  readonly reason: string;
  readonly score?: number;
}

export interface SelectionResult {
  /** Best first. Empty: nothing of the history is shown. */
  readonly chosen: readonly SelectedItem[];
  /** Reason why nothing was chosen, where that was decided. */
  readonly abstained?: string;
}

/** What history events are chosen for. */
export interface SelectionRequest {
  readonly question: Question;
  /** The question's retrieval query, or an agent's own words. */
  readonly query: string;
  /** Most events. */
  readonly k: number;
  /** The prompt with these events shown, best first. */
  prompt(events: readonly Event[]): string;
}

/** Chooses among one history. */
export interface OpenSelector {
  (ask: SelectionRequest, kit: Kit): Promise<SelectionResult>;
  /** Lets one more event in, behind the others. */
  add(event: Event, kit: Kit): Promise<void>;
}

/** What a method tells a selector of its events. */
export interface SelectorContext {
  document(event: Event): RetrieverDocument;
  /** Cuts documents and queries into tokens. */
  readonly tokenize: (text: string) => string[];
  /** Label of the random stream. */
  readonly stream: string;
  /** The file that the run gives, for a selector that takes one: its name for `Kit.file`. */
  readonly argument?: string;
}

/**
 * Decides which history events are shown for a question. It may ask a model and see labels; it may choose fewer than asked for, or
 * nothing. A retriever is one kind of it.
 */
export interface Selector<T extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** Options: part of an arm that names this selector. */
  readonly options: T;
  /** True where it needs a file behind its name: `select=file:PATH`. */
  readonly takes?: "file";
  /** True where each choice has a score that says how well it matches. */
  readonly scores?: true;
  /** Tells whether it asks the run's embedder. Absent: no. */
  embeds?(options: Options<T>): boolean;
  open(history: readonly Event[], options: Options<T>, use: SelectorContext, kit: Kit): Promise<OpenSelector>;
  /** Calls of one selection. Absent: none. */
  plan?(options: Options<T>): CallRange;
  /** Calls for what all users of an arm share. Absent: none. */
  planArm?(options: Options<T>): CallRange;
  /**
   * Throws UsageError on a file that does not fit the data, before the first call. Gives what is worth a line, though no mistake;
   * undefined: nothing. `task`: its name.
   */
  checkFile?(text: string, name: string, units: Iterable<Unit>, task: string): string | undefined;
}

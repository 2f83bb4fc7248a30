/**
 * The vocabulary of lamp-eval: every idea of the program, types only.
 * A Task words questions; a Method meets one User and answers that user's Questions through a Kit;
 * a Model completes requests; the engine turns (Cell, Unit) into Rows; reports turn Rows into tables.
 */

import type { Json } from "./json.js";
import type { Hear } from "./limit-facts.js";
import type { Note, StoredNote } from "./notes/note.js";
import type { Registry } from "./registry.js";

export type { Json, Note };

// ---------------------------------------------------------------- data

/** One profile item as it stands in the file: every value a string, `id` always present, `date` when the file has one. */
export type RawItem = Readonly<Record<string, string>> & { readonly id: string };

/** One test question as it stands in the file. `gold` is absent when the file has none: such a question is never scored. */
export interface RawQuery {
  readonly id: string;
  readonly input: string;
  readonly gold?: string;
  /** `YYYY-MM-DD` or `YYYY`. */
  readonly date?: string;
  /** The question's own profile window, where the file gives one per question (official LaMP files). Oldest first. */
  readonly profile?: readonly RawItem[];
  /** Turns of a dialogue since the question before, that nobody is asked about. */
  readonly before?: readonly Turn[];
}

/** A line that a user says in a dialogue, and what was answered. */
export interface Turn {
  readonly id: string;
  readonly date?: string;
  readonly said: string;
  /** By the method itself where it was asked, else by whoever did. Absent: nobody, or the answer failed. */
  readonly reply?: string;
}

export interface UserData {
  readonly id: string;
  /** Oldest first (file order where there are no dates). Empty when every query brings its own window. */
  readonly profile: readonly RawItem[];
  readonly queries: readonly RawQuery[];
}

/** A loaded data set of one task: what `data/` hands to `cli/`. */
export interface Dataset {
  /** Short name for tables, e.g. the folder name, or `demo`. */
  readonly name: string;
  /** Canonical task name (`lamp3`). */
  readonly task: string;
  /** Of a large data set read again whenever they are asked for. */
  readonly users: Sequence<UserData>;
  /** Training users of the split (pool of ICL and of the graph). Absent: the data set has none. */
  readonly others?: readonly UserData[];
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** Whether profile order is chronological (false in user-based LaMP splits, where it is random). */
  readonly ordered: boolean;
  /** Resolved choices and counts worth stating in the manifest, e.g. `lamp1.labels: citation`. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** One past interaction of a user. */
export interface Event {
  readonly id: string;
  readonly date?: string;
  /** The raw item's own fields (title, abstract, text, description, ...). */
  readonly fields: RawItem;
  /** What a question about this event would ask about (METHODS 0.2). */
  readonly content: string;
  /** LaMP retrieval document. The label is in it only where LaMP has it so (titles of LaMP-4 and 5, the text of LaMP-7). */
  readonly document: string;
  /** What the user did, in the form of the task's answers. Absent where the data have none (stock LaMP-1). */
  readonly label?: string;
}

/** What a method may see of a test question: no gold here. */
export interface Question {
  readonly id: string;
  /** The raw LaMP input. */
  readonly text: string;
  /** The item inside the input (the text after the marker). */
  readonly content: string;
  /** LaMP retrieval query. */
  readonly query: string;
  readonly date?: string;
}

export interface Example {
  readonly question: Question;
  readonly gold?: string;
  /** Turns of a dialogue that are remembered before the question, and not asked. */
  readonly before?: readonly Turn[];
}

/** Things in a fixed order, that may be made anew whenever they are asked for; an array is one. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

export interface User {
  readonly id: string;
  /** The visible past, oldest first. */
  readonly history: readonly Event[];
}

/** Questions of one user that share one visible past: what a method is personalized for. */
export interface Unit {
  /** `user` or `user#2` when a user's questions see different pasts. Unique in a data set. */
  readonly id: string;
  readonly user: User;
  readonly examples: readonly Example[];
}

// ---------------------------------------------------------------- tasks and metrics

/** `unparsed` is a fact about a reply, never a score. */
export type Reading = { readonly kind: "answer"; readonly answer: string } | { readonly kind: "unparsed" };

/** A task's wording: all that a method may know of it. */
export interface TaskBrief {
  /** As typed on the command line: `lamp2m`. */
  readonly name: string;
  /** `LaMP-2M: personalized movie tagging`. */
  readonly title: string;
  readonly kind: "label" | "rating" | "text";
  /**
   * True where the questions of a user are the turns of one dialogue: asked in order, each remembered after its answer. The past
   * then is the persona: sentences that hold of the user. Golds are for scores and judges, and never enter memory.
   */
  readonly dialogue?: true;
  /** True where past items say nothing of what would be answered: no event has a label. */
  readonly unlabelled?: true;
  /** Official order; empty for text tasks. */
  readonly labels: readonly string[];
  /** One-word noun of what is answered: `tag`, `category`, `score`, `headline`, `title`, `reference`. */
  readonly answerNoun: string;
  /** One-word noun of the item: `movie`, `article`, `review`, `paper`. */
  readonly itemNoun: string;
  /** Answer budget in tokens (METHODS 0.4: 64 labels, 128 titles). */
  readonly maxAnswerTokens: number;
  /** What the summary of a history must state, for profile-augmented methods (METHODS 4). */
  readonly summary: SummaryWording;
  /** Official prompt strings (`lamp`, `oppu`), by style name. */
  readonly styles: Readonly<Record<string, PromptStyle>>;
  /** One line a person or a model can read: date, content, the user's label. */
  show(event: Event): string;
  /** The line of an event in the material of a summary, where `show` tells things there that nobody explains. Absent: `show`. */
  list?(event: Event): string;
  /** The question this event would have been, in the wording of `like` (a real question of the task) or the task's own. Undefined where the event has no label. */
  pose(event: Event, like?: Question): Question | undefined;
}

export interface SummaryWording {
  /** Instruction, own words after OPPU's requirements. */
  readonly instruction: string;
  /** The mode in OPPU's fixed form (`most popular tag: comedy`); undefined for free text tasks. */
  exact?(history: readonly Event[]): string;
  /** Every text that `exact` could have been, had ties been told otherwise. Absent: that one alone. */
  exactForms?(history: readonly Event[]): readonly string[];
  /** The whole label distribution as text; undefined for free text tasks. */
  counts?(history: readonly Event[]): string;
  /** Names of the fields of a profile of preferences; absent: general ones. */
  readonly fields?: readonly string[];
}

/** Official prompt strings, kept apart because they are interoperability strings, not our wording. */
export interface PromptStyle {
  readonly name: string;
  readonly source: string;
  /** Text that retrieval indexes for an event, and text that it searches with. */
  document(event: Event): string;
  query(question: Question): string;
  /** How both are cut into tokens (LaMP: Python str.split(); OPPU: split on one space). */
  tokenize(text: string): string[];
  /** The full prompt with `events` best first. `prefix` (a profile summary) is placed where the style places it. */
  assemble(question: Question, events: readonly Event[], settings: AssembleSettings): string;
  /** The style's own request for a profile summary, each field cut to so many words. Absent: the task's SummaryWording. */
  profile?(events: readonly Event[], fieldMaxWords: number): string;
}

export interface AssembleSettings {
  readonly prefix?: string;
  /** LaMP's token budget; 0 = unlimited. */
  readonly maxTokens: number;
  /** Cut each item to so many words; 0 = unlimited. */
  readonly itemMaxWords: number;
  readonly tokenizer?: Tokenizer;
}

/** A model tokenizer as the LaMP scripts use one. Lengths include the end-of-sequence token. */
export interface Tokenizer {
  count(text: string): number;
  /** The first `max` tokens (end-of-sequence included in `max`), decoded. Throws when max < 0. */
  cut(text: string, max: number): string;
}

export interface Task extends TaskBrief {
  /** Paper or file that fixes wording, labels and scoring. */
  readonly source: string;
  /** The name inside official files: `LaMP_3`. */
  readonly official: string;
  /** Further accepted spellings, matched case-insensitively with `-` and `_` equal. */
  readonly aliases: readonly string[];
  /** Fields every profile item must have, for data checks. */
  readonly fields: readonly string[];
  event(item: RawItem): Event;
  question(query: RawQuery): Question;
  /** Official reading: what the benchmark's own script accepts. */
  strict(reply: string): Reading;
  /** Reading that forgives wrapping (METHODS 0.3). */
  lenient(reply: string, question: Question): Reading;
  /** First is the headline. */
  readonly metrics: readonly Metric[];
  /**
   * Present where a question is a choice between two titles (LaMP-1): reads one, undefined where the input is not in that form.
   * Past items of such a task carry no label of their own; the data layer builds `option1`, `option2`, `label` (METHODS 0.2).
   */
  choice?(input: string): { readonly title: string; readonly options: readonly [string, string] } | undefined;
}

export interface Pair {
  readonly prediction: string;
  readonly gold: string;
  /** Numbers of metrics that another program counted, by metric. Absent: there are none. */
  readonly given?: Readonly<Record<string, number>> | undefined;
}

/**
 * A corpus metric as a function of per-pair sums, so that leaving users out needs no second pass over texts.
 * score(pairs) = value(sum of contributions, number of pairs).
 */
export interface Metric {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  readonly source: string;
  /** True where its numbers are not made of texts but come with the pair (`Pair.given`). */
  readonly given?: true;
  /** Length of a pair's contribution. */
  readonly width: number;
  /**
   * The largest value of a single pair, where the metric is a mean of values from 0 up to it, or the root of the mean of their
   * squares; absent where none is known.
   */
  readonly most?: number;
  /** The labels, where the metric is a mean over labels. */
  readonly labels?: readonly string[];
  /** Adds the pair's contribution to sums[offset .. offset+width). Throws ScoreError where the official script crashes. */
  add(pair: Pair, sums: Float64Array, offset?: number): void;
  value(sums: Float64Array, count: number): number;
  /**
   * Derivative of `value` by each sum: how a gate judges a metric that is no mean over questions. Absent: its score is shown and
   * compared, but a gate can claim no more than these answers.
   */
  slopes?(sums: Float64Array, count: number): Float64Array;
}

// ---------------------------------------------------------------- models

export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: "auto" | "none";
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  /** How many alternatives per token are wanted. */
  readonly logprobs?: number;
  /** How much the model is to think: `none` to `max`. Absent: as its provider's code finds right. */
  readonly effort?: string;
  /** Repeat number: part of the cache key, never sent. */
  readonly sample: number;
  /** How many replies are drawn to this prompt in all, from this sample number on. Absent: one. No part of the cache key. */
  readonly samples?: number;
}

export type Message =
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** The provider's own blocks of this turn, sent back unmodified (signed thinking blocks). */
      readonly opaque?: Json;
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Json;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; a string when the model sent something that is not JSON. */
  readonly arguments: Json;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError?: boolean;
}

export type StopReason = "end" | "tool" | "length" | "stop-sequence" | "refusal" | "other";

export interface Usage {
  /** Prompt tokens, cache reads and writes included. */
  readonly in: number;
  readonly out: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly thinking?: number;
  /** True when counted by us (characters / 4), not by the provider. */
  readonly estimated?: boolean;
  /** What the provider says that it billed for the call, US dollars (OpenRouter's `usage.cost`). */
  readonly billedUsd?: number;
  /** Set where the request went out in a batch, at a batch's price. */
  readonly batch?: true;
}

export interface TokenLogprob {
  readonly token: string;
  /** Natural log. */
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
}

export interface ModelReply {
  /** Text blocks joined, reasoning blocks left out. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model id that the provider says it used; empty where it says none. */
  readonly model: string;
  readonly logprobs?: readonly TokenLogprob[];
  readonly opaque?: Json;
  /** What the server says that it took out of the prompt, in its own words. */
  readonly inputChanged?: Json;
  readonly simulated?: boolean;
  /** Further replies of the same request, where several were asked for and the wire can do it. Never stored. */
  readonly others?: readonly ModelReply[];
}

/** What a model family can do; an unsupported parameter follows `--unsupported`. */
export interface Capabilities {
  readonly temperature: boolean;
  readonly stop: boolean;
  readonly tools: boolean;
  readonly prefill: boolean;
  readonly logprobs: boolean;
  readonly thinking: "none" | "optional" | "always";
  /** Whether one request may bring several replies. Absent: one each. */
  readonly samples?: true;
  /** The provider's prompt cache: the shortest prefix that it keeps, and how many bytes go into a token. Absent: none is steered. */
  readonly cache?: { readonly minTokens: number; readonly bytesPerToken: number };
}

/** What is known of one server of a model from its replies and refusals: kept in the manifest. */
export interface ServerFacts {
  readonly api: "chat" | "responses" | "messages" | "converse";
  /** How bodies are written since a refusal: `max_tokens is max_completion_tokens`, `without temperature`. */
  readonly changed?: readonly string[];
  /** The field that bounds a reply. */
  readonly limit?: string;
  /** Whether replies tell their tokens. */
  readonly usage?: boolean;
  /** The field in which reasoning comes. */
  readonly reasoning?: string;
  /** The form of log probabilities, where they were asked for. */
  readonly logprobs?: "list" | "columns" | "none";
  /** True once it has called a tool. */
  readonly tools?: true;
  /** Names of the headers that tell its limits. */
  readonly rateHeaders?: readonly string[];
  /** The provider's own record of the model: most tokens in and out, and when it ends (RFC 3339). */
  readonly record?: { readonly in?: number; readonly out?: number; readonly retires?: string };
}

/** One server of a model: how it differs from what its protocol says, as far as it has shown. */
export interface ModelEndpoint {
  readonly facts: ServerFacts;
  /** Parameters that the run asked for and that are not sent, in alphabetical order. */
  readonly notApplied: readonly string[];
  /** Takes over what an earlier process learned of it. */
  recall(facts: ServerFacts): void;
}

export interface Model {
  /** `provider/model-id`. */
  readonly id: string;
  readonly capabilities: Capabilities;
  readonly simulated: boolean;
  /** The same model on each of its servers, where it has several; calls may go to any of them. */
  readonly servers?: readonly Model[];
  /** Options that it has settled by itself and that can change a reply: part of every cell. Absent: none. */
  readonly settled?: Readonly<Record<string, OptionValue>>;
  /** Every reply tells what it was billed at (`Usage.billedUsd`). */
  readonly tellsCost?: true;
  /** Where it is asked, where that is a server of its own: limits are learned for it alone. */
  readonly address?: string;
  /** Absent: nothing is learned of the server. */
  readonly endpoint?: ModelEndpoint;
  /** When it ends, where that is known without asking. */
  readonly retires?: string;
  /** Reads the provider's own record of it into `endpoint`, without cost. Throws ModelError. Absent: nothing need be asked. */
  readRecord?(signal: AbortSignal): Promise<void>;
  /** Tokens of a prompt as its endpoint counts them, without cost. Throws ModelError. Absent: it does not. */
  count?(request: ModelRequest, signal: AbortSignal): Promise<number>;
  /** `hear` is told what the server says of its limits beside a reply. */
  complete(request: ModelRequest, signal: AbortSignal, hear?: Hear): Promise<ModelReply>;
  /** Absent: its provider takes no batches. */
  readonly batch?: BatchWire;
  /** Why there are none, and what to do instead. */
  readonly noBatch?: string;
}

/** How a provider takes many requests at once, answers them within a day and asks less for it. */
export interface BatchWire {
  /** Of one batch. */
  readonly most: { readonly lines: number; readonly bytes: number };
  /** Most estimated prompt tokens out at once, to begin with. Absent: any number. */
  readonly firstTokens?: number;
  /** A request as it stands in a batch. `id`: at most 64 of [a-zA-Z0-9_-]. */
  line(id: string, request: ModelRequest): string;
  /**
   * Sends lines as one batch and returns its id. Throws ModelError; the provider has surely taken nothing where `bill` is `none`,
   * and where another try is of no use.
   */
  create(wave: WaveFacts, lines: readonly string[], signal: AbortSignal): Promise<string>;
  /** The batch that holds a wave, where its id was never heard. `running`: that shows when batches under way have ended. */
  find(wave: WaveFacts, signal: AbortSignal): Promise<{ readonly batch: string } | "running" | "none">;
  state(batch: string, signal: AbortSignal): Promise<BatchState>;
  /** What an ended batch brought, by the ids of its lines; lines that cannot be read are not among them. */
  results(batch: string, signal: AbortSignal): Promise<ReadonlyMap<string, LineReader>>;
}

/** Requests that are sent together. */
export interface WaveFacts {
  /** Ends the ids of its lines. */
  readonly id: string;
  /** When it was sent, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly lines: number;
}

/** `refused`: nothing of it is or will be answered or billed; `overLimit`: because too many tokens are out already. */
export type BatchState =
  | { readonly kind: "running" | "ended" }
  | { readonly kind: "refused"; readonly error: unknown; readonly overLimit: boolean };

/** The reply to the request that a line was of. Throws ModelError where it brought none. */
export type LineReader = (request: ModelRequest) => ModelReply;

/** Why a call is made; cost formulas are asserted over these. */
export type Phase = "summary" | "simulate" | "gradient" | "update" | "tool" | "select" | "answer" | "judge";

/** What a further model of a run is for: `reference` shows how sure an answer is, `judge` weighs answers. */
export type ModelRole = "reference" | "judge";

/** A phase; of calls that one of the run's further models answered, with its role: `select@reference`. */
export type PhaseAt = Phase | `${Phase}@${ModelRole}`;

/** A family of models behind one API. SDKs are imported inside `open`, so that unused ones cost nothing. */
export interface Provider {
  /** The part of `provider/model-id` before the slash. */
  readonly name: string;
  readonly summary: string;
  /** True where no reply is of a real model. */
  readonly simulated?: boolean;
  /** Throws UsageError naming the variable or flag when a key, region or URL is missing. */
  open(modelId: string, settings: ProviderSettings): Promise<Model>;
  /** What its endpoint says of a model without cost (`lamp-eval doctor`). Never throws what a server does. Absent: nothing. */
  look?(modelId: string, settings: ProviderSettings, signal: AbortSignal): Promise<readonly Look[]>;
}

/** One thing that an endpoint was asked for without cost. */
export interface Look {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** As far as it is of use to others. */
  readonly said?: Json;
}

export interface ProviderSettings {
  /** The environment as handed in by the command line; keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
  /** Set where the model is named by an endpoint of a config. */
  readonly endpoint?: EndpointFacts;
  /** Most calls in flight, for sizing connection pools. */
  readonly concurrency: number;
  /** Hears of the head of every answer, where the provider has one to tell. */
  readonly onResponse?: (status: number, headers: Headers) => void;
  /** A dry run: no login is demanded, and nothing may be sent. */
  readonly sendsNothing?: boolean;
  /** The wire of OpenAI's protocols. Default `auto`: as the host takes it. */
  readonly api?: "auto" | "chat" | "responses";
  /** The name of a record of host's quirks. Absent: found by the host. */
  readonly quirks?: string;
  /** Whether prompts are marked for the provider's cache where that saves money. Default `auto`. */
  readonly cache?: "auto" | "off";
  /** What becomes of parameters that the endpoint refuses. `error`: all of them are found, then calls fail. Absent: they fail at the first. */
  readonly unsupported?: "error" | "drop";
}

/** What a provider may want to know of the endpoint that it opens a model for. */
export interface EndpointFacts {
  /** Stands in the place of the provider's name: in ids and in messages. */
  readonly name: string;
  /** The variable that holds the key; empty: no key is sent. Undefined: the provider's usual one. */
  readonly keyEnv: string | undefined;
  /** Which of a provider's protocols to speak; undefined: as the address says. */
  readonly api: "auto" | "responses" | "chat" | undefined;
  /** What is special about the server, by name; undefined: as the address says. */
  readonly quirks: string | undefined;
}

/** Time, handed in by `cli/` (real) or a test (fake). */
export interface Clock {
  /** Milliseconds since the epoch: for dates only, since it may be set back. */
  now(): number;
  /** Milliseconds since some moment, never set back: for waits and durations. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason on abort. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

// ---------------------------------------------------------------- retrieval and embedding

export interface Hit {
  /** Index into the indexed documents. */
  readonly index: number;
  readonly score: number;
}

export interface Search {
  /** The best `k`, best first; fewer only where there are fewer documents. */
  (query: string, k: number): Promise<readonly Hit[]>;
  /**
   * Adds a document behind the others (prequential mode). Hits are then, to the last bit, those of an index built over all
   * documents with this kit; nothing has changed where it throws. Absent: whoever adds builds the index again.
   */
  add?(document: RetrieverDocument, kit: RetrieverKit): Promise<void>;
}

export interface RetrieverDocument {
  readonly text: string;
  readonly date?: string;
}

export interface RetrieverKit {
  /** Cuts documents and queries into tokens (lexical retrievers). */
  readonly tokenize: (text: string) => string[];
  readonly embedder: Embedder;
  readonly random: Random;
}

export interface Retriever {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  index(documents: readonly RetrieverDocument[], kit: RetrieverKit): Promise<Search>;
}

/** A past event that was chosen, and why. */
export interface Chosen {
  readonly event: Event;
  /** A few words for whoever reads the transcript: `rank 1`, `named by the model`. */
  readonly reason: string;
  readonly score?: number;
}

export interface Selection {
  /** Best first. Empty: nothing of the past is shown. */
  readonly chosen: readonly Chosen[];
  /** Why nothing was chosen, where that was decided. */
  readonly abstained?: string;
}

/** What past events are chosen for. */
export interface SelectionAsk {
  readonly question: Question;
  /** What is looked for: the question's retrieval query, or an agent's own words. */
  readonly query: string;
  /** Most events. */
  readonly k: number;
  /** What would be asked with these events shown, best first. */
  prompt(events: readonly Event[]): string;
}

/** Chooses among one past. */
export interface Selecting {
  (ask: SelectionAsk, kit: Kit): Promise<Selection>;
  /** Lets one more event in, behind the others. */
  add(event: Event, kit: Kit): Promise<void>;
}

/** How the one who asks sees its events. */
export interface SelectorUse {
  document(event: Event): RetrieverDocument;
  /** Cuts documents and queries into tokens. */
  readonly tokenize: (text: string) => string[];
  /** Label of the random stream. */
  readonly stream: string;
  /** The file that the run gives, for a selector that takes one: its name for `Kit.file`. */
  readonly argument?: string;
}

/**
 * Decides which past events are shown for a question. It may ask a model and see labels; it may choose fewer than asked for, or
 * nothing. A retriever is one kind of it.
 */
export interface Selector<T extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** Knobs: part of a cell that names this selector. */
  readonly options: T;
  /** Whether it needs a file behind its name: `select=file:PATH`. */
  readonly takes?: "file";
  open(history: readonly Event[], options: Options<T>, use: SelectorUse, kit: Kit): Promise<Selecting>;
  /** Calls of one selection. Absent: none. */
  plan?(options: Options<T>): CallRange;
  /** Calls for what all users of a cell share. Absent: none. */
  planCell?(options: Options<T>): CallRange;
  /** Throws UsageError on a file that does not fit the data, before the first call. */
  checkFile?(text: string, name: string, units: Iterable<Unit>): void;
}

export interface Embedder {
  /** `embedded/lsa-1`, `onnx/all-MiniLM-L6-v2`, ... Part of cache keys. */
  readonly id: string;
  /** Length of every vector; 0 while a remote embedder has not told it. */
  readonly dimensions: number;
  /** One vector per text, in order; scaled to length 1 unless the run asks for `embedder.similarity=dot`. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

// ---------------------------------------------------------------- randomness

/** A seeded stream. Same label and seed, same numbers, in any order of users. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** A sample without replacement, in drawn order. */
  sample<T>(items: readonly T[], count: number): T[];
  /** An independent stream that depends only on this stream's seed and the label. */
  fork(label: string): Random;
}

// ---------------------------------------------------------------- options

export type OptionValue = string | number | boolean;

/** One knob. Its default, range, help and source are written once, here. */
export interface Option<T> {
  readonly default: OptionValue;
  readonly help: string;
  /** What values it takes, for help and error texts: `integer 1..64`, `one of bm25, recency`. */
  readonly accepts: string;
  /** Reads a value from the command line, a file or the default. Throws UsageError naming `name` and the fix. */
  read(name: string, value: OptionValue): T;
  /** The canonical form kept in cells and manifests (4, not "4"). */
  canonical(name: string, value: OptionValue): OptionValue;
  /**
   * Where the option came, or its default changed, after runs had been written: what held before. A stored cell that lacks the
   * option was run with it, and a cell holds the option only where its value is another.
   */
  readonly before?: {
    readonly value: OptionValue;
    /**
     * True where cells hold the option at that value, too: only its default has changed, or it comes with a thing that the cell names
     * (`matters` says which cells hold it at all).
     */
    readonly stored?: boolean;
    /** Whether the option can change anything; absent: always. Cells do not hold what cannot. */
    matters?(task: Task, settings: Readonly<Record<string, OptionValue>>): boolean;
  };
  /** For options whose value can name a file: cells hold the name that the run gives its content. */
  readonly file?: {
    pathIn(value: OptionValue): string | undefined;
    withName(value: OptionValue, name: string): OptionValue;
  };
  /** Knobs that come with the things that it can name. */
  brings?(): OptionTable;
  /** For options whose value names a thing: the same option over the list, among these, that holds things of its kind. */
  over?(lists: readonly Registry<{ readonly name: string }>[]): Option<T>;
}

/** Keys are dotted knob names: `rag.k`. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;
export type Options<T extends OptionTable> = { readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never };

// ---------------------------------------------------------------- tools

/** Something an agent can call. */
export interface Tool extends ToolSpec {
  /** True where the tool keeps `use.timeoutMs` itself, because waiting for its turn must not count. */
  readonly timesItself?: boolean;
  /** The observation. `input` is whatever the model sent: an object, or a bare string. Throws an Error with a short message on failure. */
  run(input: Json, use: ToolUse): Promise<string>;
}

/** What one call of a tool may reach. */
export interface ToolUse {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  note(note: Note): void;
  count(incident: string): void;
}

// ---------------------------------------------------------------- methods

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
  /** Which of the run's models is asked. Absent, or where the run names none for it: the one that answers. */
  readonly of?: ModelRole;
}

/** An event of the pool and the id of its user. */
export interface PoolEvent {
  readonly owner: string;
  readonly event: Event;
}

/** Other users' pasts, never a test user's questions. Events without a label are in it: a method that needs labels leaves them out. */
export interface OthersPool {
  /** `training users` or `leave-one-out`. */
  readonly kind: string;
  /** Whether some test user has no event in it: `size` is 0. May be told without gathering everybody's past. */
  readonly isEmpty: boolean;
  /** How many events the test user with the smallest pool has, dates not counted. */
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
  /** What a reader of a table must know of it, once something of it was asked for: items left out or suspicious. Absent: nothing. */
  readonly remarks?: readonly string[];
}

/** How a shared value is kept on disk. Only for values that are built without calls, notes or incidents. */
export interface SharedCodec<T> {
  /** Content id of all that goes into the value, the version of its building and its bytes included. */
  readonly content: string;
  encode(value: T): Uint8Array;
  /** Throws UsageError for bytes that it does not take: the value is then built again. */
  decode(bytes: Uint8Array): T;
}

/** Built values on disk, by content id. A damaged one is unknown. */
export interface Artifacts {
  get(id: string): Uint8Array | undefined;
  put(id: string, bytes: Uint8Array): void;
}

/** What a method knows of a model. */
export type KnownModel = Pick<Model, "id" | "capabilities">;

/** All that a method can reach. Scoped: the engine hands out one per unit and one per question. */
export interface Kit {
  readonly task: TaskBrief;
  readonly model: KnownModel;
  /** The run's further models; the one that answers where none is named. */
  readonly models: Readonly<Record<ModelRole, KnownModel>>;
  readonly embedder: Embedder;
  readonly others: OthersPool;
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
   * Builds once per cell, whoever asks first. `build` gets a kit of the cell, so that its calls and incidents belong to
   * no unit. With a codec the value is kept on disk and read back by every later run that needs the same.
   */
  shared<T>(key: string, build: (kit: Kit) => Promise<T>, codec?: SharedCodec<T>): Promise<T>;
  /** Keeps a step of the trajectory (traces, personas, retrieved ids). */
  note(note: Note): void;
  /** Counts an incident by name (`fallback=prompt`, `summary-empty`), shown in tables' footnotes. */
  count(incident: string): void;
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
   * In a dialogue: lets a turn enter what the method remembers, after its answer where it was asked (`asked`). Absent: the turn
   * is learned as an event; where there is no `learn` either, nothing of it is kept.
   */
  observe?(turn: Turn, asked: boolean, kit: Kit): Promise<void>;
}

/**
 * Calls by phase; fewest (`low`) and most (`high`); they differ where a loop has no fixed length. Calls of a further model count
 * for the one that answers where the run names none (`asked.ts` of `run`).
 */
export type CallRange = Partial<Record<PhaseAt, { readonly low: number; readonly high: number }>>;

/** Call counts of a method before it runs, for `--dry-run` and for the tests of METHODS 0.4. */
export interface CallPlan {
  /** To prepare one unit. */
  perUnit(history: readonly Event[]): CallRange;
  perQuestion(): CallRange;
  /** For an answered question that enters memory (`--online`). Absent: nothing. */
  perLearned?(): CallRange;
  /** For a turn of a dialogue that is remembered. Absent: as `perLearned`. */
  perObserved?(asked: boolean): CallRange;
  /** For what all units of a cell share. Absent: nothing. */
  perCell?(): CallRange;
}

/** A picture for the report of a run. */
export interface Figure {
  /** File name without its ending. */
  readonly name: string;
  readonly title: string;
  readonly svg: string;
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
  /** Why it says nothing on this task, in half a sentence; undefined where it applies. Such a method is left out of the run and has a dash. */
  unfit?(task: TaskBrief): string | undefined;
  /** True where it may call models that the run does not see (a program of the user's): what it spends there is unknown. */
  readonly callsElsewhere?: true;
  /** True when the questions of one user must be answered one after the other, in date order. */
  sequential?(options: Options<T>): boolean;
  /** What must exist before the first call: tools of the run, by name; and a model that can call tools, where the method runs agents. */
  needs?(options: Options<T>): { readonly tools: readonly string[]; readonly agent: boolean };
  /**
   * Whether the method reads the pool of other users, or only the `labelled` of their events: a pool without any is then an
   * error before the first call.
   */
  usesOthers?(options: Options<T>): boolean | "labelled";
  /** What a reader of its tables must know of these settings, a sentence each. */
  remarks?(options: Options<T>): readonly string[];
  /** Of an ablation: the name of the full method, `persona-agent`. */
  readonly ablates?: string;
  /** A picture of what it works on, for one user of a finished run. Asks nothing. */
  figure?(user: User, options: Options<T>, kit: Kit): Promise<Figure>;
}

// ---------------------------------------------------------------- judgements

/** What a judge is shown. Two replies to be compared stand in the order in which it sees them. */
export interface JudgeCase {
  readonly question: string;
  readonly reference?: string;
  /** Sentences that hold of the user. */
  readonly persona?: readonly string[];
  /** Lines said before, oldest first, each with its speaker. */
  readonly history?: readonly string[];
  readonly predictions: readonly [string] | readonly [string, string];
}

/** What a judge found: a score, or of two replies 1 where the first is better, -1 where the second is, 0 where neither is. */
export interface Verdict {
  readonly value: number;
  readonly why: string;
  /** 1 to 100, of a judge that tells it. */
  readonly confidence?: number;
}

/** A way of judging replies by a model. Knows nothing of methods and runs. */
export interface Judge {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** How many replies it is shown at a time. */
  readonly shows: 1 | 2;
  /** Least and most of its verdicts. */
  readonly range: readonly [number, number];
  request(shown: JudgeCase): AskRequest;
  /** Undefined for a reply that is no verdict: it is never a score. */
  read(reply: string): Verdict | undefined;
}

// ---------------------------------------------------------------- runs

/** What a sweep varies, and so how its arms are compared. */
export type SweepKind = "ablation" | "scaling" | "backbones" | "grid" | "controls";

/** What varies between the arms of a run. `method` and `model` are axes of an ablation and of backbones. */
export interface SweepFacts {
  readonly kind: SweepKind;
  readonly axes: readonly {
    readonly knob: string;
    readonly values: readonly OptionValue[];
    /** The value of the axis while another axis varies (scaling); the full method (ablation). */
    readonly base?: OptionValue | undefined;
  }[];
  /** Values that mean nothing on a task, and why: there is no arm of them. Absent: none. */
  readonly undefinedFor?:
    | readonly { readonly task: string; readonly value: OptionValue; readonly reason: string }[]
    | undefined;
}

/** One arm of a run. Everything that can change a reply is in here. */
export interface Cell {
  /** Short content hash of all other fields. */
  readonly id: string;
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** Complete, defaults included. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly seed: number;
  /** 0-based repeat. */
  readonly repeat: number;
}

export type Outcome =
  /** The official reading accepts the reply. `lenient` is what the forgiving reading found, where it found anything. */
  | { readonly kind: "answered"; readonly reply: string; readonly lenient?: string | undefined }
  | { readonly kind: "unparsed"; readonly reply: string; readonly lenient?: string | undefined }
  | { readonly kind: "failed"; readonly error: string };

export interface PhaseTotals {
  readonly calls: number;
  readonly in: number;
  readonly out: number;
  /** Parts of `in`. Absent: none. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Calls of more than 30,000 prompt tokens, one by one, where there are several calls: prices may go by the length of a call. */
  readonly long?: readonly Pick<Usage, "in" | "out" | "cacheRead" | "cacheWrite">[];
  /** The part that the provider itself has billed; such calls are in no `long`. */
  readonly billed?: Pick<PhaseTotals, "calls" | "in" | "out" | "cacheRead" | "cacheWrite"> & { readonly usd: number };
  /** The part that was asked in batches, with its own long calls, which are in no other `long`. */
  readonly batch?: Pick<PhaseTotals, "calls" | "in" | "out" | "cacheRead" | "cacheWrite" | "long">;
}

export type Spend = Readonly<Partial<Record<PhaseAt, PhaseTotals>>>;

/** One answered, unparsed or failed question. No timings here: rows compare byte for byte. */
export interface Row {
  readonly cell: string;
  readonly user: string;
  readonly unit: string;
  readonly question: string;
  /** Absent when the data have no gold: counted, never scored. */
  readonly gold?: string | undefined;
  readonly outcome: Outcome;
  /** Number of the question in the user's stream, from 1 (`--online`, and dialogues). */
  readonly position?: number | undefined;
  readonly spend: Spend;
  /** Where nobody counted (imported predictions, programs of the user's): `spend` is empty because it is unknown, not because it is nothing. */
  readonly spendUnknown?: true | undefined;
  readonly incidents: Readonly<Record<string, number>>;
  readonly simulated?: boolean | undefined;
  /** Numbers of metrics that another program counted for this answer, by metric (`lamp-eval import --metric`). */
  readonly given?: Readonly<Record<string, number>> | undefined;
}

/** What preparing one unit cost (summaries, alignment), or one value that all units of the cell share. */
export interface UnitRecord {
  readonly cell: string;
  /** Empty for a shared value. */
  readonly user: string;
  /** `shared/KEY` for a shared value. */
  readonly unit: string;
  readonly shared?: true | undefined;
  readonly historySize: number;
  readonly spend: Spend;
  readonly incidents: Readonly<Record<string, number>>;
  readonly simulated?: boolean | undefined;
}

/** How long a piece of work took. Kept beside the rows, never in them. */
export interface Timing {
  readonly cell: string;
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  readonly ms: number;
  /** True when a reply came from the response store or by a batch, so that the time says nothing of the model. */
  readonly fromStore: boolean;
}

/** The trajectory of one question, or of the preparation of one unit. */
export interface Trace {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string;
  /** Content ids (16 hex digits) of the requests made, sorted. */
  readonly requests: readonly string[];
  readonly notes: readonly StoredNote[];
}

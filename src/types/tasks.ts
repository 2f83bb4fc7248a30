import type { Event, Question, RawItem, RawQuery } from "./data.js";

/** `unparsed` is a fact about a reply, never a score. */
export type Reading = { readonly kind: "answer"; readonly answer: string } | { readonly kind: "unparsed" };

/** A task's wording: all that a method may know of it. */
export interface TaskBrief {
  /** As typed on the command line: `lamp2m`. */
  readonly name: string;
  /** `LaMP-2M: personalized movie tagging`. */
  readonly title: string;
  /** `choice`: each question brings its own options, and the answer is the letter of one: `labels` are the letters. */
  readonly kind: "label" | "rating" | "text" | "choice";
  /**
   * True where the questions of a user are the turns of one dialogue: asked in order, each remembered after its answer. The history
   * then is the persona: sentences that hold of the user. Golds are for scores and judges, and never enter memory.
   */
  readonly dialogue?: true;
  /** True where history items say nothing of what would be answered: no event has a label. */
  readonly unlabelled?: true;
  /** Official order; empty for text tasks. */
  readonly labels: readonly string[];
  /** One-word noun of what is answered: `tag`, `category`, `score`, `headline`, `title`, `reference`. */
  readonly answerNoun: string;
  /** One-word noun of the item: `movie`, `article`, `review`, `paper`. */
  readonly itemNoun: string;
  /** Answer budget in tokens (METHODS 0.4: 64 labels, 128 titles). */
  readonly maxAnswerTokens: number;
  /** Wording of summaries of a history, for profile-augmented methods (METHODS 4). */
  readonly summary: SummaryWording;
  /** Official prompt strings (`lamp`, `oppu`), by style name. */
  readonly styles: Readonly<Record<string, PromptStyle>>;
  /** One line a person or a model can read: date, content, the user's label. */
  formatEvent(event: Event): string;
  /** The name of an event in the list that a model chooses from. Absent: `formatEvent`. */
  nameForSelection?(event: Event): string;
  /** Formats an event for the material of a summary where `formatEvent` has codes that the prompt does not explain. Absent: `formatEvent`. */
  formatForSummary?(event: Event): string;
  /** The question this event would have been, in the wording of `like` (a real question of the task) or the task's own. Undefined where the event has no label. */
  pose(event: Event, like?: Question): Question | undefined;
}

export interface SummaryWording {
  /** Instruction, own words after OPPU's requirements. */
  readonly instruction: string;
  /**
   * Returns the most frequent label in OPPU's fixed form (`most popular tag: comedy`), one sentence for each of equally frequent labels,
   * empty where nothing is labelled. Absent for free text tasks.
   */
  modeSentences?(history: readonly Event[]): readonly string[];
  /** The whole label distribution as text; undefined for free text tasks. */
  counts?(history: readonly Event[]): string;
  /** Names of the fields of a profile of preferences; absent: general ones. */
  readonly profileFields?: readonly string[];
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
  /** The full prompt with `events` best first. `prefix` (a profile summary) stands where the style puts it. */
  assemble(question: Question, events: readonly Event[], settings: AssembleSettings): string;
  /** The style's own request for a profile summary, each field cut to so many words. Absent: the task's SummaryWording. */
  profile?(events: readonly Event[], fieldMaxWords: number): string;
}

export interface AssembleSettings {
  readonly prefix?: string;
  /** LaMP's token budget; 0 = unlimited. */
  readonly maxTokens: number;
  /** collapsed: runs of whitespace in item texts become one space, as a tokenizer of the T5 kind makes them. Default: raw. */
  readonly itemText?: "raw" | "collapsed";
}

export interface Task extends TaskBrief {
  /** Paper or file that fixes wording, labels and scoring. */
  readonly source: string;
  /** The name inside official files: `LaMP_3`. */
  readonly official: string;
  /** Further accepted spellings, matched case-insensitively with `-` and `_` equal. */
  readonly aliases: readonly string[];
  /** Fields every profile item must have, for data checks. */
  readonly requiredFields: readonly string[];
  /** Further fields that its items may have; own data with any other are refused. */
  readonly optionalFields?: readonly string[];
  /** The one form of files that its data come in, by name. Absent: any of LaMP's, or own rows. */
  readonly format?: string;
  /** True where histories are chats: `data.tier` then says how long they are. */
  readonly chats?: true;
  /** The benchmark it belongs to, for lists. */
  readonly benchmark?: string;
  /** Scope of the majority baseline in tables: each user's most frequent label (default), that of all users together, or none. */
  readonly majority?: "user" | "data" | "none";
  /** Present where the official files are tables, one question a row, without an id. */
  readonly table?: TableForm;
  event(item: RawItem): Event;
  /** An answered question as an item of a history. Absent: its content and its gold are all that is kept of it. */
  historyItemOf?(question: Question, gold: string): RawItem;
  question(query: RawQuery): Question;
  /** Returns the official script's retrieval query where `question` mends it; undefined where the script stops. */
  officialQuery?(input: string): string | undefined;
  /** Builds the whole question from an input of own data (a .jsonl file). Absent: inputs are whole questions. */
  fullPrompt?(input: string): string;
  /** Official reading: what the benchmark's own script accepts. */
  strict(reply: string): Reading;
  /** Reading that forgives wrapping (METHODS 0.3). */
  lenient(reply: string, question: Question): Reading;
  /** First is the headline. */
  readonly metrics: readonly Metric[];
  /** Judges whose scores stand before `metrics` once they have judged a run. */
  readonly judges?: readonly string[];
  /**
   * Present where a question is a choice between two titles (LaMP-1): reads one, undefined where the input is not in that form.
   * Past items of such a task carry no label of their own; the data layer builds `option1`, `option2`, `label` (METHODS 0.2).
   */
  parseCitation?(input: string): { readonly title: string; readonly options: readonly [string, string] } | undefined;
}

export interface TableForm {
  /** The column that names the user. */
  readonly user: string;
  /** Further names of the fields of an item, and what each is. */
  readonly alsoNamed?: Readonly<Record<string, string>>;
}

export interface Pair {
  readonly prediction: string;
  readonly gold: string;
  /** False: the data hold no gold, and `gold` is empty. */
  readonly hasGold?: false;
  /** What judges said of the answer, by metric. */
  readonly verdicts?: Readonly<Record<string, number>>;
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
  /** Length of a pair's contribution. */
  readonly sumCount: number;
  /**
   * The largest value of a single pair, where the metric is a mean of values from 0 up to it, or the root of the mean of their
   * squares; absent where none is known.
   */
  readonly maxPerPair?: number;
  /** The smallest one, where it is not 0. */
  readonly minPerPair?: number;
  /** The labels, where the metric is a mean over labels. */
  readonly labels?: readonly string[];
  /** Tells whether a pair counts. Absent: one with a gold does. */
  takes?(pair: Pair): boolean;
  /** Adds the pair's contribution to sums[offset .. offset + sumCount). Throws ScoreError where the official script crashes. */
  add(pair: Pair, sums: Float64Array, offset?: number): void;
  value(sums: Float64Array, count: number): number;
}

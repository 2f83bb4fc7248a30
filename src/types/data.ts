import type { Json } from "../notes/note.js";

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
  /** Of a choice: the options as they are shown; `gold` is the letter of the right one. */
  readonly options?: readonly string[];
  /** Of each shown option its place in the file, from 0. */
  readonly order?: readonly number[];
  /** Unit that intervals and tests resample as a whole, where larger than a user. */
  readonly cluster?: string;
  /** Groups that tables are broken down by: `question_type`. No method sees it. */
  readonly tags?: Readonly<Record<string, string>>;
  /** What judges go by, besides a gold: no method, memory or pool sees it, and no row holds it. */
  readonly rubric?: Json;
}

/** A line that a user says in a dialogue, and what was answered. */
export interface Turn {
  readonly id: string;
  readonly date?: string;
  readonly said: string;
  /** The method's reply if this turn was a question, else the reply in the data. Absent: none, or a failed one. */
  readonly reply?: string;
}

export interface UserData {
  readonly id: string;
  /** Oldest first (file order where there are no dates). Empty when every query brings its own window. */
  readonly profile: readonly RawItem[];
  readonly queries: readonly RawQuery[];
}

/** A loaded data set of one task: what `data/` hands to `run/`. */
export interface Dataset {
  /** Short name for tables, e.g. the folder name, or `demo`. */
  readonly name: string;
  /** Canonical task name (`lamp3`). */
  readonly task: string;
  /** Large data sets are read again from disk at each access. */
  readonly users: Sequence<UserData>;
  /** Training users of the split (pool of ICL and of the graph). Absent: the data set has none. */
  readonly others?: readonly UserData[];
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** True where profile order is chronological (false in user-based LaMP splits, where it is random). */
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
  /** The part of it that a question would ask about (METHODS 0.2). */
  readonly content: string;
  /** LaMP retrieval document. The label is in it only where LaMP has it so (titles of LaMP-4 and 5, the text of LaMP-7). */
  readonly document: string;
  /** Its session of a chat, or its block of a list: it stands for a day where there are no dates. */
  readonly session?: string;
  /** The user's own answer, in the form of the task's answers. Absent where the data have none (stock LaMP-1). */
  readonly label?: string;
}

/** A test question as a method may see it: no gold here. */
export interface Question {
  readonly id: string;
  /** The raw LaMP input. */
  readonly text: string;
  /** The item inside the input (the text after the marker). */
  readonly content: string;
  /** LaMP retrieval query. */
  readonly query: string;
  readonly date?: string;
  /** Of a choice: the options in the order of their letters. */
  readonly options?: readonly string[];
}

export interface Example {
  readonly question: Question;
  readonly gold?: string;
  /** Turns of a dialogue that are remembered before the question, and not asked. */
  readonly before?: readonly Turn[];
  /** Kept in the row; no method sees it. */
  readonly facts?: RowFacts;
  /** For judges alone. */
  readonly rubric?: Json;
}

/** Fields of `RawQuery` that a row keeps besides the gold. */
export type RowFacts = Pick<RawQuery, "order" | "cluster" | "tags">;

/** Things in a fixed order that may be made anew whenever they are asked for; an array is one. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

export interface User {
  readonly id: string;
  /** The visible history, oldest first. */
  readonly history: readonly Event[];
}

/** Questions of one user that share one visible history: what a method is personalized for. */
export interface Unit {
  /** `user` or `user#2` when a user's questions see different pasts. Unique in a data set. */
  readonly id: string;
  readonly user: User;
  readonly examples: readonly Example[];
}

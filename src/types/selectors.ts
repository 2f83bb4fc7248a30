import type { Event, Question, Unit } from "./data.js";
import type { CallRange, Kit } from "./methods.js";
import type { Options, OptionTable } from "./options.js";
import type { RetrieverDocument } from "./retrieval.js";

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
  /**
   * Throws UsageError on a file that does not fit the data, before the first call. Gives what is worth a line, though no mistake;
   * undefined: nothing. `task`: its name.
   */
  checkFile?(text: string, name: string, units: Iterable<Unit>, task: string): string | undefined;
}

import type { PageQuestion, PageRun } from "../data.js";
import type { Address, Side, TaskView } from "./answers.js";

/** Where the reader is: a question, and the number of an arm. */
export interface Place {
  readonly question: PageQuestion | undefined;
  readonly arm: number;
}

/** What the parts of the view of all answers know of each other, and ask for. */
export interface ReaderView {
  readonly run: PageRun;
  readonly address: Address;
  readonly view: TaskView;
  /** Questions that pass the filter, and the numbers of the arms in the order of the columns. */
  readonly found: readonly PageQuestion[];
  readonly columns: readonly number[];
  readonly at: Place;
  readonly isOpen: boolean;
  sides(): Side[];
  readAddress(): void;
  /** Writes changes into the address; with `push` the browser's Back undoes them. */
  go(changes: Address, push?: boolean): void;
  showList(): void;
  /** Opens an answer; the first one of a filtered pair beside the other. */
  open(question: PageQuestion, arm: number): void;
  close(): void;
  /** Goes so many lines and columns on; an open answer is exchanged. */
  move(lines: number, across: number): void;
}

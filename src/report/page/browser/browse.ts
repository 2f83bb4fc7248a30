import type { PageQuestion, PageRun } from "../data.js";
import { AnswerPane } from "./answer-pane.js";
import { type Address, filterQuestions, type Side, sideOf, type TaskView, viewOf } from "./answers.js";
import { all, one } from "./dom.js";
import { FilterForm } from "./filter-form.js";
import { QuestionList } from "./question-list.js";
import type { Place, ReaderView } from "./reader-view.js";

/** The view of all answers: the address decides what is shown, and every choice is written into the address. */
export class Browse implements ReaderView {
  readonly run: PageRun;
  address: Address = {};
  view: TaskView;
  /** Questions that pass the filter, and the numbers of the arms in the order of the columns. */
  found: readonly PageQuestion[] = [];
  columns: readonly number[] = [];
  at: Place = { question: undefined, arm: 0 };
  readonly #filter: FilterForm;
  readonly #list: QuestionList;
  readonly #pane: AnswerPane;

  constructor(run: PageRun) {
    this.run = run;
    this.view = viewOf(run, {});
    this.#filter = new FilterForm(this);
    this.#list = new QuestionList(this);
    this.#pane = new AnswerPane(this);
    one("#browse")!.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Shows what the address says: a place of the report, or the list with its filter and open answer. */
  readAddress(): void {
    const hash = decodeURIComponent(location.hash.slice(1));
    const isList = hash === "answers" || hash.includes("=");
    const isNew = isList && !document.body.classList.contains("answering");
    document.body.classList.toggle("answering", isList);
    one(".to-answers")?.setAttribute("aria-current", isList ? "page" : "false");
    if (!isList) {
      document.getElementById(hash)?.scrollIntoView(); // it was hidden when the browser looked for it
      return;
    }
    document.documentElement.style.setProperty("--top", `${one(".top")!.offsetHeight}px`);
    const { answers: _, ...address } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.address = address;
    this.view = viewOf(this.run, address);
    this.#filter.show();
    this.showList();
    if (isNew) this.#list.focusCell();
  }

  /** Writes changes into the address; with `push` the browser's Back undoes them. */
  go(changes: Address, push = false): void {
    const entries = Object.entries({ ...this.address, ...changes }).filter(([, value]) => value);
    this.address = Object.fromEntries(entries);
    const hash = entries.length === 0 ? "answers" : String(new URLSearchParams(entries)).replaceAll("%3A", ":");
    history[push ? "pushState" : "replaceState"](null, "", `#${hash}`);
  }

  showList(): void {
    const { address, view } = this;
    this.found = filterQuestions(view, address);
    const filtered = this.sides().map(({ arm }) => arm); // the filtered methods stand first
    this.columns = [...new Set([...filtered, ...view.arms.map(({ number }) => number)])];
    const asked = view.questions.find(({ id, repeat }) => id === address.q && repeat === Number(address.r ?? 0));
    const arm = view.arms.find(({ label }) => label === address.m)?.number;
    this.at = { question: asked ?? this.found[0], arm: arm ?? this.columns[0] ?? 0 };
    this.#list.start();
    this.showAnswer();
  }

  sides(): Side[] {
    return [this.address.a, this.address.b].flatMap((text) => sideOf(this.view, text) ?? []);
  }

  get isOpen(): boolean {
    return this.address.q !== undefined && this.at.question?.id === this.address.q;
  }

  showAnswer(): void {
    one("#browse")!.classList.toggle("open", this.isOpen);
    this.#pane.show();
    this.#list.fit();
    this.#list.reveal();
    this.#list.draw(true);
    this.#pane.focusOnPhone();
  }

  /** Opens an answer; the first one of a filtered pair beside the other. */
  open(question: PageQuestion, arm: number): void {
    const isNew = this.address.q === undefined;
    const sides = this.sides();
    const other = sides.length === 2 ? sides.find((side) => side.arm !== arm)?.label : undefined;
    const label = this.run.arms[arm]?.label ?? "";
    const beside = this.address.vs ?? (isNew ? other : undefined);
    this.at = { question, arm };
    const repeat = question.repeat === 0 ? "" : String(question.repeat);
    this.go({ q: question.id, r: repeat, m: label, vs: beside === label ? "" : (beside ?? "") }, isNew);
    this.showAnswer();
  }

  close(): void {
    this.go({ q: "", r: "", m: "", vs: "" });
    this.showAnswer();
    this.#list.focusCell();
  }

  /** Goes so many lines and columns on; an open answer is exchanged. */
  move(lines: number, across: number): void {
    const { question, arm } = this.at;
    const next = within(this.found, (question === undefined ? 0 : this.found.indexOf(question)) + lines);
    const column = within(this.columns, this.columns.indexOf(arm) + across) ?? arm;
    if (next === undefined) return;
    if (this.isOpen) {
      this.open(next, column);
      return;
    }
    this.at = { question: next, arm: column };
    this.#list.reveal();
    this.#list.draw(true);
    this.#list.focusCell();
  }

  resize(): void {
    if (!document.body.classList.contains("answering")) return;
    this.#list.fit();
    this.#list.draw(true);
  }

  /** Letters work in the list and beside an open answer, arrows only in the list: they scroll an answer. */
  #onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement; // keys are pressed on elements
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select, input") !== null) return;
    const isInList = one("#grid")!.contains(target);
    const step = letters[event.key] ?? (isInList ? arrows[event.key] : undefined);
    const { question, arm } = this.at;
    if (step !== undefined) this.move(...step);
    else if (event.key === "Enter" && isInList && question !== undefined) this.open(question, arm);
    else if (event.key === "Escape" && this.isOpen) this.close();
    else if (event.key === "/") one("#filter [name=text]")!.focus();
    else return;
    event.preventDefault();
  }
}

type Step = readonly [lines: number, across: number];

const letters: Readonly<Record<string, Step>> = { j: [1, 0], k: [-1, 0], l: [0, 1], h: [0, -1] };
const PAGE_LINES = 15;
const arrows: Readonly<Record<string, Step>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [PAGE_LINES, 0],
  PageUp: [-PAGE_LINES, 0],
  Home: [Number.NEGATIVE_INFINITY, 0],
  End: [Number.POSITIVE_INFINITY, 0],
};

/** Returns the element at a place, or at the end that is nearest. */
const within = <T>(list: readonly T[], place: number): T | undefined =>
  list[Math.min(list.length - 1, Math.max(0, place))];

/** Says by a shade and a line that a table goes on to the right. */
export function markWideTables(): void {
  for (const scroller of all(".scroller")) {
    const inner = one(".scroll", scroller);
    if (inner === undefined) continue;
    scroller.classList.toggle("more", inner.scrollLeft + inner.clientWidth < inner.scrollWidth - 4);
  }
}

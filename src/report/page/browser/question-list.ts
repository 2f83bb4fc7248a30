import type { PageQuestion } from "../data.js";
import { answerOf, markOf, scoreText, signText } from "./answers.js";
import { element, one } from "./dom.js";
import type { ReaderView } from "./reader-view.js";

/** Lines above and below the visible ones, which are in the document too. */
const SPARE_LINES = 10;
/** Characters of a reply in a cell. */
const REPLY_CHARS = 80;
/** A column shows replies from this width on; the other columns take so much. Pixels. */
const REPLY_WIDTH = 88;
const OTHER_COLUMNS = 420;

/** The questions that pass the filter against the methods. Only the lines in view are in the document. */
export class QuestionList {
  readonly #reader: ReaderView;
  readonly #box = one("#grid")!;
  readonly #body = one("#grid tbody")!;
  readonly #lines = new WeakMap<Element, PageQuestion>();
  #drawn = "";

  constructor(reader: ReaderView) {
    this.#reader = reader;
    this.#box.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), { passive: true });
    this.#box.addEventListener("click", (event) => {
      const cell = (event.target as HTMLElement).closest<HTMLElement>("td.cell");
      const question = cell === null ? undefined : this.#lines.get(cell.parentElement!);
      if (question !== undefined) reader.open(question, Number(cell!.dataset.arm));
      this.focusCell();
    });
  }

  /** Begins at the first line, with the columns of the filter. */
  start(): void {
    const { run, view, found, columns } = this.#reader;
    const title = (kind: string, text: string) =>
      element("th", { scope: "col", class: kind }, element("span", {}, text));
    const titles = ["id", "asked", "gold", "tally"].map((kind) => title(kind, HEADS[kind]!));
    const methods = columns.map((arm) => title("method", run.arms[arm]!.label));
    one("#grid thead")!.replaceChildren(element("tr", {}, titles, methods));
    one("#grid table")!.setAttribute("aria-rowcount", String(found.length + 1));
    one("#browse")!.classList.toggle("texts", view.arms[0]?.metric?.exact !== true);
    const counts = [found.length, view.questions.length].map((count) => count.toLocaleString("en-US"));
    one("#count")!.textContent = `${counts.join(" of ")} questions`;
    this.#box.scrollTop = 0;
  }

  /** Shows replies where a column has room for them. */
  fit(): void {
    const width = (this.#box.clientWidth - OTHER_COLUMNS) / this.#reader.columns.length;
    one("#browse")!.classList.toggle("tight", width < REPLY_WIDTH);
  }

  /** Draws the lines in view, unless they stand there already. */
  draw(again = false): void {
    const height = this.#lineHeight();
    const { found } = this.#reader;
    const from = Math.max(0, Math.floor(this.#box.scrollTop / height) - SPARE_LINES);
    const to = Math.min(found.length, from + Math.ceil(this.#box.clientHeight / height) + 2 * SPARE_LINES);
    if (!again && this.#drawn === `${from}-${to}`) return;
    this.#drawn = `${from}-${to}`;
    const isFocused = this.#body.contains(document.activeElement);
    const gap = (lines: number) =>
      element("tr", { class: "gap", "aria-hidden": "true" }, element("td", { style: `height:${lines * height}px` }));
    const lines = found.slice(from, to).map((question, l) => this.#lineOf(question, from + l));
    this.#body.replaceChildren(gap(from), ...lines, gap(found.length - to));
    if (isFocused) this.focusCell();
  }

  focusCell(): void {
    one("#grid td[tabindex='0']")?.focus({ preventScroll: true });
  }

  /** Scrolls to the reader's question. */
  reveal(): void {
    const { at, found } = this.#reader;
    const height = this.#lineHeight();
    const head = one("#grid thead")!.offsetHeight;
    const top = at.question === undefined ? 0 : found.indexOf(at.question) * height;
    const bottom = top + height + head;
    if (top < this.#box.scrollTop) this.#box.scrollTop = Math.max(0, top);
    else if (bottom > this.#box.scrollTop + this.#box.clientHeight)
      this.#box.scrollTop = bottom - this.#box.clientHeight;
  }

  #lineHeight = (): number => Number.parseFloat(getComputedStyle(this.#box).getPropertyValue("--row"));

  #lineOf(question: PageQuestion, index: number): HTMLElement {
    const { run, columns, at, isOpen } = this.#reader;
    const isHere = question === at.question;
    const right = question.answers.filter((answer) => markOf(run, answer) === "right").length;
    const line = element(
      "tr",
      { "aria-rowindex": String(index + 2), class: isOpen && isHere ? "at" : undefined },
      element("th", { scope: "row", class: "id" }, titleOf(question)),
      element("td", { class: "asked" }, question.asked),
      element("td", { class: "gold" }, question.gold ?? "–"),
      element("td", { class: "tally" }, `${right}/${question.answers.length}`),
      columns.map((arm) => this.#cellOf(question, arm, isHere && arm === at.arm)),
    );
    this.#lines.set(line, question);
    return line;
  }

  #cellOf(question: PageQuestion, arm: number, isAt: boolean): HTMLElement {
    const { run, isOpen } = this.#reader;
    const answer = answerOf(question, arm);
    const attributes = {
      role: "gridcell",
      class: "cell method",
      tabindex: isAt ? "0" : "-1",
      "aria-selected": String(isAt && isOpen),
      "data-arm": String(arm),
    };
    if (answer === undefined) return element("td", attributes);
    const outcome = markOf(run, answer);
    const shade = outcome === "score" ? `--s:${Math.round((answer.value ?? 0) * 100)}%` : undefined;
    const spoken = outcome === "score" ? scoreText(answer.value) : outcome;
    const shown = element(
      "span",
      { class: `m ${outcome}`, style: shade },
      element("b", { "aria-hidden": "true" }, signText(run, answer)),
      element("span", { class: "hidden" }, spoken),
      element("span", { class: "reply" }, answer.text.slice(0, REPLY_CHARS) || "(empty)"),
    );
    return element("td", attributes, shown);
  }
}

const HEADS: Readonly<Record<string, string>> = { id: "question", asked: "asked", gold: "gold", tally: "right" };

/** `q7`, of a second repeat `q7 #2`. */
export const titleOf = ({ id, repeat }: PageQuestion): string => (repeat === 0 ? id : `${id} #${repeat + 1}`);

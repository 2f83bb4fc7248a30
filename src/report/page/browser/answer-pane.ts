import type { PageAnswer, PageQuestion } from "../data.js";
import { answerOf, markOf, scoreText, signText } from "./answers.js";
import { button, element, one } from "./dom.js";
import { transcriptParts } from "./passages.js";
import { titleOf } from "./question-list.js";
import type { ReaderView } from "./reader-view.js";

/** The open answer beside the list: question, gold, every method's reply, and one transcript or two. */
export class AnswerPane {
  readonly #reader: ReaderView;
  readonly #box = one("#answer")!;

  constructor(reader: ReaderView) {
    this.#reader = reader;
  }

  show(): void {
    const { question } = this.#reader.at;
    this.#box.hidden = !this.#reader.isOpen;
    if (question === undefined || this.#box.hidden) return;
    const isSame = this.#box.dataset.of === titleOf(question);
    const scroll = isSame ? this.#box.scrollTop : 0;
    this.#box.dataset.of = titleOf(question);
    this.#box.replaceChildren(this.#barOf(question), this.#bodyOf(question));
    this.#box.scrollTop = scroll;
  }

  /** On a phone the answer takes the place of the list. */
  focusOnPhone(): void {
    if (!this.#box.hidden && one("#grid")!.offsetParent === null) this.#box.focus();
  }

  #barOf(question: PageQuestion): HTMLElement {
    const reader = this.#reader;
    const line = reader.found.indexOf(question);
    const place = line < 0 ? "; not in the filtered list" : ` · ${line + 1} of ${reader.found.length}`;
    const press = (sign: string, name: string, isOff: boolean, act: () => void) =>
      button(act, { "aria-label": name, title: name, disabled: isOff ? "" : undefined }, sign);
    return element(
      "div",
      { class: "bar-top" },
      element("h2", { id: "answer-h" }, `${titleOf(question)} `, element("small", {}, `user ${question.user}${place}`)),
      press("↑", "previous question (k)", line <= 0, () => reader.move(-1, 0)),
      press("↓", "next question (j)", line >= reader.found.length - 1, () => reader.move(1, 0)),
      this.#besideChoice(),
      element("a", { href: location.hash }, "link"),
      press("×", "close (Esc)", false, () => reader.close()),
    );
  }

  #besideChoice(): HTMLElement {
    const { at, view, address } = this.#reader;
    const others = view.arms.filter(({ number }) => number !== at.arm);
    const options = others.map(({ label }) =>
      element("option", { value: label, selected: label === address.vs ? "" : undefined }, `beside ${label}`),
    );
    const none = element("option", { value: "" }, "nothing beside");
    const choice = element("select", { "aria-label": "second method beside it" }, none, options);
    choice.addEventListener("change", () => {
      this.#reader.go({ vs: choice.value });
      this.show();
    });
    return choice;
  }

  #bodyOf(question: PageQuestion): HTMLElement {
    const { at, view, address } = this.#reader;
    const other = view.arms.find(({ label }) => label === address.vs)?.number;
    const shown = other === undefined || other === at.arm ? [at.arm] : [at.arm, other];
    const answers = shown.flatMap((arm) => answerOf(question, arm) ?? []);
    return element(
      "div",
      { class: "body" },
      element("p", { class: "asked-text" }, question.asked),
      element("p", { class: "gold-line" }, "gold: ", element("b", {}, question.gold ?? "none")),
      element("div", { class: "methods" }, this.#methodsOf(question)),
      element(
        "div",
        { class: "sides" },
        answers.map((answer) => this.#sideOf(question, answer)),
      ),
    );
  }

  #methodsOf(question: PageQuestion): HTMLElement[] {
    const { run, columns, at } = this.#reader;
    return columns.flatMap((arm) => {
      const answer = answerOf(question, arm);
      if (answer === undefined) return [];
      const outcome = markOf(run, answer);
      return button(
        () => this.#reader.open(question, arm),
        { "aria-pressed": String(arm === at.arm), title: answer.text },
        element("b", { class: `m ${outcome}` }, signText(run, answer)),
        element("span", {}, run.arms[arm]!.label, element("span", { class: "hidden" }, `: ${outcome},`)),
        element("small", {}, answer.text || "(empty)"),
      );
    });
  }

  #sideOf(question: PageQuestion, answer: PageAnswer): HTMLElement {
    const { run } = this.#reader;
    const { label, metric } = run.arms[answer.arm]!;
    const outcome = markOf(run, answer);
    const verdict = outcome === "score" ? `${metric?.name ?? "score"} ${scoreText(answer.value)}` : outcome;
    const isReadOtherwise = answer.reading !== undefined && answer.reading !== answer.text;
    const reading = isReadOtherwise ? element("small", {}, ` read as ${answer.reading}`) : undefined;
    const head = element("h3", {}, `${label} `, element("b", { class: `tag ${outcome}` }, verdict), reading);
    const error =
      answer.kind === "failed"
        ? [element("p", { class: "said" }, "error"), element("pre", {}, answer.text)]
        : undefined;
    const side = element("section", { class: "side", "aria-label": label }, head, error);
    const summary = element("summary", {}, `Prepared for user ${question.user} before the first question`);
    const prepared = element("details", {}, summary);
    const fillPrepared = async () => prepared.append(...(await transcriptParts(answer.preparation, question)));
    prepared.addEventListener("toggle", () => void fillPrepared(), { once: true });
    void transcriptParts(answer.transcript, question).then((shown) => side.append(...shown, prepared));
    return side;
  }
}

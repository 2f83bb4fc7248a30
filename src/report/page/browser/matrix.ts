import type { PackedAnswer, PackedQuestion, PackedRun } from "../packed.js";
import { armOf, markOf } from "./answers.js";
import { byId, element } from "./dom.js";

type OnOpen = (question: PackedQuestion, answer: PackedAnswer) => void;

/** Lines that are added at a time: a page of 20,000 answers has elements only for what was asked for. */
const LINES = 100;

/** Shows questions in a table, one line a question, one column a method. The button below adds lines. */
export function matrixOf(
  run: PackedRun,
  onOpen: OnOpen,
): { show(task: number, questions: readonly PackedQuestion[]): void } {
  const table = byId("matrix", HTMLTableElement);
  const [head, body] = [table.tHead!, table.tBodies[0]!];
  const more = byId("more", HTMLButtonElement);
  let [questions, arms]: [readonly PackedQuestion[], readonly number[]] = [[], []];
  const add = (): void => {
    const from = body.rows.length;
    body.append(...questions.slice(from, from + LINES).map((question) => lineOf(run, question, { arms, onOpen })));
    more.hidden = body.rows.length >= questions.length;
  };
  more.addEventListener("click", add);
  return {
    show(task, found) {
      questions = found;
      arms = run.arms.flatMap((arm, a) => (arm.task === task ? [a] : []));
      const titles = ["question", "user", "asked", "gold", ...arms.map((arm) => run.arms[arm]?.label ?? "")];
      head.replaceChildren(
        element(
          "tr",
          {},
          ...titles.map((title, t) => element("th", { scope: "col", class: t < 4 ? title : "method" }, title)),
        ),
      );
      body.replaceChildren();
      add();
    },
  };
}

/** Characters of a text in a field; the whole of it is in the transcript. */
const SHOWN_CHARS = 160;
const short = (text: string | undefined): string => (text ?? "–").replace(/\s+/g, " ").slice(0, SHOWN_CHARS);

interface Line {
  readonly arms: readonly number[];
  readonly onOpen: OnOpen;
}

function lineOf(run: PackedRun, question: PackedQuestion, { arms, onOpen }: Line): HTMLElement {
  const { id, repeat, user, asked, gold, answers } = question;
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "question" }, `${id}${repeat === 0 ? "" : ` #${repeat + 1}`}`),
    element("td", { class: "user" }, user),
    element("td", { class: "asked" }, element("span", {}, short(asked))),
    element("td", { class: "gold" }, element("span", {}, short(gold))),
    ...arms.map((arm) => {
      const answer = answers.find((one) => one.arm === arm);
      if (answer === undefined) return element("td", { class: "method" });
      const { sign, name } = signOf(run, answer);
      const mark = element("b", { class: `mark ${markOf(run, answer)}`, role: "img", "aria-label": name }, sign);
      const button = element("button", { type: "button" }, mark, element("span", {}, short(answer.text)));
      button.addEventListener("click", () => onOpen(question, answer));
      return element("td", { class: "method" }, button);
    }),
  );
}

const signs: Readonly<Record<string, string>> = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };

/** What stands for an answer: right or wrong of labels, the error of ratings, the score of texts. */
function signOf(run: PackedRun, answer: PackedAnswer): { readonly sign: string; readonly name: string } {
  const [mark, metric] = [markOf(run, answer), armOf(run, answer)?.metric];
  const { value } = answer;
  if (value !== undefined && mark === "wrong" && metric?.better === "lower")
    return { sign: `±${value}`, name: `wrong by ${value}` };
  if (value === undefined || mark !== "–") return { sign: signs[mark] ?? "–", name: mark };
  const sign = value.toFixed(2).replace(/^0/, "");
  return { sign, name: `${metric?.name} ${sign}` };
}

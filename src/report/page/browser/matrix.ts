import type { PageAnswer, PageQuestion, PageRun } from "../data.js";
import { armOf, type Filter, filterQuestions, markOf } from "./answers.js";
import { element, openDetail } from "./detail.js";

/** Lines that are added at a time: a page of 20,000 answers has elements only for what was asked for. */
const LINES = 100;

/** Characters of a text in a field; the whole of it is in the transcript. */
const SHOWN_CHARS = 160;
const short = (text: string | undefined): string => (text ?? "–").replace(/\s+/g, " ").slice(0, SHOWN_CHARS);

/** Shows the questions that pass the filter in a table, one line a question, one column a method. */
export function startMatrix(run: PageRun): void {
  const form = document.querySelector<HTMLFormElement>("#filter")!;
  const { tHead, tBodies } = document.querySelector<HTMLTableElement>("#matrix")!;
  const [head, body] = [tHead!, tBodies[0]!];
  const more = document.querySelector<HTMLButtonElement>("#more")!;
  let found: PageQuestion[] = [];
  let arms: number[] = [];
  const add = (): void => {
    const from = body.rows.length;
    body.append(...found.slice(from, from + LINES).map((question) => lineOf(run, question, arms)));
    more.hidden = body.rows.length >= found.length;
  };
  const refresh = (): void => {
    const filter = Object.fromEntries(new FormData(form)) as Filter;
    const task = run.tasks.indexOf(filter.task);
    found = filterQuestions(run, filter);
    arms = [...run.arms.keys()].filter((arm) => run.arms[arm]!.task === task);
    const titles = ["question", "user", "asked", "gold", ...arms.map((arm) => run.arms[arm]!.label)];
    const cells = titles.map((title, t) => element("th", { scope: "col", class: t < 4 ? title : "method" }, title));
    head.replaceChildren(element("tr", {}, ...cells));
    body.replaceChildren();
    add();
    const all = run.questions.filter((question) => question.task === task).length;
    const counts = [found.length, all].map((count) => count.toLocaleString("en-US"));
    document.querySelector("#count")!.textContent = `${counts.join(" of ")} questions`;
  };
  more.addEventListener("click", add);
  form.addEventListener("input", refresh);
  form.addEventListener("reset", () => setTimeout(refresh));
  form.addEventListener("submit", (event) => event.preventDefault());
  refresh();
}

function lineOf(run: PageRun, question: PageQuestion, arms: readonly number[]): HTMLElement {
  const { id, repeat, user, asked, gold, answers } = question;
  const cells = arms.map((arm) => {
    const answer = answers.find((one) => one.arm === arm);
    if (answer === undefined) return element("td", { class: "method" });
    const [sign, name] = signOf(run, answer);
    const mark = element("b", { class: `mark ${markOf(run, answer)}`, role: "img", "aria-label": name }, sign);
    const button = element("button", { type: "button" }, mark, element("span", {}, short(answer.text)));
    button.addEventListener("click", () => openDetail(run, question, answer));
    return element("td", { class: "method" }, button);
  });
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "question" }, `${id}${repeat === 0 ? "" : ` #${repeat + 1}`}`),
    element("td", { class: "user" }, user),
    element("td", { class: "asked" }, element("span", {}, short(asked))),
    element("td", { class: "gold" }, element("span", {}, short(gold))),
    ...cells,
  );
}

const signs: Readonly<Record<string, string>> = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };

/** What stands for an answer: right or wrong of labels, the error of ratings, the score of texts. */
function signOf(run: PageRun, answer: PageAnswer): readonly [sign: string, name: string] {
  const [mark, metric, { value }] = [markOf(run, answer), armOf(run, answer)?.metric, answer];
  if (value !== undefined && mark === "wrong" && metric?.better === "lower") return [`±${value}`, `wrong by ${value}`];
  if (value === undefined || mark !== "–") return [signs[mark] ?? "–", mark];
  const score = value.toFixed(2).replace(/^0/, "");
  return [score, `${metric?.name} ${score}`];
}

import type { PageRun } from "../data.js";
import { advantage, answerOf } from "./answers.js";
import { all, element, one } from "./dom.js";

/** Makes the cells of the pair tables tell which questions only one of two methods answered better. */
export function startPairs(run: PageRun): void {
  for (const figure of all(".pairs-figure")) {
    const cells = all<HTMLButtonElement>("button", figure);
    for (const cell of cells) cell.addEventListener("click", () => select(run, cell, figure));
    if (cells[0] !== undefined) select(run, cells[0], figure);
  }
}

function select(run: PageRun, cell: HTMLButtonElement, figure: HTMLElement): void {
  for (const other of all("button", figure)) other.setAttribute("aria-pressed", String(other === cell));
  const { a = "", b = "", task = "", says = "" } = cell.dataset;
  one(".pair-says", figure)!.replaceChildren(
    says,
    ` ${a} is better on `,
    linkTo(run, task, a, b),
    ", the other way round on ",
    linkTo(run, task, b, a),
    ".",
  );
}

/** Links the questions that the first answered better. */
function linkTo(run: PageRun, task: string, first: string, second: string): Node | string {
  const number = run.tasks.indexOf(task);
  const armOf = (label: string): number => run.arms.findIndex((arm) => arm.task === number && arm.label === label);
  const isBetter = (question: PageRun["questions"][number]): boolean =>
    (advantage(run, answerOf(question, armOf(first)), answerOf(question, armOf(second))) ?? 0) > 0;
  const count = run.questions.filter((question) => question.task === number && isBetter(question)).length;
  const text = `${count} ${count === 1 ? "question" : "questions"}`;
  if (count === 0) return text;
  const isExact = run.arms[armOf(first)]?.metric?.exact === true;
  const outcomes =
    isExact && run.arms[armOf(first)]?.metric?.better === "higher" ? ["right", "wrong"] : ["better", "worse"];
  const address = new URLSearchParams({ t: task, a: `${first}:${outcomes[0]}`, b: `${second}:${outcomes[1]}` });
  if (run.tasks.length === 1) address.delete("t");
  return element("a", { href: `#${String(address).replaceAll("%3A", ":")}` }, text);
}

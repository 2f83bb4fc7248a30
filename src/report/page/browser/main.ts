import type { PackedAnswer, PackedQuestion, PackedRun } from "../packed.js";
import { addressOf, type Filter, filterQuestions, isComparing } from "./answers.js";
import { detailOf } from "./detail.js";
import { byId, inflate } from "./dom.js";
import { matrixOf } from "./matrix.js";
import { startPairs, startSorting } from "./tables.js";

startSorting();
startPairs();
if (document.getElementById("run") !== null) void inflate<PackedRun>("run").then(startAnswers);

/** The questions, their filter, and the dialog of the opened one; the address always tells what is shown. */
function startAnswers(run: PackedRun): void {
  const form = byId("filter", HTMLFormElement);
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
  const count = byId("count", HTMLElement);
  let opened: string | undefined;
  const tell = (): void => {
    const shown = new URLSearchParams();
    for (const field of fields) if (!field.hidden && field.value !== firstOf(field)) shown.set(field.name, field.value);
    if (opened !== undefined) shown.set("row", opened);
    history.replaceState(null, "", `#${shown}`);
  };
  const showDetail = detailOf(run, () => {
    opened = undefined;
    tell();
  });
  const open = (question: PackedQuestion, answer: PackedAnswer): void => {
    opened = addressOf(question, answer);
    showDetail(question, answer);
    tell();
  };
  const matrix = matrixOf(run, open);
  const refresh = (): void => {
    const filter = Object.fromEntries(fields.map(({ name, value }) => [name, value])) as Filter;
    const task = Math.max(0, run.tasks.indexOf(filter.task));
    const found = filterQuestions(run, filter);
    matrix.show(task, found);
    const all = run.questions.filter((question) => question.task === task).length;
    count.textContent = `${found.length.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} questions`;
    form.querySelector<HTMLElement>("[name=against]")!.hidden = !isComparing(filter);
  };
  /** Shows what the address says; one without `=` names a section of the page. */
  const follow = (): void => {
    if (!location.hash.includes("=")) return;
    const view = new URLSearchParams(location.hash.slice(1));
    const [cell, id] = (view.get("row") ?? "").split("/").map(decodeURIComponent);
    const question = run.questions.find((one) => one.id === id && one.answers.some((answer) => answer.cell === cell));
    if (question !== undefined && !view.has("task")) view.set("task", run.tasks[question.task]!);
    for (const field of fields) field.value = view.get(field.name) ?? firstOf(field);
    refresh();
    const answer = question?.answers.find((one) => one.cell === cell);
    if (question !== undefined && answer !== undefined) open(question, answer);
    byId("answers", HTMLElement).scrollIntoView();
  };
  const changed = (): void => {
    refresh();
    tell();
  };
  form.addEventListener("input", changed);
  form.addEventListener("reset", () => setTimeout(changed));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  refresh();
  follow();
}

/** What a field holds when nobody has chosen. */
const firstOf = (field: HTMLInputElement | HTMLSelectElement): string =>
  field instanceof HTMLSelectElement ? (field.options[0]?.value ?? "") : "";

import type { PackedRun } from "../packed.js";
import { readView, writeView } from "./address.js";
import { type Chunks, chunksOf } from "./chunks.js";
import { detailPanel } from "./detail.js";
import { byId, options } from "./dom.js";
import { type Filter, filterQuestions, isComparing, noFilter } from "./filter.js";
import { startKeys } from "./keys.js";
import { matrixOf } from "./matrix.js";
import { startPersonas } from "./personas.js";
import { startReload } from "./reload.js";
import { answerId, answerOf, besideOf, type Run, runOf } from "./run.js";
import { startPairs, startParts, startSearch, startSorting } from "./tables.js";
import { startTheme } from "./theme.js";

const nextTheme = startTheme();
startSorting();
startPairs();
startSearch();
startParts();
startReload();
const data = document.getElementById("run")?.textContent;
if (data !== undefined) {
  const packed: PackedRun = JSON.parse(data);
  const chunks = chunksOf(packed);
  startPersonas(packed, chunks);
  startBrowser(runOf(packed), chunks);
}

/** The questions, their filters, and the panel of the opened one; the address always tells what is shown. */
function startBrowser(run: Run, chunks: Chunks): void {
  const field = {
    task: byId("filter-task", HTMLSelectElement),
    text: byId("filter-text", HTMLInputElement),
    method: byId("filter-method", HTMLSelectElement),
    user: byId("filter-user", HTMLInputElement),
    show: byId("filter-show", HTMLSelectElement),
    against: byId("filter-against", HTMLSelectElement),
    order: byId("filter-order", HTMLSelectElement),
  };
  const everywhere = byId("filter-transcripts", HTMLInputElement);
  const count = byId("rows-count", HTMLElement);
  const labels = [...new Set(run.arms.map(({ label }) => label))];
  options(field.task, run.tasks, undefined);
  options(field.method, labels, "by any method");
  options(field.against, labels, undefined);
  byId("user-names", HTMLDataListElement).replaceChildren(
    ...run.users.map((value) => Object.assign(document.createElement("option"), { value })),
  );

  let filter: Filter = noFilter;
  let hits: Uint8Array | undefined;
  const matrix = matrixOf(run, open);
  const detail = detailPanel(run, chunks, open);
  const tell = (): void => {
    const idOf = (answer: number | undefined) => (answer === undefined ? undefined : answerId(run, answer));
    history.replaceState(null, "", writeView({ filter, row: idOf(detail.answer), beside: idOf(detail.beside) }));
  };
  const refresh = (): void => {
    const task = Math.max(0, run.tasks.indexOf(filter.task));
    const found = filterQuestions(run, filter, hits);
    const all = run.questions.filter((question) => question.task === task).length;
    matrix.show(task, found);
    count.textContent = `${found.length.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} questions`;
    field.against.hidden = !isComparing(filter.show);
  };
  const searchTranscripts = async (): Promise<void> => {
    const { text } = filter;
    hits = undefined;
    if (!everywhere.checked || text.trim() === "") return;
    count.textContent = "searching transcripts …";
    hits = await chunks.search(text, () => filter.text === text && everywhere.checked);
    if (hits !== undefined) refresh();
  };
  const changed = (): void => {
    const chosen = new URLSearchParams(Object.entries(field).map(([name, { value }]) => [name, value]));
    filter = readView(`#${chosen}`)?.filter ?? noFilter;
    if (filter.task === run.tasks[0]) filter = { ...filter, task: "" };
    hits = undefined;
    refresh();
    tell();
    void searchTranscripts();
  };
  function open(answer: number, beside = besideOf(run, answer)): void {
    matrix.select(answer);
    detail.open(answer, beside);
    tell();
  }
  /** Closes what is open; where nothing is, no filter is left on. */
  const close = (): void => {
    if (detail.answer === undefined) {
      byId("filter-form", HTMLFormElement).reset();
      return;
    }
    detail.close();
    tell();
  };
  const follow = (): void => {
    const view = readView(location.hash);
    const [answer, beside] = [view?.row, view?.beside].map((id) => (id === undefined ? undefined : answerOf(run, id)));
    filter = { ...(view?.filter ?? filter) };
    if (answer !== undefined && filter.task === "")
      filter = { ...filter, task: run.tasks[run.questions[run.question[answer]!]!.task]! }; // an answer has both
    if (filter.against === "") filter = { ...filter, against: labels[0] ?? "" };
    for (const [name, input] of Object.entries(field)) input.value = filter[name as keyof Filter];
    if (filter.task === "") field.task.value = run.tasks[0] ?? "";
    refresh();
    if (view !== undefined) byId("rows-section", HTMLElement).scrollIntoView();
    if (answer === undefined) detail.close();
    else if (answer !== detail.answer || beside !== detail.beside) {
      matrix.select(answer);
      detail.open(answer, beside);
    }
  };

  for (const input of Object.values(field)) input.addEventListener("input", changed);
  everywhere.addEventListener("change", changed);
  byId("filter-form", HTMLFormElement).addEventListener("reset", () => setTimeout(changed));
  byId("filter-form", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
  byId("detail", HTMLElement).addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest(".close") !== null) close();
  });
  addEventListener("hashchange", follow);
  follow();
  startKeys({
    move(lines, columns = 0) {
      const answer = matrix.move(lines, columns);
      if (answer !== undefined && detail.answer !== undefined) open(answer);
    },
    open() {
      if (matrix.selected !== undefined) open(matrix.selected);
    },
    close,
    search() {
      field.text.focus();
      field.text.select();
    },
    theme: nextTheme,
  });
}

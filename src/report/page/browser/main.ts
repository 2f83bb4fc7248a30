import type { PackedRows } from "../packed.js";
import { readView, writeView } from "./address.js";
import { type Chunks, chunksOf } from "./chunks.js";
import { detailPanel, rowId, rowOf } from "./detail.js";
import { byId, options } from "./dom.js";
import { type Filter, filterRows, isComparing, noFilter, shows } from "./filter.js";
import { startKeys } from "./keys.js";
import { rowList } from "./list.js";
import { startPersonas } from "./personas.js";
import { startPairs, startParts, startSorting } from "./tables.js";
import { startTheme } from "./theme.js";

const nextTheme = startTheme();
startSorting();
startPairs();
const rows: PackedRows = JSON.parse(byId("rows", HTMLScriptElement).textContent ?? "");
const chunks = chunksOf(rows);
startParts();
startPersonas(rows, chunks);
startBrowser(chunks);

/** The list of rows, its filters, and the panel of the opened one; the address always tells what is shown. */
function startBrowser(chunks: Chunks): void {
  const field = {
    text: byId("filter-text", HTMLInputElement),
    task: byId("filter-task", HTMLSelectElement),
    method: byId("filter-method", HTMLSelectElement),
    user: byId("filter-user", HTMLInputElement),
    show: byId("filter-show", HTMLSelectElement),
    against: byId("filter-against", HTMLSelectElement),
    order: byId("filter-order", HTMLSelectElement),
  };
  const everywhere = byId("filter-transcripts", HTMLInputElement);
  const count = byId("rows-count", HTMLElement);
  const unique = (texts: readonly string[]) => [...new Set(texts)];
  options(field.task, unique(rows.arms.map(({ task }) => task)), "all tasks");
  const labels = unique(rows.arms.map(({ label }) => label));
  options(field.method, labels, "all methods");
  options(field.against, labels, undefined);
  byId("user-names", HTMLDataListElement).replaceChildren(
    ...rows.users.map((value) => Object.assign(document.createElement("option"), { value })),
  );

  let filter: Filter = noFilter;
  let hits: Uint8Array | undefined;
  const list = rowList(rows, open);
  const detail = detailPanel(rows, chunks, open);
  const tell = (): void => {
    const idOf = (row: number | undefined) => (row === undefined ? undefined : rowId(rows, row));
    history.replaceState(null, "", writeView({ filter, row: idOf(detail.row), beside: idOf(detail.beside) }));
  };
  const refresh = (): void => {
    const found = filterRows(rows, filter, hits);
    list.show(found);
    count.textContent = `${found.length.toLocaleString("en-US")} of ${rows.cell.length.toLocaleString("en-US")} rows`;
    field.against.disabled = !isComparing(filter.show);
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
    filter = {
      text: field.text.value,
      task: field.task.value,
      method: field.method.value,
      user: field.user.value,
      show: shows.find((show) => show === field.show.value) ?? "all",
      against: field.against.value,
      order: field.order.value === "worst" || field.order.value === "best" ? field.order.value : "run",
    };
    hits = undefined;
    refresh();
    tell();
    void searchTranscripts();
  };
  function open(row: number, beside?: number): void {
    list.select(row);
    detail.open(row, beside);
    tell();
  }
  /** Closes what is open; where nothing is, no filter is left on. */
  const close = (): void => {
    if (detail.row === undefined) {
      byId("filter-form", HTMLFormElement).reset();
      return;
    }
    detail.close();
    tell();
  };
  const follow = (): void => {
    const view = readView(location.hash);
    filter = { ...(view?.filter ?? filter) };
    if (filter.against === "") filter = { ...filter, against: labels[0] ?? "" };
    for (const [name, input] of Object.entries(field)) input.value = filter[name as keyof Filter];
    refresh();
    if (view !== undefined) byId("rows-section", HTMLElement).scrollIntoView();
    const [row, beside] = [view?.row, view?.beside].map((id) => (id === undefined ? undefined : rowOf(rows, id)));
    if (row === undefined) detail.close();
    else if (row !== detail.row || beside !== detail.beside) {
      list.select(row);
      detail.open(row, beside);
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
    move(lines) {
      const row = list.beside(lines);
      if (row === undefined) return;
      if (detail.row === undefined) list.select(row);
      else open(row);
    },
    open() {
      if (list.selected !== undefined) open(list.selected);
    },
    close,
    search() {
      field.text.focus();
      field.text.select();
    },
    theme: nextTheme,
  });
}

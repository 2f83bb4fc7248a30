/** A link to a closed section opens it, and paper has all of them. */
export function startParts(): void {
  const parts = [...document.querySelectorAll<HTMLDetailsElement>("details.part, details.about")];
  const follow = (): void => {
    const id = location.hash.slice(1);
    if (id === "" || id.includes("=")) return;
    const target = document.getElementById(id);
    const part =
      target?.querySelector<HTMLDetailsElement>("details.part") ?? target?.closest<HTMLDetailsElement>("details.part");
    if (part === null || part === undefined || part.open) return;
    part.open = true;
    target?.scrollIntoView();
  };
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    closed = parts.filter((part) => !part.open);
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
  addEventListener("hashchange", follow);
  follow();
}

/** Makes the column titles of every `table.sortable` sort it: best first, then worst first. */
export function startSorting(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable"))
    for (const [column, head] of [...table.tHead!.rows[0]!.cells].entries())
      head.querySelector("button")!.addEventListener("click", () => sortBy(table, column));
}

/** Leaves in the tables of comparisons the pairs of the methods that were chosen. */
export function startPairs(): void {
  for (const section of document.querySelectorAll<HTMLElement>(".pairs")) {
    const chosen = [...section.querySelectorAll("select")];
    const choose = (): void => {
      for (const row of section.querySelectorAll<HTMLTableRowElement>("tbody tr")) {
        const arms = [...row.cells].slice(0, 2).map(({ textContent }) => textContent);
        row.hidden = chosen.some(({ value }) => value !== "" && !arms.includes(value));
      }
    };
    section.addEventListener("change", choose);
    choose();
  }
}

/** Leaves the rows that hold what is typed, in every table of the page. */
export function startSearch(): void {
  const field = document.getElementById("search-rows");
  if (!(field instanceof HTMLInputElement)) return;
  field.addEventListener("input", () => {
    const needle = field.value.trim().toLowerCase();
    for (const row of document.querySelectorAll<HTMLTableRowElement>("table.sortable tbody tr:not(.reference)"))
      row.hidden = !row.textContent.toLowerCase().includes(needle);
  });
}

function sortBy(table: HTMLTableElement, column: number): void {
  const heads = [...table.tHead!.rows[0]!.cells];
  const head = heads[column]!;
  const first = head.classList.contains("text") ? "ascending" : "descending";
  const second = first === "ascending" ? "descending" : "ascending";
  const direction = head.getAttribute("aria-sort") === first ? second : first;
  for (const other of heads) other.setAttribute("aria-sort", other === head ? direction : "none");
  const body = table.tBodies[0]!;
  const sign = direction === "ascending" ? 1 : -1;
  const sorted = [...body.rows].sort(
    (a, b) => pinned(a) - pinned(b) || compare(a.cells[column], b.cells[column], sign),
  );
  body.append(...sorted);
}

const pinned = (row: HTMLTableRowElement): number => (row.classList.contains("reference") ? 1 : 0);

/** Cells without a value stand last in either direction. */
function compare(a: HTMLElement | undefined, b: HTMLElement | undefined, sign: number): number {
  if (a?.matches("th, .text") === true) return sign * (a.textContent ?? "").localeCompare(b?.textContent ?? "", "en");
  const [x, y] = [numberOf(a), numberOf(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return sign * (x - y);
}

const numberOf = (cell: HTMLElement | undefined): number => Number.parseFloat(cell?.dataset.value ?? "");

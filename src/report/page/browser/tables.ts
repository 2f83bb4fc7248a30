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

/** Makes the column titles of every `table.sortable` sort it: best first, then worst first. */
export function startSorting(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable"))
    for (const [column, head] of [...table.tHead!.rows[0]!.cells].entries())
      head.querySelector("button")!.addEventListener("click", () => sortBy(table, column));
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
  body.append(
    ...[...body.rows].sort((a, b) => pinned(a) - pinned(b) || compare(a.cells[column], b.cells[column], sign)),
  );
}

const pinned = (row: HTMLTableRowElement): number => (row.classList.contains("reference") ? 1 : 0);

/** Cells without a value stand last in either direction. */
function compare(a: HTMLElement | undefined, b: HTMLElement | undefined, sign: number): number {
  if (a?.matches("th, .text") === true) return sign * (a.textContent ?? "").localeCompare(b?.textContent ?? "", "en");
  const [x, y] = [a, b].map((cell) => Number.parseFloat(cell?.dataset.value ?? "")) as [number, number];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return sign * (x - y);
}

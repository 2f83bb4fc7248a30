import type { PackedRun } from "../packed.js";
import { inflate } from "./detail.js";
import { startMatrix } from "./matrix.js";

for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable"))
  for (const [column, head] of [...table.tHead!.rows[0]!.cells].entries())
    head.querySelector("button")!.addEventListener("click", () => sortBy(table, column));
for (const section of document.querySelectorAll<HTMLElement>(".pairs"))
  section.addEventListener("change", () => choosePairs(section));
if (document.getElementById("run") !== null) void inflate<PackedRun>("run").then(startMatrix);

/** Leaves the pairs of the methods that were chosen. */
function choosePairs(section: HTMLElement): void {
  const chosen = [...section.querySelectorAll("select")].map(({ value }) => value);
  for (const row of section.querySelectorAll<HTMLTableRowElement>("tbody tr")) {
    const arms = [...row.cells].slice(0, 2).map(({ textContent }) => textContent);
    row.hidden = chosen.some((value) => value !== "" && !arms.includes(value));
  }
}

/** Sorts by a column: the largest first, then the smallest; texts the other way round. */
function sortBy(table: HTMLTableElement, column: number): void {
  const heads = [...table.tHead!.rows[0]!.cells];
  const head = heads[column]!;
  const isText = head.classList.contains("text");
  const before = head.getAttribute("aria-sort");
  const isRising = before === "none" ? isText : before === "descending";
  for (const other of heads)
    other.setAttribute("aria-sort", other === head ? (isRising ? "ascending" : "descending") : "none");
  const body = table.tBodies[0]!;
  const sign = isRising ? 1 : -1;
  const order = (a: HTMLTableRowElement, b: HTMLTableRowElement): number =>
    pinned(a) - pinned(b) || compare(a.cells[column], b.cells[column], { isText, sign });
  body.append(...[...body.rows].sort(order));
}

const pinned = (row: HTMLTableRowElement): number => (row.classList.contains("reference") ? 1 : 0);

/** Cells without a value stand last in either direction. */
function compare(a: HTMLElement | undefined, b: HTMLElement | undefined, { isText, sign }: Order): number {
  if (isText) return sign * (a?.textContent ?? "").localeCompare(b?.textContent ?? "", "en");
  const [x, y] = [a, b].map((cell) => Number.parseFloat(cell?.dataset.value ?? "")) as [number, number];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return sign * (x - y);
}

interface Order {
  readonly isText: boolean;
  readonly sign: 1 | -1;
}

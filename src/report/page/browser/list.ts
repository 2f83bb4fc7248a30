import type { PackedRows } from "../packed.js";
import { byId, element } from "./dom.js";
import { armOf, isRight } from "./filter.js";

interface RowList {
  /** Shows these rows, from the top. */
  show(found: readonly number[]): void;
  /** Marks a row, brings it into view and returns it; undefined: it is not in the list. */
  select(row: number): number | undefined;
  /** The row so many lines below the marked one, or the nearest there is. */
  beside(lines: number): number | undefined;
  readonly selected: number | undefined;
}

/** Pixels; the style sheet has the same. */
const LINE_HEIGHT = 30;
const EXTRA_LINES = 10;

/** A list of any length of which only the lines in view are elements. */
export function rowList(rows: PackedRows, onOpen: (row: number) => void): RowList {
  const grid = byId("rows-grid", HTMLDivElement);
  const body = byId("rows-body", HTMLDivElement);
  let found: readonly number[] = [];
  let at = -1;
  const draw = (): void => {
    const first = Math.max(0, Math.floor(grid.scrollTop / LINE_HEIGHT) - EXTRA_LINES);
    const last = Math.min(found.length, Math.ceil((grid.scrollTop + grid.clientHeight) / LINE_HEIGHT) + EXTRA_LINES);
    body.style.height = `${found.length * LINE_HEIGHT}px`;
    const lines: Node[] = [];
    for (let line = first; line < last; line++) lines.push(lineOf(rows, found[line]!, line, line === at));
    body.replaceChildren(...lines);
    if (at === -1) grid.removeAttribute("aria-activedescendant");
    else grid.setAttribute("aria-activedescendant", `line-${at}`);
  };
  grid.addEventListener("scroll", draw, { passive: true });
  addEventListener("resize", draw);
  body.addEventListener("click", (event) => {
    const line = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-line]") : null;
    const row = found[Number(line?.dataset.line ?? -1)];
    if (row !== undefined) onOpen(row);
  });
  return {
    show(next) {
      const row = found[at];
      found = next;
      at = row === undefined ? -1 : found.indexOf(row);
      grid.setAttribute("aria-rowcount", String(found.length + 1)); // the titles are a row too
      if (at === -1) grid.scrollTop = 0;
      else bringIntoView(grid, at);
      draw();
    },
    select(row) {
      at = found.indexOf(row);
      if (at !== -1) bringIntoView(grid, at);
      draw();
      return found[at];
    },
    beside: (lines) => found[Math.min(found.length - 1, Math.max(0, at + lines))],
    get selected() {
      return found[at];
    },
  };
}

/** `right`, `wrong`, `unparsed`, `failed`, or a dash where answers are texts or there is no gold. */
export function markOf(rows: PackedRows, row: number): string {
  if (rows.kind[row] === "f") return "failed";
  if (rows.kind[row] === "u") return "unparsed";
  const right = isRight(rows, row);
  if (right === undefined) return "–";
  return right ? "right" : "wrong";
}

/** As in the tables: `.513`. */
export const scoreText = (value: number | null | undefined): string =>
  typeof value === "number" ? value.toFixed(3).replace(/^(-?)0\./, "$1.") : "–";

function bringIntoView(grid: HTMLElement, line: number): void {
  const head = 34; // the sticky titles
  const top = line * LINE_HEIGHT;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + LINE_HEIGHT + head > grid.scrollTop + grid.clientHeight)
    grid.scrollTop = top + LINE_HEIGHT + head - grid.clientHeight;
}

/** Characters of a text in a line; the whole of it is in the transcript. */
const SHOWN_CHARS = 160;

function lineOf(rows: PackedRows, row: number, line: number, selected: boolean): HTMLElement {
  const arm = armOf(rows, row);
  const repeat = rows.cells[rows.cell[row]!]?.repeat ?? 0;
  const short = (text: string | undefined) => (text ?? "–").replace(/\s+/g, " ").slice(0, SHOWN_CHARS);
  const cell = (kind: string, text: string) => element("span", { role: "gridcell", class: kind }, text);
  const made = element(
    "div",
    {
      role: "row",
      class: "line",
      id: `line-${line}`,
      "aria-rowindex": String(line + 2),
      "aria-selected": String(selected),
      "data-line": String(line),
    },
    cell("mark", markOf(rows, row)),
    cell("task", arm?.task ?? ""),
    cell("method", `${arm?.label ?? ""}${repeat === 0 ? "" : ` #${repeat + 1}`}`),
    cell("user", rows.users[rows.user[row]!] ?? ""),
    cell("question", rows.questions[rows.question[row]!] ?? ""),
    cell("asked", short(rows.askedTexts[rows.asked[row] ?? -1])),
    cell("gold", short(rows.texts[rows.gold[row]!])),
    cell("reply", short(rows.texts[rows.reply[row]!])),
    cell("score", scoreText(rows.value[row])),
  );
  made.style.top = `${line * LINE_HEIGHT}px`;
  made.dataset.kind = markOf(rows, row);
  return made;
}

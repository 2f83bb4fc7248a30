import type { PageRun } from "../data.js";
import { inflate } from "./detail.js";
import { startMatrix } from "./matrix.js";

for (const section of document.querySelectorAll<HTMLElement>(".pairs"))
  section.addEventListener("change", () => choosePairs(section));
if (document.getElementById("run") !== null) void inflate<PageRun>("run").then(startMatrix);

/** Leaves the pairs of the methods that were chosen. */
function choosePairs(section: HTMLElement): void {
  const chosen = [...section.querySelectorAll("select")].map(({ value }) => value);
  for (const row of section.querySelectorAll<HTMLTableRowElement>("tbody tr")) {
    const arms = [...row.cells].slice(0, 2).map(({ textContent }) => textContent);
    row.hidden = chosen.some((value) => value !== "" && !arms.includes(value));
  }
}

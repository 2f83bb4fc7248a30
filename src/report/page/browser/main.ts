import type { PageRun } from "../data.js";
import { Browse, markWideTables } from "./browse.js";
import { all, inflate, one } from "./dom.js";
import { startPairs } from "./pairs.js";

markWideTables();
for (const inner of all(".scroll")) inner.addEventListener("scroll", markWideTables, { passive: true });
addEventListener("resize", markWideTables);
if (document.getElementById("run-data") !== null) void inflate<PageRun>("run-data").then(start);

function start(run: PageRun): void {
  startPairs(run);
  const browse = new Browse(run);
  const filter = one<HTMLDetailsElement>(".filter");
  if (filter !== undefined && matchMedia("(max-width: 699px)").matches) filter.open = false;
  addEventListener("resize", () => browse.resize());
  addEventListener("hashchange", () => browse.readAddress());
  addEventListener("popstate", () => browse.readAddress());
  browse.readAddress();
}

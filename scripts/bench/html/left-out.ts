import type { Page } from "playwright-core";
import { scoreAll } from "../../../src/metrics/score-all.js";
import { readManifest } from "../../../src/run/manifest/manifest.js";
import { eachLatestRow } from "../../../src/run/run-rows.js";
import { isMean } from "../../../src/statistics/mean-metric.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row } from "../../../src/types.js";
import { timeFilter } from "./time-filter.js";

/** Rows that a page of a large run is to have all of. */
export interface Telling {
  readonly failed: number;
  /** By task with labels: answers of another score than the first method's to the same question. */
  readonly flipped: ReadonlyMap<string, number>;
}

/** Counted from the rows of a run of one repeat, one task after the other. */
export function tellingRows(run: string): Telling {
  const cells = readManifest(run)?.plan.cells ?? [];
  const taskOf = new Map(cells.map((cell) => [cell.id, cell.task]));
  const first = new Map([...cells].reverse().map((cell) => [cell.task, cell.id]));
  const values = new Map<string, number>();
  const flipped = new Map<string, number>();
  let failed = 0;
  const scoreOf = (row: Row): number | undefined => {
    const task = tasks.get(taskOf.get(row.cell) ?? "");
    const metric = task.kind === "text" ? undefined : task.metrics.find(isMean);
    if (metric === undefined || row.outcome.kind === "failed" || row.gold === undefined) return undefined;
    const prediction = row.outcome.kind === "answered" ? row.outcome.reply : "";
    return scoreAll(metric, [{ prediction, gold: row.gold }]);
  };
  for (const row of eachLatestRow(run)) {
    const value = scoreOf(row);
    const task = taskOf.get(row.cell) ?? "";
    if (row.outcome.kind === "failed") failed += 1;
    if (value !== undefined && row.cell === first.get(task)) values.set(`${task}\t${row.question}`, value);
  }
  for (const row of eachLatestRow(run)) {
    const task = taskOf.get(row.cell) ?? "";
    const [value, other] = [scoreOf(row), values.get(`${task}\t${row.question}`)];
    if (value !== undefined && other !== undefined && Math.abs(value - other) > 1e-9)
      flipped.set(task, (flipped.get(task) ?? 0) + 1);
  }
  return { failed, flipped };
}

/** What the page says it leaves out; empty where it says nothing. */
export const saysLeftOut = (page: Page): Promise<string> =>
  page.evaluate('document.getElementById("left-out")?.textContent ?? ""');

/** How many of these rows the list of the opened page has. Leaves its filter as it was at first. */
export async function listedRows(page: Page, wanted: Telling): Promise<Telling> {
  const count = async (): Promise<number> =>
    Number(/^[\d,]+/.exec(await page.innerText("#rows-count"))?.[0].replaceAll(",", "") ?? Number.NaN);
  await timeFilter(page, "filter-show", "failed");
  const failed = await count();
  await timeFilter(page, "filter-show", "flipped");
  const flipped = new Map<string, number>();
  for (const task of wanted.flipped.keys()) {
    await timeFilter(page, "filter-task", task);
    flipped.set(task, await count());
  }
  await timeFilter(page, "filter-task", "");
  await timeFilter(page, "filter-show", "all");
  return { failed, flipped };
}

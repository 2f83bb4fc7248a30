/**
 * The HTML report of 10,000 rows in Chromium: time to first paint, and of each filter until the list is drawn again.
 * Exits with 1 when a target is missed. `LAMP_EVAL_BROWSER` names a browser elsewhere than at /usr/bin/chromium.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { renderPage } from "../../src/report/page/page.js";
import { plantedPage } from "./html/planted-page.js";
import { timeFilter } from "./html/time-filter.js";

const QUESTIONS = 1000;
const METHODS = ["prompt", "icl", "rag", "pag", "persona-agent"];
const ROUNDS = 5;
const TARGETS = { paintMs: 2000, filterMs: 200 };

export async function main(_args: string[]): Promise<void> {
  const begin = performance.now();
  const html = renderPage(plantedPage({ questions: QUESTIONS, methods: METHODS, promptWords: 800 }));
  const rows = 2 * QUESTIONS * METHODS.length;
  console.log(`${rows} rows: ${(html.length / 1e6).toFixed(1)} MB, written in ${ms(performance.now() - begin)}`);
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const browser = await chromium.launch({
    executablePath: process.env.LAMP_EVAL_BROWSER ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const paints: number[] = [];
    const slowest = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(pathToFileURL(file).href);
      paints.push(await firstPaint(page));
      for (const [field, value] of filters) {
        const spent = await timeFilter(page, field, value);
        const name = `${field}=${value}`;
        slowest.set(name, Math.max(slowest.get(name) ?? 0, spent));
      }
      await page.close();
    }
    report(paints, slowest);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

const filters = [
  ["filter-show", "wrong"],
  ["filter-show", "flipped"],
  ["filter-method", "rag"],
  ["filter-text", "harbor"],
  ["filter-text", "q99"],
  ["filter-order", "worst"],
  ["filter-show", "all"],
] as const;

const ms = (value: number): string => `${value.toFixed(0)} ms`;

const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const seen = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const look = () => (seen() === undefined ? setTimeout(look, 10) : resolve(seen()));
    look();
  })`);

function report(paints: readonly number[], slowest: ReadonlyMap<string, number>): void {
  console.log(`first paint: ${paints.map(ms).join(", ")} (target ${ms(TARGETS.paintMs)})`);
  for (const [name, spent] of slowest)
    console.log(`${name}: ${ms(spent)}, the slowest of ${ROUNDS} (target ${ms(TARGETS.filterMs)})`);
  if (Math.max(...paints) > TARGETS.paintMs || Math.max(...slowest.values()) > TARGETS.filterMs) process.exitCode = 1;
}

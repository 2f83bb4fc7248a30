/**
 * The HTML report of 20,000 and of 400,000 made-up rows, made by the command and opened in Chromium: its size, the time to
 * first paint, and of each filter until the list is drawn again; what it says of rows that it leaves out, and whether the list
 * has every row that failed, which are counted apart from the page. Exits with 1 when a target is missed.
 * `npm run bench -- page [FOLDER [ROWS...]]`; FOLDER keeps runs, pages and pictures. `LAMP_EVAL_BROWSER` names a browser
 * elsewhere than at /usr/bin/chromium. Needs `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { runFiles } from "../../src/run/run-rows.js";
import { listedRows, saysLeftOut, type Telling, tellingRows } from "./html/left-out.js";
import { timeFilter } from "./html/time-filter.js";
import { writeSyntheticRun } from "./runs/synthetic-run.js";

const ROUNDS = 5;
/** Filters are judged on the page with all rows; of a larger run's page they are told. */
const TARGETS = { rows: 20_000, paintMs: 1000, filterMs: 200, megabytes: 60 };

export async function main([given, ...sizes]: string[]): Promise<void> {
  const folder = given ?? mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.LAMP_EVAL_BROWSER ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    for (const rows of sizes.length === 0 ? [TARGETS.rows, 400_000] : sizes.map(Number))
      await measure(browser, folder, rows);
  } finally {
    await browser.close();
  }
}

const filters = [
  ["filter-show", "wrong"],
  ["filter-show", "flipped"],
  ["filter-method", "rag"],
  ["filter-text", "kalo"],
  ["filter-text", "question-99"],
  ["filter-order", "worst"],
  ["filter-show", "all"],
] as const;

const command = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));
const ms = (value: number): string => `${value.toFixed(0)} ms`;

async function measure(browser: Browser, folder: string, rows: number): Promise<void> {
  const run = join(folder, `run-${rows}`);
  const file = join(folder, `page-${rows}.html`);
  if (!existsSync(join(run, runFiles.manifest))) writeSyntheticRun(run, { rows });
  const begin = performance.now();
  const made = spawnSync(process.execPath, [command, "report", run, "--html", "--out", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  const megabytes = statSync(file).size / 1e6;
  console.log(`${rows} rows: ${megabytes.toFixed(1)} MB, written in ${ms(performance.now() - begin)}`);
  const telling = tellingRows(run);
  const [paints, slowest]: [number[], Map<string, number>] = [[], new Map()];
  let isTold = true;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(pathToFileURL(file).href);
    paints.push(await firstPaint(page));
    if (round === 0) {
      await pictures(page, join(folder, `page-${rows}`));
      isTold = await tellsRows(page, rows, telling);
    }
    for (const [field, value] of filters) {
      const name = `${field}=${value}`;
      slowest.set(name, Math.max(slowest.get(name) ?? 0, await timeFilter(page, field, value)));
    }
    await page.close();
  }
  report(rows, { paints, slowest, megabytes, isTold });
}

const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const seen = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const look = () => (seen() === undefined ? setTimeout(look, 10) : resolve(seen()));
    look();
  })`);

/** The top of the page, its list, and an opened answer. */
async function pictures(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${name}-top.png` });
  await page.evaluate('document.getElementById("rows-section").scrollIntoView()');
  await page.screenshot({ path: `${name}-list.png` });
  await page.click("#rows-body .line:nth-child(4)");
  await page.waitForSelector("#detail pre");
  await page.screenshot({ path: `${name}-answer.png` });
  await page.keyboard.press("Escape");
}

/** Whether the list has all rows that failed, and the page says what it leaves out where it does. */
async function tellsRows(page: Page, rows: number, wanted: Telling): Promise<boolean> {
  const [says, listed] = [await saysLeftOut(page), await listedRows(page, wanted)];
  if (says !== "") console.log(`it says: ${says}`);
  const flipped = [...wanted.flipped].map(([task, all]) => ({
    what: `flipped (${task})`,
    listed: listed.flipped.get(task),
    all,
  }));
  const kinds = [{ what: "failed", listed: listed.failed, all: wanted.failed }, ...flipped];
  for (const { what, listed, all } of kinds) console.log(`${what}: ${listed} listed of ${all}`);
  return listed.failed === wanted.failed && (says !== "") === rows > TARGETS.rows;
}

interface Measured {
  readonly isTold: boolean;
  readonly paints: readonly number[];
  readonly slowest: ReadonlyMap<string, number>;
  readonly megabytes: number;
}

function report(rows: number, { paints, slowest, megabytes, isTold }: Measured): void {
  console.log(`first paint: ${paints.map(ms).join(", ")} (target ${ms(TARGETS.paintMs)})`);
  for (const [name, spent] of slowest)
    console.log(`${name}: ${ms(spent)}, the slowest of ${ROUNDS} (target ${ms(TARGETS.filterMs)})`);
  const isSlow = rows <= TARGETS.rows && Math.max(...slowest.values()) > TARGETS.filterMs;
  const ok = !isSlow && isTold && Math.max(...paints) <= TARGETS.paintMs && megabytes <= TARGETS.megabytes;
  console.log(`${ok ? "ok    " : "MISSED"} ${rows} rows`);
  if (!ok) process.exitCode = 1;
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chartNames, drawCharts } from "../../src/report/charts/index.js";
import { type PageInput, renderPage } from "../../src/report/page/page.js";
import { browserPath, laptop, openBrowser, type WatchedPage, watchedPage } from "../helpers/browser.js";
import { plantedPage } from "../helpers/planted-page.js";

const path = browserPath();
const require = createRequire(import.meta.url);
const methods = ["prompt", "rag", "persona-agent"];
const HOSTILE = `<img src=x onerror="broken=1"></script><script>broken=1</script>"'>\u2028`;

/** A page with every chart that its rows can fill. */
async function drawnPage(material: PageInput): Promise<string> {
  const charts = { ...material, personas: () => Promise.resolve([]), sweep: undefined, seed: 0 };
  const { sweep: _, ...given } = charts;
  const drawn = await Promise.all(chartNames.map(async (kind) => [kind, await drawCharts(kind, given)] as const));
  return renderPage({ ...material, charts: drawn });
}

/** A run whose texts from data are all hostile. */
function hostilePage(): PageInput {
  const planted = plantedPage({ questions: 5, methods: [HOSTILE, "rag"] });
  const { traces, units } = planted.records;
  return {
    ...planted,
    rows: planted.rows.map((row) => ({
      ...{ ...row, user: HOSTILE, unit: HOSTILE, question: `${row.question}${HOSTILE}`, gold: HOSTILE },
      outcome: { kind: "answered", reply: HOSTILE, lenient: HOSTILE },
    })),
    facts: planted.facts.map((fact) => ({ ...fact, title: HOSTILE })),
    records: { units, traces: { ...traces, ofQuestion: (arm) => traces.ofQuestion(arm, "q0") } },
  };
}

describe.skipIf(path === undefined)("the HTML report in a real browser (skipped where there is none)", () => {
  let browser: Browser;
  let watched: WatchedPage;
  let folder: string;
  let small: string;
  let hostile: string;
  let large: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lamp-eval-html-"));
    small = write("small.html", await drawnPage(plantedPage({ questions: 40, methods })));
    hostile = write("hostile.html", await drawnPage(hostilePage()));
    const many = plantedPage({ questions: 2500, methods: ["prompt", "rag"], promptWords: 10 });
    large = write("large.html", renderPage(many));
    browser = await openBrowser(path!); // the suite is skipped where there is none
    watched = await watchedPage(browser);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, html: string): string => {
    writeFileSync(join(folder, name), html);
    return pathToFileURL(join(folder, name)).href;
  };

  /** Opens an address, uses it, and holds it to silence: no error, no warning, no request. One tab serves all tests. */
  async function using(address: string, use: (page: Page) => Promise<void>): Promise<void> {
    const { page, complaints } = watched;
    const before = complaints.length;
    try {
      await page.goto(address);
      await page.waitForSelector("body.answering #grid tbody .method, #report .pair-says a, #report .pair-says", {
        state: "attached",
      });
      await use(page);
      expect(complaints.slice(before)).toEqual([]);
    } finally {
      await page.goto("about:blank"); // else another part of the same file would not load it again
      await page.setViewportSize(laptop);
      await page.emulateMedia({ media: null, colorScheme: "light" });
    }
  }

  const lines = (page: Page) => page.locator("#grid tbody tr:not(.gap)");
  const countText = (page: Page) => page.locator("#count").textContent();
  const marksOf = (page: Page, column: number) =>
    page.locator(`#grid tbody tr:not(.gap) .method:nth-child(${5 + column}) .m > .hidden`).allTextContents();
  const select = (page: Page, name: string, value: string) => page.selectOption(`#filter [name=${name}]`, value);

  test("a pair that is selected links the questions that one method alone got right", () =>
    using(small, async (page) => {
      const pairs = page.locator(".pairs-figure").first();
      const cell = pairs.locator("button").last();
      await cell.click();
      expect(await cell.getAttribute("aria-pressed")).toBe("true");
      const link = pairs.locator(".pair-says a").first();
      const count = Number.parseInt((await link.textContent()) ?? "", 10);
      await link.click();
      await expect.poll(() => countText(page)).toBe(`${count} of 40 questions`);
      expect(new Set(await marksOf(page, 0))).toEqual(new Set(["right"]));
      await page.goBack();
      expect(await page.locator("#report").isVisible()).toBe(true);
    }));

  test("filters the questions, and opens a filtered pair side by side; the address says it all", () =>
    using(`${small}#answers`, async (page) => {
      expect(await countText(page)).toBe("40 of 40 questions");
      await select(page, "a", "rag");
      await select(page, "ak", "wrong");
      await select(page, "b", "prompt");
      await select(page, "bk", "right");
      expect(new Set([...(await marksOf(page, 0)), "unparsed"])).toEqual(new Set(["wrong", "unparsed"])); // both score 0
      expect(new Set(await marksOf(page, 1))).toEqual(new Set(["right"]));
      await lines(page).first().locator(".method").first().click();
      await page.waitForSelector(".side:nth-child(2) pre");
      expect(await page.locator(".side h3").allTextContents()).toEqual([
        expect.stringMatching(/^rag (wrong|unparsed)/),
        expect.stringMatching(/^prompt right/),
      ]);
      await page.locator(".side summary").last().click();
      await expect.poll(() => page.locator(".side details").last().textContent()).toContain("Know the sea.");
      const address = page.url();
      expect(address).toMatch(/#a=rag:wrong&b=prompt:right&q=q\d+&m=rag&vs=prompt$/);
      const title = await page.locator("#answer-h").textContent();
      await page.goto("about:blank");
      await page.goto(address);
      await expect.poll(() => page.locator("#answer-h").textContent()).toBe(title);
      await page.getByLabel("close (Esc)").click();
      await page.click("#filter button[type=reset]");
      await expect.poll(() => countText(page)).toBe("40 of 40 questions");
    }));

  test("tasks are chosen in the filter", () =>
    using(`${small}#answers`, async (page) => {
      await select(page, "t", "lamp4");
      expect(page.url()).toMatch(/#t=lamp4$/);
      expect(await page.locator("#browse").getAttribute("class")).toContain("texts");
      expect(await page.locator("#filter [name=ak] option").allTextContents()).toContain("better");
    }));

  test("is read by keyboard: arrows move, Enter opens, j goes on, Escape closes, / searches", () =>
    using(`${small}#answers`, async (page) => {
      const title = () => page.locator("#answer-h").textContent();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#answer pre");
      expect(await title()).toMatch(/ · 2 of 40$/);
      await page.keyboard.press("j");
      expect(await title()).toMatch(/ · 3 of 40$/);
      await page.keyboard.press("Escape");
      expect(await page.locator("#answer").isVisible()).toBe(false);
      await page.keyboard.press("/");
      await page.keyboard.type("q39");
      expect(await countText(page)).toBe("1 of 40 questions");
    }));

  test("shows hostile texts as texts: replies, labels, users and ids", () =>
    using(`${hostile}#answers`, async (page) => {
      await lines(page).first().locator(".method").first().click();
      await page.waitForSelector("#answer pre");
      expect(await page.locator("#answer").textContent()).toContain("<img src=x onerror=");
      expect(await page.evaluate("window.broken")).toBeUndefined();
      expect(await page.locator("img").count()).toBe(0);
    }));

  test.each([
    { width: 1400, theme: "light" },
    { width: 1400, theme: "dark" },
    { width: 420, theme: "light" },
    { width: 420, theme: "dark" },
  ] as const)(
    "at $width pixels, $theme: the answer on the first screen, nothing sideways, nothing over anything, no fault for axe",
    ({ width, theme }) =>
      using(small, async (page) => {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate("document.querySelector('.says').getBoundingClientRect().bottom")).toBeLessThan(900);
        expect(await page.evaluate(overlapScript)).toEqual([]);
        await picture(page, `page-${width}-${theme}`);
        expect(await faults(page)).toEqual([]);
        await page.locator(".to-answers").click();
        await lines(page).first().locator(".method").first().click();
        await page.waitForSelector("#answer pre");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        await picture(page, `answers-${width}-${theme}`);
        expect(await faults(page)).toEqual([]);
      }),
  );

  test("prints every section and leaves the answers out", () =>
    using(small, async (page) => {
      await page.emulateMedia({ media: "print" });
      expect(await page.locator("#results-1 table").first().isVisible()).toBe(true);
      expect(await page.locator("#browse").isVisible()).toBe(false);
      expect(await page.evaluate(overlapScript)).toEqual([]);
      expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(10_000);
    }));

  test("without JavaScript the results are there, and what needs it is not", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(small);
    expect(await page.locator("#results-1 table").first().isVisible()).toBe(true);
    expect(await page.locator(".to-answers").isVisible()).toBe(false);
    await page.close();
  });

  test("10,000 answers: only the lines in view are in the document", () =>
    using(`${large}#answers`, async (page) => {
      expect(await countText(page)).toBe("2,500 of 2,500 questions");
      expect(await page.locator("*").count()).toBeLessThan(3000);
      expect(await lines(page).count()).toBeLessThan(100);
      await page.keyboard.press("End");
      expect(await lines(page).count()).toBeLessThan(100);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.locator("#answer-h").textContent()).toMatch(/ · 2500 of 2500$/);
      await page.fill("#filter [name=text]", "q99");
      expect(await countText(page)).toMatch(/^11 of 2,500/);
    }));
});

/** What axe-core finds: rules of WCAG 2.2 and good practice, with an element that breaks each. All parts are opened. */
async function faults(page: Page): Promise<readonly string[]> {
  await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
  await page.evaluate(readFileSync(require.resolve("axe-core"), "utf8"));
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))",
  );
}

/** Pictures of the page are kept where LAMP_EVAL_PICTURES names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.LAMP_EVAL_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Pairs of parts of the page that stand one over the other. */
const overlapScript = `(() => {
  const parts = [...document.querySelectorAll(".banner, #report > section, footer")]
    .filter((part) => part.checkVisibility());
  const boxes = parts.map((part) => ({ name: part.id || part.className || part.tagName, box: part.getBoundingClientRect() }));
  return boxes.flatMap((a, i) => boxes.slice(i + 1)
    .filter(({ box }) => a.box.bottom > box.top + 1 && box.bottom > a.box.top + 1 && a.box.right > box.left + 1 && box.right > a.box.left + 1)
    .map((b) => a.name + " over " + b.name));
})()`;

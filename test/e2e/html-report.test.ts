import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageMaterial, renderPage } from "../../src/report/page/page.js";
import { browserPath, laptop, openBrowser, type WatchedPage, watchedPage } from "../helpers/browser.js";
import { plantedPage } from "../helpers/planted-page.js";

const path = browserPath();
const require = createRequire(import.meta.url);
const methods = ["prompt", "rag", "persona-agent"];
const HOSTILE = `<img src=x onerror="broken=1"></script><script>broken=1</script>"'>\u2028`;

/** A run whose texts from data are all hostile. */
function hostilePage(): PageMaterial {
  const planted = plantedPage({ questions: 5, methods: [HOSTILE, "rag"] });
  const rows = planted.rows.map((row) => ({
    ...row,
    user: HOSTILE,
    unit: HOSTILE,
    question: `${row.question}${HOSTILE}`,
    gold: HOSTILE,
    outcome: { kind: "answered" as const, reply: HOSTILE, lenient: HOSTILE },
  }));
  const { traces, results } = planted;
  return {
    ...planted,
    rows,
    results: { ...results, facts: results.facts.map((fact) => ({ ...fact, title: HOSTILE })) },
    traces: {
      ...traces,
      ofQuestion: (cell) => traces.ofQuestion(cell, "q0"),
      ofUnit: (cell) => traces.ofUnit(cell, "u0"),
    },
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
    small = write("small.html", renderPage(plantedPage({ questions: 40, methods })));
    hostile = write("hostile.html", renderPage(hostilePage()));
    large = write(
      "large.html",
      renderPage(plantedPage({ questions: 2500, methods: ["prompt", "rag"], promptWords: 10 })),
    );
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

  /**
   * Opens an address, uses it, and holds it to silence: no error, no warning, no request. One tab serves all tests, as it was
   * for each: a tab of its own takes longer than most tests.
   */
  async function using(address: string, use: (page: Page) => Promise<void>): Promise<void> {
    const { page, complaints } = watched;
    const before = complaints.length;
    try {
      await page.goto(address);
      await use(page);
      expect(complaints.slice(before)).toEqual([]);
    } finally {
      await page.evaluate("localStorage.clear()");
      await page.goto("about:blank"); // else another part of the same file would not load it again
      await page.setViewportSize(laptop);
      await page.emulateMedia({ media: null, colorScheme: "light" });
    }
  }

  const lines = (page: Page) => page.locator("#rows-body .line");
  const countText = (page: Page) => page.locator("#rows-count").textContent();
  const cellsOf = (page: Page, kind: string) => page.locator(`#rows-body .line > .${kind}`).allTextContents();
  const marksOf = (page: Page, method: string) =>
    page.locator(`#rows-body .method:nth-child(${5 + methods.indexOf(method)}) .mark`).allTextContents();

  test("sorts a table by a column, either way round, and says so to screen readers", () =>
    using(small, async (page) => {
      const table = page.locator("#task-lamp2m table");
      const head = table.locator("th").nth(1);
      const values = async () =>
        (await table.locator("tbody td:nth-child(2)").allTextContents()).map(Number.parseFloat);
      await head.locator("button").click();
      expect(await head.getAttribute("aria-sort")).toBe("descending");
      const falling = await values();
      expect(falling).toEqual([...falling].sort((a, b) => b - a));
      await head.locator("button").click();
      expect(await head.getAttribute("aria-sort")).toBe("ascending");
      expect(await values()).toEqual([...falling].reverse());
    }));

  test("compares any two methods that are chosen", () =>
    using(`${small}#comparisons`, async (page) => {
      const rows = page.locator(".pairs").first().locator("tbody tr:visible");
      await expect.poll(() => rows.count()).toBe(2); // the best with each other one
      await page.selectOption("#pair-0-first", "");
      expect(await rows.count()).toBe(3);
      await page.selectOption("#pair-0-first", "rag");
      await page.selectOption("#pair-0-second", "persona-agent");
      expect(await rows.count()).toBe(1);
      expect(await rows.textContent()).toContain("persona-agent");
    }));

  test("filters the questions by what became of them, whose they are, and what they hold", () =>
    using(small, async (page) => {
      expect(await countText(page)).toBe("40 of 40 questions");
      await page.selectOption("#filter-method", "rag");
      await page.selectOption("#filter-show", "wrong");
      expect(new Set(await marksOf(page, "rag"))).toEqual(new Set(["✗", "?"])); // both score 0
      expect(new Set(await marksOf(page, "prompt"))).toContain("✓");
      await page.click("#filter-form button[type=reset]");
      await page.fill("#filter-user", "u3");
      expect(new Set(await cellsOf(page, "user"))).toEqual(new Set(["u3"]));
      await page.fill("#filter-user", "");
      await page.selectOption("#filter-task", "lamp4");
      await page.fill("#filter-text", "HTTP 529");
      for (const line of await lines(page).allTextContents()) expect(line).toContain("!HTTP 529");
      await page.fill("#filter-text", "no such thing");
      expect(await lines(page).count()).toBe(0);
    }));

  test("shows where a method is worse than another, and opens both side by side", () =>
    using(small, async (page) => {
      await page.selectOption("#filter-method", "rag");
      await page.selectOption("#filter-show", "lost");
      await page.selectOption("#filter-against", "prompt");
      await lines(page).first().locator(".method").nth(1).click();
      await page.waitForSelector(".side:nth-child(2) .group");
      expect(await page.locator(".side h4").allTextContents()).toEqual(["prompt", "rag"]);
      expect(await page.locator(".side .verdict .right").count()).toBe(1);
      const [left, right] = await page
        .locator(".side")
        .evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect().x));
      expect(left).toBeLessThan(right ?? 0);
      await page.locator("#detail .others summary").click();
      await page.locator("#detail .others button", { hasText: "persona-agent" }).click();
      expect(await page.locator(".side h4").allTextContents()).toEqual(["prompt", "persona-agent"]);
    }));

  test("puts the questions on which methods disagree most first", () =>
    using(small, async (page) => {
      const first = (await lines(page).first().locator(".mark").allTextContents()).map((sign) => sign === "✓");
      expect(new Set(first).size).toBe(2);
      await page.selectOption("#filter-order", "run");
      expect((await cellsOf(page, "question"))[0]).toBe("q0");
    }));

  test("is read by keyboard: arrows go from answer to answer, Enter opens, j moves on, Escape closes", () =>
    using(small, async (page) => {
      await page.selectOption("#filter-order", "run");
      await page.focus("#rows-grid");
      for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
      const active = await page.getAttribute("#rows-grid", "aria-activedescendant");
      expect(await page.getAttribute(`#${active}`, "aria-selected")).toBe("true");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#detail .group");
      const title = () => page.locator("#detail-title").textContent();
      expect(await title()).toContain("· q1 ·");
      expect(await page.locator(".side h4").allTextContents()).toEqual(["prompt", "persona-agent"]);
      expect(await page.locator("#detail").textContent()).toContain("Page: harbor of q1");
      await page.keyboard.press("j");
      expect(await title()).toContain("· q2 ·");
      await page.keyboard.press("Escape");
      expect(await page.locator("#detail").isVisible()).toBe(false);
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.id")).toBe("filter-text");
      await page.keyboard.type("j?t");
      expect(await page.inputValue("#filter-text")).toBe("j?t");
      await page.keyboard.press("Escape"); // what is typed goes: no filter stays on unseen
      expect(await page.inputValue("#filter-text")).toBe("");
      expect(await countText(page)).toBe("40 of 40 questions");
      await page.selectOption("#filter-show", "wrong");
      await page.evaluate("document.activeElement.blur()");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.inputValue("#filter-show"), { timeout: 30_000 }).toBe("all");
      await page.keyboard.press("?");
      expect(await page.locator("#help").isVisible()).toBe(true);
      await page.keyboard.press("Escape");
      expect(await page.locator("#help").isVisible()).toBe(false);
    }));

  test("an address leads to one answer and to a filter, and follows what is shown", () =>
    using(`${small}#task=lamp4&show=failed&row=lamp4-rag/q7`, async (page) => {
      expect(await page.locator("#detail-title").textContent()).toBe("lamp4 · q7 · user u1");
      expect(await page.inputValue("#filter-show")).toBe("failed");
      await page.click("#detail .close");
      await page.selectOption("#filter-show", "all");
      expect(await page.evaluate("location.hash")).toBe("#task=lamp4");
    }));

  test("searches inside the compressed transcripts when asked to", () =>
    using(small, async (page) => {
      await page.fill("#filter-text", "Page: harbor of q17");
      expect(await lines(page).count()).toBe(0);
      await page.check("#filter-transcripts");
      await expect.poll(() => page.textContent("#rows-count"), { timeout: 30_000 }).toMatch(/^1 of/);
      expect(await cellsOf(page, "question")).toEqual(["q17"]);
    }));

  test("shows hostile texts as texts: replies, labels, users and ids", () =>
    using(`${hostile}`, async (page) => {
      await lines(page).first().locator(".method").first().click();
      await page.waitForSelector("#detail .group");
      expect(await page.locator("#detail").textContent()).toContain("<img src=x onerror=");
      expect(await page.title()).toContain("planted-run");
      await page.evaluate("location.hash = 'personas'");
      await page.waitForSelector("#persona-versions .diff");
      expect(await page.evaluate("window.broken")).toBeUndefined();
      expect(await page.locator("#detail img, #rows-body img, .answer img, table img, select img").count()).toBe(0);
    }));

  test("shows the personas of a chosen user with what changed", () =>
    using(`${small}#personas`, async (page) => {
      await page.waitForSelector("#persona-versions .diff");
      expect(await page.locator("#persona-versions del").allTextContents()).toEqual(["- Be kind.\n"]);
      expect(await page.locator("#persona-versions ins").allTextContents()).toEqual(["+ Know the sea.\n"]);
    }));

  test("changes the theme, and remembers it", () =>
    using(small, async (page) => {
      const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
      const light = await background();
      await page.keyboard.press("t");
      expect(await background()).not.toBe(light);
      const afterReload = () => page.reload().then(() => page.evaluate("document.documentElement.dataset.theme"));
      await expect.poll(afterReload, { timeout: 10_000 }).toBe("dark"); // a browser stores behind the page's back
      await page.click("#theme");
      expect(await background()).toBe(light);
    }));

  test("has text of enough contrast in both themes", () =>
    using(small, async (page) => {
      await page.click("#rows-body .line .method");
      for (const theme of ["light", "dark"]) {
        await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
        const worst = (await page.evaluate(contrastScript)) as { ratio: number; what: string };
        expect(worst.ratio, worst.what).toBeGreaterThanOrEqual(4.5);
      }
    }));

  test("a link of the first screen sets the filter, scrolls to the answers, and shows what they were asked", () =>
    using(small, async (page) => {
      await page.locator("#answer a").first().click();
      await expect.poll(() => page.inputValue("#filter-show"), { timeout: 30_000 }).toBe("flipped"); // the hash changes behind the click
      await expect.poll(() => topOf(page, "#rows-section"), { timeout: 30_000 }).toBeLessThan(400);
      expect(await cellsOf(page, "asked")).not.toContain("–");
      await page.evaluate("location.hash = 'provenance'");
      await page.waitForSelector("#provenance pre");
      expect(await page.locator("#provenance pre").isVisible()).toBe(true);
    }));

  test.each([
    { width: 1400, theme: "light" },
    { width: 1400, theme: "dark" },
    { width: 420, theme: "light" },
    { width: 420, theme: "dark" },
  ] as const)(
    "at $width pixels, $theme: the answer on the first screen, nothing sideways, nothing over anything",
    ({ width, theme }) =>
      using(small, async (page) => {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(8000);
        expect(await page.evaluate("document.querySelector('.rests').getBoundingClientRect().bottom")).toBeLessThan(
          900,
        );
        expect(await page.evaluate(overlapScript)).toEqual([]);
        await picture(page, `page-${width}-${theme}`);
        expect(await faults(page)).toEqual([]);
        await page.click("#rows-body .line .method");
        expect(await page.locator("#detail .verdict").first().isVisible()).toBe(true);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        await page.waitForSelector(".side:nth-child(2) .group");
        expect(await faults(page)).toEqual([]);
      }),
  );

  test("of a run at work reloads itself, with the sections open that were, until the run has ended", async () => {
    const planted = plantedPage({ questions: 20, methods });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(write("at-work.html", renderPage({ ...planted, writtenAt: "10:00:00 UTC" })));
    await page.locator("#provenance summary").click();
    write("at-work.html", renderPage({ ...planted, writtenAt: "10:00:30 UTC" }));
    await page.clock.fastForward(31_000);
    await page.waitForSelector("#at-work:has-text('10:00:30')");
    expect(await page.locator("#provenance pre").isVisible()).toBe(true);
    write("at-work.html", renderPage(planted));
    await page.clock.fastForward(31_000);
    await page.waitForSelector("#rows-body .line");
    expect(await page.locator("#at-work").count()).toBe(0);
    await page.close();
  });

  test("prints every section and leaves the browser of answers out", () =>
    using(small, async (page) => {
      await page.emulateMedia({ media: "print" });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await page.locator("#task-lamp2m table").isVisible()).toBe(true);
      expect(await page.locator("#comparisons table").first().isVisible()).toBe(true);
      expect(await page.locator("#rows-section").isVisible()).toBe(false);
      expect(await page.locator("nav.page").isVisible()).toBe(false);
      expect(await page.evaluate(overlapScript)).toEqual([]);
      await picture(page, "page-print");
      expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(10_000);
    }));

  test("10,000 answers: elements are made for those in sight only, at first, by a filter, and at the end of the list", () =>
    using(large, async (page) => {
      expect(await countText(page)).toBe("2,500 of 2,500 questions");
      expect(await page.locator("*").count()).toBeLessThan(5000);
      expect(await madeByFilter(page, "filter-show", "flipped")).toBeLessThan(1500);
      expect(await countText(page)).toMatch(/^(?!2,500 of).* of 2,500 questions/);
      expect(await madeByFilter(page, "filter-text", "q99")).toBeLessThan(1500);
      await page.fill("#filter-text", "");
      await page.selectOption("#filter-show", "all");
      await page.evaluate("document.getElementById('rows-grid').scrollTop = 1e9");
      await page.waitForSelector('#rows-body [aria-rowindex="2501"]');
      expect(await lines(page).count()).toBeLessThan(100);
    }));
});

/** Elements that the page makes, takes away or changes from setting a field of its filter until it has come to rest. */
const madeByFilter = (page: Page, field: string, value: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const touched = new Set();
    const note = (records) => {
      for (const { target, addedNodes, removedNodes } of records)
        for (const node of [target, ...addedNodes, ...removedNodes]) {
          touched.add(node);
          if (node !== target) for (const below of node.querySelectorAll?.("*") ?? []) touched.add(below);
        }
    };
    const observer = new MutationObserver(note);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const input = document.getElementById(${JSON.stringify(field)});
    input.value = ${JSON.stringify(value)};
    input.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => {
      note(observer.takeRecords());
      observer.disconnect();
      resolve(touched.size);
    }));
  })`);

/** What axe-core finds: rules of WCAG 2.2 and good practice, with an element that breaks each. All sections are opened. */
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

const topOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);

/** Pairs of parts of the page that stand one over the other. */
const overlapScript = `(() => {
  const parts = [...document.querySelectorAll("header.page > *, main > section, .answer, footer")]
    .filter((part) => part.checkVisibility() && part.id !== "answer");
  const boxes = parts.map((part) => ({ name: part.id || part.className || part.tagName, box: part.getBoundingClientRect() }));
  return boxes.flatMap((a, i) => boxes.slice(i + 1)
    .filter(({ box }) => a.box.bottom > box.top + 1 && box.bottom > a.box.top + 1 && a.box.right > box.left + 1 && box.right > a.box.left + 1)
    .map((b) => a.name + " over " + b.name));
})()`;

/** The lowest contrast of visible text against the nearest background, as WCAG computes it. Text of disabled controls is free. */
const contrastScript = `(() => {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const seen = new Map();
  const channels = (color) => {
    if (!seen.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      seen.set(color, [...context.getImageData(0, 0, 1, 1).data]);
    }
    return seen.get(color);
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const backgroundOf = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const known = new Map();
  let worst = { ratio: 21, what: "" };
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "");
    if (!own || !node.checkVisibility() || node.matches("script, :disabled, svg *")) continue;
    const [ink, paper] = [getComputedStyle(node).color, backgroundOf(node)];
    const key = ink + paper;
    if (!known.has(key)) {
      const [a, b] = [luminance(channels(ink)), luminance(paper)].sort((x, y) => y - x);
      known.set(key, (a + 0.05) / (b + 0.05));
    }
    if (known.get(key) < worst.ratio) worst = { ratio: known.get(key), what: node.tagName + "." + node.className + " " + ink + " on " + paper };
  }
  return worst;
})()`;

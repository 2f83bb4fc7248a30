import { describe, expect, test } from "vitest";
import { renderPage } from "../../../src/report/page/page.js";
import { summarize } from "../../../src/results/summary.js";
import type { Row } from "../../../src/types/index.js";
import { plantedPage } from "../../helpers/planted-page.js";
import { noPrices } from "../../helpers/priced.js";

const planted = plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 3 });
const { cells, task, units, results } = planted;

/** The page of these rows of LaMP-2M, with a majority label of so much. */
function pageOf(rows: readonly Row[], floor?: number): string {
  const own = cells.filter(({ id }) => rows.some(({ cell }) => cell === id));
  const summaries = summarize({ cells: own, task, rows, units, timings: [], prices: noPrices });
  const floors =
    floor === undefined ? {} : { floor: { name: "majority label", count: 60, values: { accuracy: floor } } };
  const facts = [{ ...results.facts[0]!, ...floors }]; // there are two
  return renderPage({ ...planted, cells: own, rows, results: { summaries, facts } });
}

/** All answers of a method right, but those of the first so many questions. */
const answering = (method: string, wrong: number): Row[] =>
  planted.rows
    .filter(({ cell }) => cell === `lamp2m-${method}`)
    .map((row, q) => {
      const reply = q < wrong ? "none of these" : (row.gold ?? "");
      return { ...row, outcome: { kind: "answered", reply, lenient: reply } };
    });

const textOf = (page: string, selector: RegExp): string =>
  (selector.exec(page)?.[1] ?? "").replace(/<[^>]+>/g, "").replaceAll("&lt;", "<");
const says = (page: string): string => textOf(page, /<p class="says">(.*?)<\/p>/s);

describe("the verdict of a task", () => {
  test("names the winner, what its score is, and its lead over the next with the interval", () => {
    const page = pageOf([...answering("prompt", 40), ...answering("rag", 10), ...answering("pag", 11)], 0.2);
    expect(says(page)).toBe(
      "accuracy: rag .833, +.017 over pag (95 % CI -.020 to .053); they differ on 1 of 60 questions; majority label .200 the answers that differ",
    );
  });

  test("says the gain with its interval", () => {
    const page = pageOf([...answering("prompt", 40), ...answering("rag", 0)]);
    expect(says(page)).toMatch(
      /^accuracy: rag 1\.000, \+\.667 over prompt \(95 % CI \.\d+ to \.\d+\); they differ on 40 of 60 questions the answers/,
    );
  });

  test("has no interval where two methods have one score, and leads to no answers where none differs", () => {
    const page = pageOf([...answering("rag", 10), ...answering("pag", 10)]);
    expect(says(page)).toBe("accuracy: rag .833, .000 over pag; they differ on 0 of 60 questions");
  });

  test("presents no winner that is not above the majority label", () => {
    const page = pageOf([...answering("prompt", 40), ...answering("rag", 30)], 0.5);
    expect(says(page)).toMatch(
      /^No method is better than the majority label \(\.500\); the best is rag, accuracy \.500/,
    );
    expect(page.match(/not above the majority label/g)).toHaveLength(1); // the gain of rag stands beside it
  });

  test("tells a single method's score, and that there is none to compare it with", () => {
    expect(says(pageOf(answering("rag", 30)))).toBe("rag: accuracy .500; no other method to compare it with");
  });
});

describe("the first screen", () => {
  const page = pageOf([...answering("prompt", 40), ...answering("rag", 10), ...answering("pag", 20)]);

  test("sorts the gains over prompt, the largest first", () => {
    const table = page.slice(page.indexOf('class="gains"'), page.indexOf("</table>"));
    expect([...table.matchAll(/<th scope="row">(\w+)/g)].map(([, method]) => method)).toEqual(["rag", "pag"]);
    expect(table).toContain("+.500");
  });

  test("says how many were asked, and which difference so many users could show", () => {
    const facts = textOf(page, /<dl class="rests">(.*?)<\/dl>/s);
    expect(facts).toContain("questions asked180: 180 answered, 0 unparsed, 0 failed");
    expect(facts).toMatch(/found in 80 % of cases\.\d{3} between rag and pag/);
    expect(facts).toContain("price unknown");
  });

  test("says how to run other pasts, and what they are worth where they were run", () => {
    const command = { ...planted.run, controlsCommand: (task: string, method: string) => `sweep ${task} ${method}` };
    expect(renderPage({ ...planted, run: command })).toMatch(
      /not run\. <code>sweep lamp2m \w+<\/code> \(about 120 calls/,
    );
    const pasts = planted.cells.slice(1, 3).map((cell, c) => ({
      ...cell,
      method: "rag",
      options: { "history.control": ["right", "other-user"][c]! },
    }));
    const rows = [...answering("rag", 0), ...answering("pag", 40)];
    const summaries = summarize({ cells: pasts, task, rows, units, timings: [], prices: noPrices });
    const swept = renderPage({ ...planted, cells: pasts, rows, results: { ...results, summaries } });
    expect(swept).toMatch(/rag: own past 1\.000, another user’s \.333: \+\.667 .*?, p/);
  });
});

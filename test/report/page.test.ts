import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { html, Markup } from "../../src/report/html.js";
import { encodeAnswers } from "../../src/report/page/answers.js";
import { besideOf, type Filter, filterQuestions } from "../../src/report/page/browser/answers.js";
import { CHUNK, type PageAnswer, type PageArm, type PageRun, type PageTranscript } from "../../src/report/page/data.js";
import { bestMethodSentence, renderPage } from "../../src/report/page/page.js";
import { pageScript } from "../../src/report/page/script.js.js";
import { comparedPairs, ranked } from "../../src/results/compare.js";
import { summarize } from "../../src/results/summary.js";
import type { Row } from "../../src/types/index.js";
import { plantedPage } from "../helpers/planted-page.js";
import { noPrices } from "../helpers/priced.js";

const methods = ["prompt", "rag"];
const material = plantedPage({ questions: 20, methods });
const page = renderPage(material);

/** What stands compressed in a page. */
function unpacked<T>(text: string, id: string): T {
  const found = new RegExp(`<script type="text/plain" id="${id}">([^<]*)</script>`).exec(text)?.[1];
  if (found === undefined) throw new Error(`no data element ${id}`);
  return JSON.parse(gunzipSync(Buffer.from(found, "base64")).toString("utf8"));
}
const runOf = (text: string) => unpacked<PageRun>(text, "run");
const answersIn = ({ questions }: PageRun) =>
  questions.flatMap(({ answers, ...question }) => answers.map((answer) => ({ question, answer })));

describe("the page", () => {
  test("has equal bytes for equal rows, in whatever order they come", () => {
    expect(renderPage(plantedPage({ questions: 20, methods }))).toBe(page);
    expect(renderPage({ ...material, rows: [...material.rows].reverse() })).toBe(page);
  });

  test("lets its own script run and nothing else, and names no address to fetch from", () => {
    const hash = createHash("sha256").update(pageScript).digest("base64");
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${hash}';`);
    const addresses = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.filter((address) => !address?.startsWith("#"))).toEqual([]);
    expect(page).not.toMatch(/@import|url\(/);
  });

  test("says SIMULATED and PARTIAL where they hold, and only there", () => {
    expect(page).toContain("<strong>SIMULATED</strong>");
    expect(page).not.toContain("PARTIAL");
    const real = renderPage({ ...material, header: { ...material.header, simulated: false, complete: false } });
    expect(real).not.toContain("<strong>SIMULATED</strong>");
    expect(real).toContain("<title>PARTIAL planted-run");
  });

  test("compares the methods of each task once, and prints a pair's p as the results do", () => {
    const planted = plantedPage({ questions: 60, methods, promptWords: 3 });
    const text = renderPage(planted);
    const part = (from: string, to: string) => text.slice(text.indexOf(`id="${from}"`), text.indexOf(`id="${to}"`));
    const pairs = part("comparisons", "provenance");
    expect(pairs.match(/<th scope="row">(prompt|rag)<\/th><td class="text">(prompt|rag)<\/td>/g)).toHaveLength(2);
    const p = planted.gains.of(planted.summaries[1]!)?.metrics[0]?.p ?? Number.NaN;
    for (const table of [part("results", "comparisons"), pairs]) expect(table).toContain(`data-value="${p}"`);
  });

  test("without records, as over several runs, has tables and no answers", () => {
    const { records: _, ...joint } = material;
    expect(renderPage(joint)).toContain('id="results"');
    expect(renderPage(joint)).not.toMatch(/id="answers"|id="run"/);
  });

  test("of a run that has only begun is still a page", () => {
    const begun = renderPage({ ...material, rows: [], records: { ...material.records, units: [] } });
    expect(runOf(begun).questions).toEqual([]);
    expect(begun).not.toContain('id="comparisons"');
  });

  test("keeps hostile names, golds and replies inside", () => {
    const hostile = `</script><script>alert(1)</script>"'&\u2028`;
    const escaped = `&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;\u2028`;
    const parts = [hostile, new Markup("<br>"), undefined, 3];
    expect(html`<p title="${hostile}">${parts}</p>`.text).toBe(`<p title="${escaped}">${escaped}<br>3</p>`);
    const planted = plantedPage({ questions: 5, methods, firstReply: hostile });
    const text = renderPage({
      ...planted,
      header: { ...planted.header, name: hostile, reproduce: [hostile], facts: [[hostile, hostile]] },
      rows: planted.rows.map((row) => ({ ...row, user: hostile, unit: hostile })),
    });
    expect(text).not.toContain("<script>alert");
    expect(runOf(text).questions[0]?.user).toBe(hostile);
  });
});

describe("the answers of a page", () => {
  test("are the rows of the run; unparsed ones have the score of a wrong one, failed ones none", () => {
    const run = runOf(page);
    const all = answersIn(run).map(({ question: { id, user, gold }, answer: { arm, kind, text, reading } }) => {
      const { task, label } = run.arms[arm]!;
      return { question: id, user, gold, arm: `${run.tasks[task]}-${label}`, kind, text, reading };
    });
    expect(all).toHaveLength(material.rows.length);
    for (const { arm: armId, user, question, gold, outcome } of material.rows) {
      const { kind } = outcome;
      const [text, reading] = kind === "failed" ? [outcome.error] : [outcome.reply, outcome.lenient];
      expect(all).toContainEqual({ question, user, gold, arm: armId, kind, text, reading });
    }
    const values = (kind: string) =>
      new Set(answersIn(runOf(page)).flatMap(({ answer }) => (answer.kind === kind ? [answer.value] : [])));
    expect([values("unparsed"), values("failed")]).toEqual([new Set([0]), new Set([undefined])]);
  });

  test("have their transcripts and preparations in chunks", () => {
    const long = renderPage(plantedPage({ questions: 100, methods, promptWords: 10 }));
    const run = runOf(long);
    const count = new Set(answersIn(run).flatMap(({ answer }) => [answer.transcript, answer.preparation])).size;
    const transcripts = Array.from({ length: Math.ceil(count / CHUNK) }, (_, c) =>
      unpacked<PageTranscript[]>(long, `chunk-${c}`),
    ).flat();
    expect(transcripts).toHaveLength(count);
    for (const { question, answer } of answersIn(run)) {
      const { groups, cost } = transcripts[answer.transcript]!;
      expect(groups.flat()).toContainEqual(["question", `What of ${question.id}?`]);
      expect(cost).toBe("answer: 1 call, 500 + 5 tokens");
      expect(transcripts[answer.preparation]!.groups.flat()).toContainEqual(["persona", "Be brief.\nKnow the sea."]);
    }
  });

  test("of a large run are whole questions: those that failed, that differ, then others, in the run's order", () => {
    const planted = plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 20 });
    const listed = (most: number) => {
      const { run, questions } = encodeAnswers({ ...planted, ...planted.records }, most);
      return { keys: run.questions.map(({ task, id }) => `${task}/${id}`), questions, run };
    };
    const whole = listed(360);
    expect([whole.keys.length, whole.questions]).toEqual([120, 120]);
    const found = listed(270);
    expect([found.keys.length, found.questions]).toEqual([90, 120]);
    expect(found.keys).toEqual(whole.keys.filter((key) => found.keys.includes(key)));
    for (const { id, task, answers } of whole.run.questions)
      if (answers.some(({ kind }) => kind === "failed")) expect(found.keys).toContain(`${task}/${id}`);
  });
});

describe("the filter of the questions", () => {
  const accuracy = { name: "accuracy", better: "higher", exact: true } as const;
  const arm = (task: number, label: string, metric: NonNullable<PageArm["metric"]> = accuracy): PageArm => ({
    ...{ task, label, metric },
  });
  const answer = (at: number, text: string, value?: number, kind: PageAnswer["kind"] = "answered"): PageAnswer => ({
    ...{ arm: at, kind, text, transcript: 0, preparation: 0 },
    ...(value === undefined ? {} : { value }),
  });
  const question = (id: string, task: number, asked: string, ...answers: PageAnswer[]) => ({
    ...{ id, task, repeat: 0, user: id === "q1" ? "ann" : "bob", gold: task === 1 ? "5" : "comedy", asked, answers },
  });
  const run: PageRun = {
    tasks: ["lamp2m", "lamp3", "lamp4"],
    arms: [
      arm(0, "prompt"),
      arm(0, "rag"),
      arm(1, "rag", { name: "mae", better: "lower", exact: true }),
      arm(2, "rag", { name: "rouge-1", better: "higher", exact: false }),
    ],
    questions: [
      question("q1", 0, "A heist goes wrong", answer(0, "comedy", 1), answer(1, "action", 0)),
      question("q2", 0, "Two robots fall in love", answer(0, "action", 0), answer(1, "dunno", 0, "unparsed")),
      question("q3", 0, "A storm", answer(0, "comedy", 1), answer(1, "comedy", 1)),
      question("q1", 1, "A heist goes wrong", answer(2, "HTTP 529", undefined, "failed")),
      question("q2", 1, "Two robots fall in love", answer(2, "2", 3)),
      question("q1", 2, "A heist goes wrong", answer(3, "A headline", 0.4)),
    ],
  };
  const none: Filter = { task: "lamp2m", text: "", show: "", method: "" };
  const found = (filter: Partial<Filter>) => filterQuestions(run, { ...none, ...filter }).map(({ id }) => id);

  test.each<[Partial<Filter>, string[]]>([
    [{}, ["q1", "q2", "q3"]], // those that differ first
    [{ task: "lamp3" }, ["q2", "q1"]], // those without a score last
    [{ text: "robots" }, ["q2"]],
    [{ text: " ANN " }, ["q1"]],
    [{ text: "http", task: "lamp3" }, ["q1"]],
    [{ text: "nowhere" }, []],
    [{ show: "differ" }, ["q1"]],
    [{ show: "right" }, ["q1", "q3"]],
    [{ show: "right", method: "rag" }, ["q3"]],
    [{ show: "wrong" }, ["q1", "q2"]],
    [{ show: "wrong", task: "lamp3" }, ["q2"]],
    [{ show: "wrong", task: "lamp4" }, []], // texts are more or less alike
    [{ show: "unparsed" }, ["q2"]],
    [{ show: "failed", task: "lamp3" }, ["q1"]],
  ])("%j shows %j", (filter, ids) => expect(found(filter)).toEqual(ids));

  test("an answer stands beside the first method's, and that one beside one that scored otherwise", () => {
    const [first] = run.questions;
    expect(besideOf(first!, first!.answers[1]!)).toBe(first!.answers[0]);
    expect(besideOf(first!, first!.answers[0]!)).toBe(first!.answers[1]);
    expect(besideOf(run.questions[5]!, run.questions[5]!.answers[0]!)).toBeUndefined();
  });
});

describe("the verdict", () => {
  const planted = plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 3 });

  /** What is said of these rows of LaMP-2M, with a majority label of so much. */
  function says(rows: readonly Row[], baseline?: number): string {
    const { task, records } = planted;
    const arms = planted.specs.filter(({ id }) => rows.some(({ arm }) => arm === id));
    const summaries = summarize({ specs: arms, task, rows, units: records.units, timings: [], prices: noPrices });
    const values = { accuracy: baseline ?? 0 };
    const fact = planted.facts[0]!;
    const facts = baseline === undefined ? fact : { ...fact, baseline: { name: "majority label", count: 60, values } };
    const [best, ...others] = ranked(summaries);
    const pairs = comparedPairs(
      others.map((reference) => ({ arm: best!, reference })),
      { specs: arms, task, rows },
    );
    return bestMethodSentence(ranked(summaries), facts, pairs).text.replace(/<[^>]+>/g, "");
  }

  /** All answers of a method right, but those of the first so many questions. */
  const answering = (method: string, wrong: number): Row[] =>
    planted.rows
      .filter(({ arm }) => arm === `lamp2m-${method}`)
      .map((row, q) => ({
        ...row,
        outcome: { kind: "answered", reply: q < wrong ? "none of these" : (row.gold ?? "") },
      }));

  test("names the winner, its score, and its lead over the next with the interval", () => {
    expect(says([...answering("prompt", 40), ...answering("rag", 10), ...answering("pag", 11)], 0.2)).toBe(
      "accuracy: rag .833, +.017 over pag (95 % CI -.020 to .053) (the best two of 3, chosen after looking); majority label .200",
    );
    expect(says([...answering("rag", 10), ...answering("pag", 10)])).toBe("accuracy: rag .833, .000 over pag");
  });

  test("presents no winner that is not above the majority label, and says that there is none to compare with", () => {
    expect(says([...answering("prompt", 40), ...answering("rag", 30)], 0.5)).toBe(
      "No method is better than the majority label .500; accuracy of the best: rag .500",
    );
    expect(says(answering("rag", 30))).toBe("accuracy: rag .500; no other method to compare it with");
  });
});

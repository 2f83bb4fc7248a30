import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { html, Markup } from "../../src/report/html.js";
import { encodeAnswers } from "../../src/report/page/answers.js";
import { type Address, filterQuestions, viewOf } from "../../src/report/page/browser/answers.js";
import { CHUNK, type PageAnswer, type PageArm, type PageChunk, type PageRun } from "../../src/report/page/data.js";
import { renderPage } from "../../src/report/page/page.js";
import { packChunk, transcriptIn } from "../../src/report/page/pieces.js";
import { problemsOf, verdictOfProblems } from "../../src/report/page/problems.js";
import { pageScript } from "../../src/report/page/script.js.js";
import { verdictOf } from "../../src/report/page/verdict.js";
import { formatP } from "../../src/report/tables/format.js";
import { comparedPairs, gainsOver, ranked } from "../../src/results/compare.js";
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
const runOf = (text: string) => unpacked<PageRun>(text, "run-data");
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
    const pairs = text.match(/data-a="(prompt|rag)" data-b="(prompt|rag)" data-task="lamp[24]m?"/g);
    expect(pairs).toHaveLength(2);
    const p = planted.gains.of(planted.summaries[1]!)?.metrics[0]?.p;
    expect(text).toContain(`data-value="${p}"`);
    expect(text).toContain(`<span class="hidden">, p </span>${formatP(p)}</small>`);
  });

  test("shows the causes of failed and unread answers; from half of all answers on they are the verdict", () => {
    const row = (outcome: Row["outcome"]): Row => ({ ...material.rows[0]!, outcome });
    const failed = (n: number) => row({ kind: "failed", error: `HTTP 529, request ${n}` });
    const right = row({ kind: "answered", reply: "comedy" });
    const empty = row({ kind: "unparsed", reply: " " });
    expect(problemsOf([right])).toBeUndefined();
    const some = problemsOf([failed(1), failed(23), empty, right, right, right, right])!;
    expect(some).toMatchObject({ answers: 7, failed: 2, unparsed: 1 });
    expect(some.causes.map(({ kind, count, text: cause }) => [kind, count, cause])).toEqual([
      ["failed", 2, "HTTP 529, request 1"],
      ["unparsed", 1, "the reply is empty"],
    ]);
    expect(verdictOfProblems(some)).toBeUndefined();
    const says = (rows: Row[]) => verdictOfProblems(problemsOf(rows)!)?.says.text.replaceAll(/<[^>]+>/g, "");
    expect(says([empty, empty])).toBe("All 2 replies could not be read");
    expect(says([failed(1), failed(2), failed(3), empty, right])).toBe("3 of 5 answers failed");
    expect(says([failed(1), empty, right, right])).toBe("2 of 4 answers failed or could not be read");
    expect(
      renderPage({
        ...material,
        rows: material.rows.map(({ gold, ...one }) => ({ ...one, gold, outcome: empty.outcome })),
      }),
    ).toContain("replies could not be read");
  });

  test("without records, as over several runs, has tables and no answers", () => {
    const { records: _, ...joint } = material;
    expect(renderPage(joint)).toContain('id="results-1"');
    expect(renderPage(joint)).not.toMatch(/id="browse"|id="run-data"/);
  });

  test("of a run that has only begun is still a page", () => {
    const begun = renderPage({ ...material, rows: [], records: { ...material.records, units: [] } });
    expect(runOf(begun).questions).toEqual([]);
    expect(begun).not.toContain("Every pair");
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
    const chunks = Array.from({ length: Math.ceil(count / CHUNK) }, (_, c) => unpacked<PageChunk>(long, `chunk-${c}`));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flatMap(({ transcripts }) => transcripts)).toHaveLength(count);
    const transcript = (number: number) => transcriptIn(chunks[Math.floor(number / CHUNK)]!, number % CHUNK);
    for (const { question, answer } of answersIn(run)) {
      const { groups, cost } = transcript(answer.transcript);
      expect(groups.flat()).toContainEqual(["question", `What of ${question.id}?`]);
      expect(cost).toBe("answer: 1 call, 500 tokens in, 5 out");
      expect(transcript(answer.preparation).groups.flat()).toContainEqual(["persona", "Be brief.\nKnow the sea."]);
    }
  });

  test.each(["", "abc", "One. Two! Three?\nFour", "3.14 and so on...", "\n\n", "No end. "])(
    "a text %j comes back whole",
    (text) => {
      const transcripts = ["a", "b"].map((cost) => ({ cost, groups: [[["title", text] as const, ["head"] as const]] }));
      const chunk = packChunk(transcripts);
      expect(transcripts.map((_, number) => transcriptIn(chunk, number))).toEqual(transcripts);
    },
  );

  test("a sentence that occurs twice is stored once", () => {
    const groups = (text: string) => [[["user", text] as const]];
    const chunk = packChunk([
      { cost: "", groups: groups("Same. Only here. And here.") },
      { cost: "", groups: groups("Same. Other.") },
    ]);
    expect(chunk.pieces).toEqual(["user", "Same. ", "Only here. And here.", "Other."]);
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
  const found = (address: Address) => filterQuestions(viewOf(run, address), address).map(({ id }) => id);

  test.each<[Address, string[]]>([
    [{}, ["q1", "q2", "q3"]], // those that differ first
    [{ t: "lamp3" }, ["q2", "q1"]], // those without a score last
    [{ text: "robots" }, ["q2"]],
    [{ text: " ANN " }, ["q1"]],
    [{ text: "http", t: "lamp3" }, ["q1"]],
    [{ text: "nowhere" }, []],
    [{ show: "differ" }, ["q1"]],
    [{ show: "all right" }, ["q3"]],
    [{ show: "all wrong" }, ["q2"]], // an unparsed reply is wrong
    [{ a: "rag:right" }, ["q3"]],
    [{ a: "prompt:right", b: "rag:wrong" }, ["q1"]],
    [{ a: "rag:wrong" }, ["q1", "q2"]],
    [{ a: "rag:unparsed" }, ["q2"]],
    [{ a: "rag:wrong", t: "lamp3" }, ["q2"]],
    [{ a: "rag:wrong", t: "lamp4" }, []], // texts are more or less alike
    [{ a: "none:right" }, ["q1", "q2", "q3"]], // no such method
    [{ show: "unparsed" }, ["q2"]],
    [{ show: "failed", t: "lamp3" }, ["q1"]],
  ])("%j shows %j", (address, ids) => expect(found(address)).toEqual(ids));

  test.each<["higher" | "lower", string, string[]]>([
    ["higher", "better", ["q2"]],
    ["higher", "worse", ["q1"]],
    ["lower", "better", ["q1"]],
    ["lower", "worse", ["q2"]],
  ])("where %s scores are better, one method is %s than the other on %j", (better, outcome, ids) => {
    const metric = { name: "metric", better, exact: false };
    const texts: PageRun = {
      tasks: ["task"],
      arms: [arm(0, "a", metric), arm(0, "b", metric)],
      questions: [
        question("q1", 0, "", answer(0, "x", 0.2), answer(1, "y", 0.4)),
        question("q2", 0, "", answer(0, "x", 0.9), answer(1, "y", 0.4)),
        question("q3", 0, "", answer(0, "x", 0.5), answer(1, "y", 0.5)),
      ],
    };
    const address = { a: `a:${outcome}`, b: `b:${outcome === "better" ? "worse" : "better"}` };
    expect(filterQuestions(viewOf(texts, address), address).map(({ id }) => id)).toEqual(ids);
  });
});

describe("the verdict", () => {
  const planted = plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 3 });

  /** What is said of these rows of LaMP-2M, with a majority label of so much. */
  function says(rows: readonly Row[], baseline?: number): string {
    const { task, records } = planted;
    const specs = planted.specs.filter(({ id }) => rows.some(({ arm }) => arm === id));
    const summaries = summarize({ specs, task, rows, units: records.units, timings: [], prices: noPrices });
    const values = { accuracy: baseline ?? 0 };
    const fact = baseline === undefined ? {} : { baseline: { name: "majority label", count: 60, values } };
    const arms = ranked(summaries);
    const pairs = comparedPairs(
      arms.slice(1).map((reference) => ({ arm: arms[0]!, reference })),
      { specs, task, rows },
    );
    const gains = gainsOver("prompt", { summaries, specs, task, rows });
    const verdict = verdictOf({ arms, fact, pairs, over: gains.over, gainOf: gains.of });
    return `${verdict.says.text.replace(/<[^>]+>/g, "")} | ${verdict.details}`;
  }

  /** All answers of a method right, but those of the first so many questions. */
  const answering = (method: string, wrong: number): Row[] =>
    planted.rows
      .filter(({ arm }) => arm === `lamp2m-${method}`)
      .map((row, q) => ({
        ...row,
        outcome: { kind: "answered", reply: q < wrong ? "none of these" : (row.gold ?? "") },
      }));

  test("names the winner, its score and its gain, those that do not differ from it and those below the majority label", () => {
    expect(says([...answering("prompt", 49), ...answering("rag", 10), ...answering("pag", 11)], 0.2)).toBe(
      "rag is best: accuracy .833, +.650 over prompt (95 % CI +.343 to +.957) | rag does not differ significantly from pag (p > .05). Below the majority label (.200): prompt. The best of 3 was chosen after looking.",
    );
    expect(says([...answering("prompt", 10), ...answering("pag", 11)])).toMatch(/^prompt is best: accuracy .833 \| /);
  });

  test("presents no winner that is not above the majority label, and says that there is none to compare with", () => {
    expect(says([...answering("prompt", 40), ...answering("rag", 30)], 0.5)).toBe(
      "No method is better than the majority label (.500) | The best: rag, accuracy .500.",
    );
    expect(says(answering("rag", 30))).toBe("rag: accuracy .500 | There is no other method to compare it with.");
  });
});

import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { drawnSections } from "../../../src/report/page/drawn-sections.js";
import { html, jsonText, Markup } from "../../../src/report/page/markup.js";
import type { PackedRun, PackedTranscript } from "../../../src/report/page/packed.js";
import { renderPage } from "../../../src/report/page/page.js";
import { pageScript } from "../../../src/report/page/script.js.js";
import { plantedPage } from "../../helpers/planted-page.js";

const methods = ["prompt", "rag"];
const material = plantedPage({ questions: 20, methods });
const page = renderPage(material);

/** What stands in a data element of a page. */
function dataOf(text: string, id: string): string {
  const found = new RegExp(`<script type="[^"]+" id="${id}">([^<]*)</script>`).exec(text)?.[1];
  if (found === undefined) throw new Error(`no data element ${id}`);
  return found;
}
const runOf = (text: string): PackedRun => JSON.parse(dataOf(text, "run"));
const transcriptsOf = (text: string, id: string): PackedTranscript[] =>
  JSON.parse(gunzipSync(Buffer.from(dataOf(text, id), "base64")).toString("utf8"));

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
    expect(page).toContain(`<script>${pageScript}</script>`);
    const addresses = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.filter((address) => !/^(#|data:)/.test(address ?? ""))).toEqual([]);
    expect(page).not.toMatch(/@import|url\((?!#|data:)/);
  });

  test("shows as the reading of a reply what the forgiving reading found in it, and nothing where it found nothing", () => {
    const outcomes = [
      { kind: "answered", reply: "2", lenient: "2" },
      { kind: "unparsed", reply: "I would say 3", lenient: "3" },
      { kind: "unparsed", reply: "no idea" },
      { kind: "failed", error: "no reply" },
    ] as const;
    const read = material.rows.map((row, r) => ({ ...row, gold: "5", outcome: outcomes[r % outcomes.length]! }));
    const rows = runOf(renderPage({ ...material, rows: read }));
    const shown = rows.reply.map((reply, r) => [rows.texts[reply], rows.texts[rows.reading[r]!]]);
    expect(new Map(shown.map(([reply, reading]) => [reply, reading]))).toEqual(
      new Map([
        ["2", "2"],
        ["I would say 3", "3"],
        ["no idea", undefined],
        ["no reply", undefined],
      ]),
    );
  });

  test("holds every row as it is in the run", () => {
    const rows = runOf(page);
    const unpacked = rows.cell.map((c, r) => ({
      cell: rows.cells[c]?.id,
      user: rows.users[rows.questions[rows.question[r]!]!.user],
      question: rows.questions[rows.question[r]!]!.id,
      gold: rows.texts[rows.questions[rows.question[r]!]!.gold],
      kind: rows.kind[r],
      reply: rows.texts[rows.reply[r]!],
    }));
    expect(unpacked).toHaveLength(material.rows.length);
    for (const { cell, user, question, gold, outcome } of material.rows)
      expect(unpacked).toContainEqual({
        ...{ cell, user, question, gold, kind: outcome.kind[0] },
        reply: outcome.kind === "failed" ? outcome.error : outcome.reply,
      });
  });

  test("gives unparsed answers the score of a wrong one, failed ones none", () => {
    const rows = runOf(page);
    const scores = (kind: string) => new Set(rows.value.filter((_, r) => rows.kind[r] === kind));
    expect(scores("u")).toEqual(new Set([0]));
    expect(scores("f")).toEqual(new Set([null]));
  });

  test("keeps each answer's transcript at its place", () => {
    const rows = runOf(page);
    const transcripts = transcriptsOf(page, "answer-chunk-0");
    expect(rows.answerChunks).toEqual([0]);
    expect(transcripts).toHaveLength(rows.cell.length);
    for (const [a, { groups, spend }] of transcripts.entries()) {
      expect(groups.flat()).toContainEqual(["question", `What of ${rows.questions[rows.question[a]!]!.id}?`]);
      expect(spend).toEqual(["answer: 1 call, 500 + 5 tokens"]);
    }
    const [preparation] = transcriptsOf(page, "unit-chunk-0");
    expect(preparation?.personas?.map(({ title, text }) => [title, text])).toEqual([
      ["P0 (initial)", "Be brief.\nBe kind."],
      ["P1 (updated)", "  Be brief.\n- Be kind.\n+ Know the sea."],
    ]);
  });

  test("says SIMULATED and PARTIAL where they hold, and only there", () => {
    expect(page).toContain("<strong>SIMULATED</strong>");
    expect(page).not.toContain("PARTIAL");
    const real = renderPage({ ...material, run: { ...material.run, simulated: false, complete: false } });
    expect(real).not.toContain("<strong>SIMULATED</strong>");
    expect(real).toContain("<strong>PARTIAL</strong>");
    expect(real).toContain("<title>PARTIAL planted-run");
  });

  test("prints the best of each metric bold, a dash for what is missing and a note on failures", () => {
    const table = page.slice(page.indexOf('id="task-lamp2m"'), page.indexOf('id="task-lamp4"'));
    expect(table.match(/<strong>/g)?.length).toBeGreaterThan(0);
    expect(table).toContain("<td>-</td>"); // no price is known
    expect(table).toMatch(/\d+ of 20 failed and are not in the scores/);
  });

  test("compares the methods of each task once, with the p of each pair", () => {
    const tables = page.slice(page.indexOf('id="comparisons"'), page.indexOf('id="provenance"'));
    expect(tables.match(/<th scope="row">(prompt|rag)<\/th><td class="text">(prompt|rag)<\/td>/g)).toHaveLength(2);
    expect(tables).toContain("p: of this pair alone");
  });

  test("of a run that has only begun is still a page", () => {
    const begun = renderPage({ ...material, rows: [], units: [] });
    expect(runOf(begun).cell).toEqual([]);
    expect(begun).not.toContain('id="comparisons"');
  });

  test("cuts long transcripts into chunks that begin where they say", () => {
    const long = renderPage(plantedPage({ questions: 100, methods, promptWords: 1000 }));
    const { answerChunks, cell } = runOf(long);
    expect(answerChunks.length).toBeGreaterThan(1);
    const sizes = answerChunks.map((_, c) => transcriptsOf(long, `answer-chunk-${c}`).length);
    expect(answerChunks).toEqual(sizes.map((_, c) => sizes.slice(0, c).reduce((sum, size) => sum + size, 0)));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(cell.length);
  });
});

describe("what a page takes in", () => {
  const hostile = `</script><script>alert(1)</script>"'&\u2028`;

  test("is escaped in markup, and left as it is only when it is markup already", () => {
    expect(html`<p title="${hostile}">${[hostile, new Markup("<br>"), undefined, 3]}</p>`.text).toBe(
      `<p title="&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;\u2028">&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;\u2028<br>3</p>`,
    );
  });

  test("cannot end the element that holds its data, and is read back unchanged", () => {
    expect(jsonText([hostile])).not.toMatch(/[<\u2028\u2029]/);
    expect(JSON.parse(jsonText([hostile]))).toEqual([hostile]);
  });

  test("ids, golds and replies of a hostile run stay inside", () => {
    const planted = plantedPage({ questions: 5, methods, firstReply: hostile });
    const text = renderPage({
      ...planted,
      run: { ...planted.run, name: hostile, reproduce: [hostile], hashes: [[hostile, hostile]] },
      rows: planted.rows.map((row) => ({ ...row, user: hostile, unit: hostile })),
    });
    expect(text).not.toContain("<script>alert");
    expect(runOf(text).users).toEqual([hostile]);
  });
});

describe("the charts of a page", () => {
  const chart = (arm: string, svg: string, more: object = {}) => ({
    chart: { name: `c-${arm}`, title: `Map, ${arm}`, note: "", section: "tasks" as const, spec: {}, ...more },
    svg,
  });
  const sectionsOf = (charts: Parameters<typeof drawnSections>[0]["charts"]) => drawnSections({ charts, users: [] });

  test("of a group stand behind its title, after the others", () => {
    const group = { group: "Labels" };
    const [section] = sectionsOf([chart("a", "<svg >1</svg>", group), chart("b", "<svg >2</svg>")]);
    expect(section?.body.text).toMatch(/id="chart-c-b".*<details.*<summary>Labels \(1 picture\).*id="chart-c-a"/s);
  });

  test("of a sweep come before the results", () => {
    const planted = plantedPage({ questions: 5, methods });
    const charts = (["tasks", "sweep", "overview"] as const).map((section) =>
      chart(section, "<svg >1</svg>", { section }),
    );
    const page = renderPage({ ...planted, charts });
    const ids = [...page.matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id);
    expect(ids.slice(0, 3)).toEqual(["sweep", "results", "comparisons"]);
    expect(ids).toContain("tasks");
  });
});

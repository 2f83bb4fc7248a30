import { describe, expect, test } from "vitest";
import { type Chart, type ChartMaterial, chartsOf, titledSpec } from "../../../src/report/charts/index.js";
import { renderSvg } from "../../../src/report/charts/svg.js";
import { inlineSvg } from "../../../src/report/page/drawn-sections.js";
import { perUser } from "../../../src/report/per-user/per-user.js";
import { answered, type HandMadeArm, handMade } from "../../helpers/chart-material.js";

const labels = ["sci-fi", "based on a book", "comedy"];
const wrong = (gold: string) => answered(labels.find((label) => label !== gold) ?? "");
const two = () =>
  handMade([
    { method: "prompt", outcome: (user, _, gold) => (user < 6 ? wrong(gold) : answered(gold)) },
    { method: "rag", tokens: 300 },
  ]);

const named = (material: ChartMaterial, name: string): Chart | undefined =>
  chartsOf(material).find((chart) => chart.name === name);
const circlesOf = (chart: Chart | undefined): { arm: string; value: number; users: number }[] =>
  (JSON.parse(text(chart)) as { layer: { data: { values: { arm: string; value: number; users: number }[] } }[] }).layer
    .flatMap(({ data }) => data.values)
    .filter(({ users }) => users !== undefined);
const text = (chart: Chart | undefined): string => JSON.stringify(chart?.spec);
const valuesOf = (chart: Chart | undefined): Record<string, unknown>[] =>
  (JSON.parse(text(chart)) as { data: { values: Record<string, unknown>[] } }).data.values;

describe("the charts of a run", () => {
  test("are none where there is nothing to see", () => {
    expect(chartsOf(handMade([]))).toEqual([]);
    const failed = handMade([{ method: "prompt", outcome: () => ({ kind: "failed", error: "no" }) }]);
    expect(chartsOf(failed)).toEqual([]);
  });

  test("have names of their own, carry the SIMULATED mark, and are the same for the same run", () => {
    const charts = chartsOf(two());
    expect(new Set(charts.map(({ name }) => name)).size).toBe(charts.length);
    expect(charts.filter(({ note }) => !note.includes("SIMULATED"))).toEqual([]);
    expect(JSON.stringify(chartsOf(two()))).toBe(JSON.stringify(charts));
  });

  test("count labels against readings, unreadable replies in a column of their own", () => {
    const material = handMade([
      {
        method: "prompt",
        outcome: (user, _, gold) => (user === 0 ? { kind: "unparsed", reply: "?" } : answered(gold)),
      },
    ]);
    const fields = valuesOf(named(material, "confusion-lamp2m-prompt"));
    expect(fields.filter(({ predicted }) => predicted === "(unparsed)").map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(fields.find(({ gold, predicted }) => gold === "comedy" && predicted === "comedy")).toMatchObject({
      count: 11,
      share: 11 / 12,
    });
  });

  test("mark the front: an arm that another beats in score and cost is not on it", () => {
    const material = handMade([
      { method: "prompt", tokens: 50, outcome: (user, _, gold) => (user < 6 ? wrong(gold) : answered(gold)) },
      { method: "rag", tokens: 100 },
      { method: "pag", tokens: 200 },
    ]);
    const front = valuesOf(named(material, "pareto-lamp2m")).map(({ arm, front }) => [arm, front]);
    expect(Object.fromEntries(front)).toEqual({ prompt: true, rag: true, pag: false });
  });

  test("show users' gains over the method without personalization, better to the right on every metric", () => {
    const ratings = handMade([
      { task: "lamp3", method: "prompt", outcome: () => answered("5") },
      { task: "lamp3", method: "rag" },
    ]);
    expect(text(named(ratings, "gains-lamp3"))).toContain("right is better");
    const spec = JSON.parse(text(named(ratings, "gains-lamp3"))) as {
      layer: { data?: { values: { value?: number }[] } }[];
    };
    const gains = spec.layer.flatMap(({ data }) => data?.values ?? []).flatMap(({ value }) => value ?? []);
    expect(gains.length).toBeGreaterThan(0);
    expect(Math.min(...gains)).toBeGreaterThan(0);
    expect(named(handMade([{ method: "rag" }]), "gains-lamp2m")).toBeUndefined();
  });

  test("show the gains of the report's tables: paired on the questions that both answered, over the method asked for", () => {
    const arms: HandMadeArm[] = [
      {
        method: "prompt",
        outcome: (_, question, gold) => (question === 0 ? { kind: "failed", error: "no" } : answered(gold)),
      },
      { method: "rag", outcome: (_, question, gold) => (question === 0 ? wrong(gold) : answered(gold)) },
    ];
    const material = handMade(arms);
    const rowsOf = (cell: string) => material.rows.filter((row) => row.cell === cell);
    const table = perUser({
      task: material.task("lamp2m"),
      rows: rowsOf("c1"),
      units: [],
      reference: rowsOf("c0"),
    });
    expect(new Set(table?.users.map(({ gain }) => gain))).toEqual(new Set([0]));
    expect(circlesOf(named(material, "gains-lamp2m"))).toEqual([{ arm: "rag", value: 0, users: 12 }]);
    expect(text(named(material, "gains-lamp2m"))).toContain('"domain":[-0.05,0.05]'); // else its one tick reads 0.000000
    const over = named(handMade(arms, { reference: "rag" }), "gains-lamp2m");
    expect(over?.title).toContain("over rag");
    expect(circlesOf(over)).toEqual([{ arm: "prompt", value: 0, users: 12 }]);
    expect(named(handMade(arms, { reference: "absent" }), "gains-lamp2m")).toBeUndefined();
  });

  test("draw users at scores that they have", () => {
    const hits = (user: number, question: number, gold: string) => (question < user % 4 ? answered(gold) : wrong(gold));
    const circles = circlesOf(named(handMade([{ method: "rag", outcome: hits }]), "users-lamp2m"));
    expect(circles.map(({ value, users }) => [value, users])).toEqual([
      [0, 3],
      [0.333333, 3],
      [0.666667, 3],
      [1, 3],
    ]);
  });

  test("draw curves along a swept knob, without and with the facts of a sweep", () => {
    const arms = [1, 2, 4].map((k) => ({ method: "rag", options: { "rag.k": k }, tokens: 100 * k }));
    const points = valuesOf(named(handMade(arms), "sweep-lamp2m-rag.k"));
    expect(points.map(({ value, cost }) => [value, cost])).toEqual([
      [1, 100],
      [2, 200],
      [4, 400],
    ]);
    const { vconcat } = JSON.parse(text(named(handMade(arms), "sweep-lamp2m-rag.k")));
    const titles = vconcat.flatMap(({ layer = [] }: { layer?: { encoding: { y: { title: string } } }[] }) =>
      layer.map(({ encoding }) => encoding.y.title.split(" ")[0]),
    );
    expect([...new Set(titles)]).toEqual(["accuracy", "f1", "precision", "recall"]);
    expect(points[0]).toMatchObject({ score: 1, score1: 0.2, score3: 0.2 });
    const sweep = { kind: "scaling", axes: [{ knob: "rag.k", values: [1, 2, 4], base: 4 }] } as const;
    expect(valuesOf(named(handMade(arms, { sweep }), "sweep-lamp2m-rag.k"))).toEqual(points);
  });

  test("draw ablations as differences to the full method", () => {
    const sweep = { kind: "ablation", axes: [{ knob: "method", values: ["full", "part"], base: "full" }] } as const;
    const arms = [
      { method: "full" },
      { method: "part", outcome: (user: number, _: number, gold: string) => (user < 3 ? wrong(gold) : answered(gold)) },
    ];
    expect(valuesOf(named(handMade(arms, { sweep }), "ablation-lamp2m"))).toMatchObject([{ arm: "part", gain: -0.25 }]);
    expect(named(handMade(arms), "ablation-lamp2m")).toBeUndefined();
  });

  test("map the personas with the template marked", () => {
    const personas = Array.from({ length: 6 }, (_, u) => ({
      cell: "c0",
      unit: `u${u}`,
      persona: `you like ${labels[u % 3]}`,
    }));
    const vectors = [...personas.keys(), 9].map((u) => Float32Array.from([u % 3, u / 10]));
    const set = { task: "lamp2m", arm: "persona-agent", template: "you like", personas, vectors, encoder: "e/one" };
    const material = handMade([{ method: "persona-agent" }], { personas: [set] });
    const map = valuesOf(named(material, "persona-map-lamp2m-persona-agent"));
    expect(map.map(({ kind }) => kind).filter((kind) => kind === "initial template")).toHaveLength(1);
    expect(map).toHaveLength(7);
    const { vectors: _, ...unembedded } = set;
    expect(named({ ...material, personas: [unembedded] }, "persona-map-lamp2m-persona-agent")).toBeUndefined();
  });
});

describe("a saved chart", () => {
  test("carries its title, the number of cases and the SIMULATED mark, in lines that fit", async () => {
    const chart = named(two(), "pareto-lamp2m")!; // a run of one task has it
    const { title } = titledSpec(chart) as { title: { text: string[]; subtitle: string[] } };
    expect(title.text.join(" ")).toBe(chart.title);
    expect(title.subtitle.join(" ")).toBe(chart.note);
    expect(title.subtitle.length).toBeGreaterThan(1);
    expect(title.subtitle.every((line) => line.length < 110)).toBe(true);
    const svg = await renderSvg(titledSpec(chart));
    expect(svg).toContain("SIMULATED");
    expect(svg).toMatch(/n = 36/);
  });

  test("leaves room around scores that are all the same", () => {
    const alike = handMade([
      { method: "prompt", tokens: 50 },
      { method: "rag", tokens: 100 },
    ]);
    expect(text(named(alike, "pareto-lamp2m"))).toContain('"domain":[0.95,1.05]');
  });
});

describe("a drawn chart", () => {
  test("has the same bytes at every drawing, and all its words", async () => {
    const chart = named(two(), "pareto-lamp2m");
    const svg = await renderSvg(chart!.spec);
    expect(await renderSvg(chart!.spec)).toBe(svg);
    expect(svg).toContain("tokens per question");
    expect(svg).toMatch(/role-legend-label[\s\S]*>rag<\/text>/);
  });

  test("takes the colours of the page, ids of its own, and says what it is", async () => {
    const chart = named(two(), "pareto-lamp2m");
    const svg = inlineSvg(await renderSvg(chart!.spec), { name: "pareto.a", title: 'Tags & "more" <x>' });
    expect(svg).toMatch(/^<svg role="img" aria-labelledby="pareto-a-title"/);
    expect(svg).toContain("Tags &amp; &quot;more&quot; &lt;x&gt;</title>");
    expect(svg).toContain("currentColor");
    expect(svg).not.toContain('#1f2329"');
    expect([...svg.matchAll(/ id="([^"]+)"/g)].every(([, id]) => id?.startsWith("pareto-a-"))).toBe(true);
  });
});

test("a control sign in a name of the data, which no XML may hold, is drawn as a replacement", async () => {
  const data = { values: [{ user: "b\u0001ob \ud800 \uffff <ann> \u{1f3ac}", score: 1 }] };
  const encoding = { text: { field: "user", type: "nominal" }, x: { field: "score", type: "quantitative" } };
  expect(await renderSvg({ data, mark: "text", encoding })).toContain("b\uFFFDob \uFFFD \uFFFD &lt;ann&gt; \u{1f3ac}");
});

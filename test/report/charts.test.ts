import { describe, expect, test } from "vitest";
import type { Chart, ChartInput } from "../../src/report/charts/chart.js";
import { type ChartName, chartNames, drawCharts } from "../../src/report/charts/index.js";
import { colors, svgFile } from "../../src/report/charts/svg.js";
import { html } from "../../src/report/html.js";
import { answered, handMade } from "../helpers/chart-material.js";

const labels = ["sci-fi", "based on a book", "comedy"];
const wrong = (gold: string) => answered(labels.find((label) => label !== gold) ?? "");
const half = (user: number, _: number, gold: string) => (user < 6 ? wrong(gold) : answered(gold));
const two = () =>
  handMade([
    { method: "prompt", outcome: half },
    { method: "rag", tokens: 300 },
  ]);

const only = async (kind: ChartName, material: ChartInput): Promise<Chart> => {
  const [chart, ...more] = await drawCharts(kind, material);
  expect(more).toEqual([]);
  return chart!;
};
/** Its words, tips included, in order. */
const wordsOf = ({ picture }: Chart): string[] =>
  [...picture.body.text.matchAll(/<(?:text|title)[^>]*>([^<]*)</g)].map(([, text]) => text ?? "");
const allOf = async (material: ChartInput): Promise<Chart[]> =>
  (await Promise.all(chartNames.map((kind) => drawCharts(kind, material)))).flat();

describe("the charts of a run", () => {
  test("are none where there is nothing to see", async () => {
    expect(await allOf(handMade([]))).toEqual([]);
    const failed = handMade([{ method: "prompt", outcome: () => ({ kind: "failed", error: "no" }) }]);
    expect(await allOf(failed)).toEqual([]);
  });

  test("have names of their own, carry the SIMULATED mark, and are the same for the same run", async () => {
    const charts = await allOf(two());
    expect(charts.map(({ name }) => name)).toEqual([...["gains-lamp2m", "cost-lamp2m"]]);
    expect(charts.filter(({ note }) => !note.includes("SIMULATED"))).toEqual([]);
    expect(await allOf(two())).toEqual(charts);
  });

  test("show gains with the numbers of the tables", async () => {
    const material = two();
    const [metric] = material.gains.of(material.summaries[1]!)!.metrics;
    const words = wordsOf(await only("gains", material));
    expect(words).toContain("rag");
    expect(words.find((text) => text.startsWith("+.500 ["))).toContain(`p .00${Math.round(metric!.p! * 1000)}`);
  });

  test("draw ablations as differences to the full method, and nothing without one", async () => {
    const sweep = { kind: "ablation", axes: [{ option: "method", values: ["full", "part"], base: "full" }] } as const;
    const arms = [
      { method: "full" },
      { method: "part", outcome: (user: number, _: number, gold: string) => (user < 3 ? wrong(gold) : answered(gold)) },
    ];
    expect(wordsOf(await only("ablation", handMade(arms, { sweep }))).join(" ")).toContain("part -.250 [");
    expect(await drawCharts("ablation", handMade(arms))).toEqual([]);
  });

  test("draw each metric and the cost along a swept option", async () => {
    const arms = [1, 2, 4].map((k) => ({ method: "rag", options: { "rag.k": k }, tokens: 100 * k }));
    const sweep = { kind: "scaling", axes: [{ option: "rag.k", values: [1, 2, 4], base: 4 }] } as const;
    const chart = await only("scaling", handMade(arms, { sweep }));
    const words = wordsOf(chart);
    expect(chart.name).toBe("scaling-lamp2m-rag.k");
    for (const title of ["accuracy", "f1", "precision", "recall"])
      expect(words).toContain(`${title} (higher is better)`);
    for (const k of [1, 2, 4]) expect(words).toContain(`rag (rag.k=${k}): ${100 * k}`);
    expect(await drawCharts("scaling", handMade(arms))).toEqual([]);
  });

  test("mark the front: an arm that another beats in score and cost is hollow", async () => {
    const material = handMade([
      { method: "prompt", tokens: 50, outcome: half },
      { method: "rag", tokens: 100 },
      { method: "pag", tokens: 200 },
    ]);
    const { picture } = await only("cost", material);
    const dots = [...picture.body.text.matchAll(/<path [^>]*?fill="(\w+)"[^>]*><title>(\w+):/g)];
    expect(dots.map(([, fill, method]) => [method, fill])).toEqual([
      ["prompt", "currentColor"],
      ["rag", "currentColor"],
      ["pag", "none"],
    ]);
  });

  test("show how alike each two personas are, and the mean, median and largest of pairs", async () => {
    const material = handMade([{ method: "persona-agent" }]);
    const texts = ["a b", "a b", "a c d", "e"]; // of pairs: 1, then 1/4 twice, then 0 three times
    const set = { arm: material.summaries[0]!, names: texts, texts, vectors: [], encoder: "e" };
    const [chart] = await drawCharts("persona-similarity", { ...material, personas: () => Promise.resolve([set]) });
    expect(chart?.note).toContain("mean 0.250, median 0.125, largest 1.000");
    const shades = svgFile(chart!).match(/fill-opacity="[^"]+"/g) ?? [];
    expect([shades.length, new Set(shades).size]).toEqual([16, 3]);
    const alone = { ...set, texts: ["a"] };
    const input = { ...material, personas: () => Promise.resolve([alone]) };
    expect(await drawCharts("persona-similarity", input)).toEqual([]);
  });

  test("map the personas with the template marked, from five points on", async () => {
    const names = Array.from({ length: 6 }, (_, u) => `u${u}`);
    const vectors = [...names.keys(), 9].map((u) => Float32Array.from([u % 3, u / 10]));
    const material = handMade([{ method: "persona-agent" }]);
    const personas = (count: number) => () =>
      Promise.resolve([
        {
          ...{ arm: material.summaries[0]!, names: names.slice(0, count), texts: names, encoder: "e" },
          vectors: vectors.slice(6 - count),
        },
      ]);
    const words = wordsOf(await only("persona-map", { ...material, personas: personas(6) }));
    for (const name of [...names, "initial template"]) expect(words).toContain(name);
    expect(await drawCharts("persona-map", { ...material, personas: personas(3) })).toEqual([]);
  });
});

describe("a drawn chart", () => {
  test("as a file holds its title, its note with the mark, and its colours", async () => {
    const chart = await only("cost", two());
    const file = svgFile(chart);
    expect(file).toContain(`<title>${chart.title}</title>`);
    expect(file).toMatch(/<desc>[^<]*SIMULATED.*<text [^>]*>SIMULATED/s);
    expect(svgFile({ ...chart, simulated: false })).not.toMatch(/<text [^>]*>SIMULATED/);
    expect(file).toContain(`.chart .s1{color:${colors.light.series[1]}}`);
  });

  test("has only numbers as places, also where all scores are the same", async () => {
    const alike = handMade([
      { method: "prompt", tokens: 50 },
      { method: "rag", tokens: 100 },
    ]);
    for (const { picture } of [...(await allOf(alike)), ...(await allOf(two()))])
      expect(picture.body.text).not.toMatch(/NaN|Infinity|undefined/);
  });

  test("replaces a control sign in a name of the data, which no XML may hold", () => {
    const picture = { width: 1, height: 1, body: html`` };
    const file = svgFile({ picture, title: "b\u0001ob \ud800 \uffff <ann> \u{1f3ac}", note: "", simulated: false });
    expect(file).toContain("b\uFFFDob \uFFFD \uFFFD &lt;ann&gt; \u{1f3ac}");
  });
});

describe("the colours of charts", () => {
  const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const luminance = (rgb: readonly number[]): number => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  /** As WCAG 2.2 computes it. */
  const contrast = (a: readonly number[], b: readonly number[]): number => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };

  test.each(["light", "dark"] as const)("in the %s theme: 3:1 for what is drawn, 4.5:1 for texts", (name) => {
    const { series, ink, muted, ...theme } = colors[name];
    for (const background of [theme.background, theme.panel].map(channels)) {
      for (const color of series) expect(contrast(channels(color), background), color).toBeGreaterThanOrEqual(3);
      for (const color of [ink, muted])
        expect(contrast(channels(color), background), color).toBeGreaterThanOrEqual(4.5);
    }
  });
});

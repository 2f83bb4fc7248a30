import type { Json } from "../../types/index.js";

/**
 * Colours of lines and letters. `inlineSvg` finds them again and hands them to the theme of the page, so nothing that
 * carries data has them.
 */
export const sentinel = {
  ink: "#1f2329",
  muted: "#57606b",
  grid: "#d9dee5",
  background: "#fffffe",
} as const;

/** Okabe and Ito's colours, told apart by all kinds of colour vision, without black and yellow (Color Universal Design, 2008); then Tol's. */
export const palette = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#882255",
  "#999933",
  "#44aa99",
  "#6a6a6a",
] as const;

/** Sequential scale of heat maps, light to dark. */
const heat = "blues";

const FONT = "system-ui, Helvetica, Arial, sans-serif";

/** A complete vega-lite 6 specification. */
export type Spec = Readonly<Record<string, Json>>;

/** Adds what all charts share to a drawing. `data` becomes inline rows. */
export function specOf(drawing: Spec): Spec {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    ...drawing,
    background: sentinel.background,
    padding: 8,
    config: {
      font: FONT,
      view: { stroke: null },
      axis: {
        domainColor: sentinel.muted,
        tickColor: sentinel.muted,
        gridColor: sentinel.grid,
        labelColor: sentinel.ink,
        titleColor: sentinel.ink,
        labelFontSize: 11,
        titleFontSize: 11,
        titleFontWeight: 500,
        labelLimit: 260,
        labelPadding: 4,
      },
      axisQuantitative: { tickCount: 6, labelOverlap: true },
      header: { labelColor: sentinel.ink, titleColor: sentinel.ink, labelFontSize: 12, labelLimit: 420 },
      legend: {
        labelColor: sentinel.ink,
        titleColor: sentinel.ink,
        labelFontSize: 11,
        titleFontSize: 11,
        labelLimit: 320,
      },
      text: { color: sentinel.ink, fontSize: 11 },
      rule: { color: sentinel.muted },
      range: { category: [...palette] },
    },
  };
}

/** Pixels of one band of a chart of bands, so that charts grow with their content. */
export const step = (pixels: number): Json => ({ step: pixels });

type Encoding = Readonly<Record<string, Json>>;

/** A field of names in the order of the data, without a title: the arms beside, or the colours of lines. */
export const named = (field: string, more: Encoding = {}): Encoding => ({
  field,
  type: "nominal",
  sort: null,
  title: null,
  ...more,
});

export const quantitative = (field: string, more: Encoding = {}): Encoding => ({
  field,
  type: "quantitative",
  ...more,
});

/** A dashed upright line; `name` is what a reader of screens hears. */
export const dashedAt = (name: string, at: number): Json => ({
  data: { values: [{ [name]: at }] },
  mark: { type: "rule", strokeDash: [4, 4], color: sentinel.muted },
  encoding: { x: quantitative(name) },
});

/** A dot an arm at `field`, on a line from `low` to `high` where these are known. */
export function dotsWithIntervals(field: string, color: string, along: Encoding): Json[] {
  const y = named("arm");
  return [
    {
      transform: [{ filter: "isValid(datum.low)" }],
      mark: { type: "rule", strokeWidth: 2, color },
      encoding: { y, x: quantitative("low", along), x2: { field: "high" } },
    },
    {
      mark: { type: "point", filled: true, size: 70, opacity: 1, color },
      encoding: { y, x: quantitative(field, along) },
    },
  ];
}

/** Axes of a table of fields, without lines. */
export const tableAxis = { domain: false, ticks: false } as const;

/** Fields shaded by `shade` (over `domain`), each with its text, which is white from `dark` on. */
export function shadedFields(
  shade: { readonly field: string; readonly domain: readonly [number, number]; readonly dark: number },
  text: Encoding,
  fontSize?: number,
): Json[] {
  const { field, domain, dark } = shade;
  return [
    {
      mark: { type: "rect", stroke: "#ffffff" },
      encoding: { color: quantitative(field, { scale: { scheme: heat, domain }, legend: null }) },
    },
    {
      mark: { type: "text", ...(fontSize === undefined ? {} : { fontSize }) },
      encoding: {
        text,
        color: { condition: { test: `datum.${field} > ${dark}`, value: "#ffffff" }, value: "#000000" },
      },
    },
  ];
}

/** Half of the span of an axis whose values are all the same. */
const AROUND = 0.05;

/**
 * The scale of an axis of scores. Where all values are the same it leaves room around them, so that the one tick can be
 * read.
 */
export function scoreScale(values: readonly (number | null)[], more: Encoding): Encoding {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const alike = first !== undefined && known.every((value) => value === first);
  return alike
    ? { zero: false, domain: [first - AROUND, first + AROUND].map((end) => Number(end.toFixed(3))) }
    : { zero: false, ...more };
}

/** Digits of a tick: as many as it needs, at most three. */
export const SCORE_FORMAT = ".3~f";

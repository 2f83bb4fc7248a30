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
export const heat = "blues";

const FONT = "Inter, system-ui, sans-serif";

/** Adds what all charts share to a drawing. `data` becomes inline rows. */
export function specOf(drawing: { readonly [key: string]: Json }): Json {
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

/** Half of the span of an axis whose values are all the same. */
const AROUND = 0.05;

/**
 * The scale of an axis of scores. Where all values are the same it leaves room around them, so that the one tick can be
 * read.
 */
export function scoreScale(values: readonly (number | null)[], more: Readonly<Record<string, number | boolean>>) {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const alike = first !== undefined && known.every((value) => value === first);
  return alike
    ? { zero: false, domain: [first - AROUND, first + AROUND].map((end) => Number(end.toFixed(3))) }
    : { zero: false, ...more };
}

/** The same for an axis that is otherwise as it comes: no scale where the values differ. */
export function alikeScale(values: readonly number[]): { readonly scale?: ReturnType<typeof scoreScale> } {
  return values.every((value) => value === values[0]) ? { scale: scoreScale(values, {}) } : {};
}

/** Digits of a tick: as many as it needs, at most three. */
export const SCORE_FORMAT = ".3~f";

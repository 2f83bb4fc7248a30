/**
 * Colours on white and on the dark page. The series are Okabe and Ito's (Color Universal Design, 2008) and Tol's, made darker or
 * lighter until each has a contrast of 3:1 to its background (WCAG 2.2, 1.4.11).
 */
export const colors = {
  light: {
    background: "#ffffff",
    panel: "#f5f6f8",
    ink: "#1a1d21",
    muted: "#545b66",
    grid: "#d5d9e0",
    series: [
      "#0072b2",
      "#b86e00",
      "#008a64",
      "#b85c8e",
      "#2b8cc4",
      "#c84f00",
      "#882255",
      "#7d7d1e",
      "#2d8a7c",
      "#6a6a6a",
    ],
  },
  dark: {
    background: "#14171c",
    panel: "#1c2027",
    ink: "#e4e7ec",
    muted: "#a5adba",
    grid: "#353b46",
    series: [
      "#4aa8e0",
      "#e69f00",
      "#1fb68a",
      "#dd8fbc",
      "#8fd0f5",
      "#ff8440",
      "#c9679c",
      "#b5b54a",
      "#5cc2b2",
      "#a8a8a8",
    ],
  },
} as const;

type Theme = (typeof colors)["light" | "dark"];

/** Rules for what charts are drawn of: every part has a class that sets `color`, and is drawn in `currentColor`. */
function rules(colorOf: (pick: (theme: Theme) => string) => string): string {
  const classes: readonly (readonly [string, (theme: Theme) => string])[] = [
    ["chart", ({ ink }) => ink],
    ["muted", ({ muted }) => muted],
    ["grid", ({ grid }) => grid],
    ...colors.light.series.map((_, s) => [`s${s}`, ({ series }: Theme) => series[s]!] as const), // both lists are as long
  ];
  return classes
    .map(([name, pick]) => `.chart${name === "chart" ? "" : ` .${name}`}{color:${colorOf(pick)}}`)
    .join("\n");
}

/** Style of a chart in a file of its own. */
export const fileStyle = rules((pick) => pick(colors.light));

/** Style of the charts of a page, which follows its theme. */
export const pageStyle = rules((pick) => `light-dark(${pick(colors.light)},${pick(colors.dark)})`);

/** Opacity of the series colour behind a field of a table: text on the darkest is still read. */
export const shadeOf = (share: number): number => 0.06 + 0.44 * share;

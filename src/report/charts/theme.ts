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
    series: "#0072b2 #b86e00 #008a64 #b85c8e #2b8cc4 #c84f00 #882255 #7d7d1e #2d8a7c #6a6a6a".split(" "),
  },
  dark: {
    background: "#14171c",
    panel: "#1c2027",
    ink: "#e4e7ec",
    muted: "#a5adba",
    grid: "#353b46",
    series: "#4aa8e0 #e69f00 #1fb68a #dd8fbc #8fd0f5 #ff8440 #c9679c #b5b54a #5cc2b2 #a8a8a8".split(" "),
  },
};

type Theme = (typeof colors)["light" | "dark"];

/** Every part of a chart has a class that sets `color`, and is drawn in `currentColor`. */
function rules(colorOf: (pick: (theme: Theme) => string) => string): string {
  const series = colors.light.series.map((_, s): [string, (theme: Theme) => string] => [
    `.s${s}`,
    (one) => one.series[s]!,
  ]);
  const kinds: [string, (theme: Theme) => string][] = [
    ["", ({ ink }) => ink],
    [".muted", ({ muted }) => muted],
    [".grid", ({ grid }) => grid],
    ...series, // both themes have as many
  ];
  return kinds.map(([kind, pick]) => `.chart ${kind}{color:${colorOf(pick)}}`.replace(" {", "{")).join("\n");
}

/** Style of a chart in a file of its own. */
export const fileStyle = rules((pick) => pick(colors.light));

/** Style of the charts of a page, which follows its theme. */
export const pageStyle = rules((pick) => `light-dark(${pick(colors.light)},${pick(colors.dark)})`);

/** Opacity of the series colour behind a field of a table: text on the darkest is still read. */
export const shadeOf = (share: number): number => 0.06 + 0.44 * share;

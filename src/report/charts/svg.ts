import { html, Markup, xmlOf } from "../html.js";
import { simulatedText } from "../tables/format.js";

/**
 * Colours on white and on the dark page. The series are Okabe and Ito's (Color Universal Design, 2008) and Tol's, made darker or
 * lighter until each has a contrast of 3:1 to its background (WCAG 2.2, 1.4.11).
 */
export const colors = {
  light: {
    ...{ background: "#ffffff", panel: "#f5f6f8", ink: "#1a1d21", muted: "#545b66", grid: "#d5d9e0" },
    series: "#0072b2 #b86e00 #008a64 #b85c8e #2b8cc4 #c84f00 #882255 #7d7d1e #2d8a7c #6a6a6a".split(" "),
  },
  dark: {
    ...{ background: "#14171c", panel: "#1c2027", ink: "#e4e7ec", muted: "#a5adba", grid: "#353b46" },
    series: "#4aa8e0 #e69f00 #1fb68a #dd8fbc #8fd0f5 #ff8440 #c9679c #b5b54a #5cc2b2 #a8a8a8".split(" "),
  },
};

type Theme = (typeof colors)["light" | "dark"];

/** Every part of a chart has a class that sets `color`, and is drawn in `currentColor`. */
function rules(colorOf: (pick: (theme: Theme) => string) => string): string {
  const kinds: [string, (theme: Theme) => string][] = [
    [".chart", ({ ink }) => ink],
    [".chart .muted", ({ muted }) => muted],
    [".chart .grid", ({ grid }) => grid],
    ...colors.light.series.map((_, s): [string, (theme: Theme) => string] => [
      `.chart .s${s}`,
      (one) => one.series[s]!,
    ]),
  ];
  return kinds.map(([kind, pick]) => `${kind}{color:${colorOf(pick)}}`).join("\n");
}

/** Style of the charts of a page, which follows its theme. */
export const pageStyle = rules((pick) => `light-dark(${pick(colors.light)},${pick(colors.dark)})`);

/** A drawing and its size in pixels. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly body: Markup;
}

const sizeOf = ({ width, height }: Omit<Picture, "body">): Markup =>
  html`width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}"`;

/** The drawing as a part of a page, whose style sheet colours it; a reader of screens hears its title. */
export const inlineSvg = (picture: Picture, title: string): Markup =>
  html`<svg class="chart" role="img" aria-label="${title}" ${sizeOf(picture)}>${picture.body}</svg>`;

interface Saved {
  readonly title: string;
  readonly note: string;
  readonly simulated: boolean;
  readonly picture: Picture;
}

export function svgFile({ title, note, simulated, picture: { width, height, body } }: Saved): string {
  const mark = simulated ? label(8, height + LINE_HEIGHT / 2, simulatedText, { kind: "muted" }) : undefined;
  const size = sizeOf({ width, height: height + (simulated ? LINE_HEIGHT : 0) });
  return xmlOf(html`<svg xmlns="http://www.w3.org/2000/svg" class="chart" ${size}>
<title>${title}</title><desc>${note}</desc>
<style>${new Markup(rules((pick) => pick(colors.light)))}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${body}${mark}
</svg>
`);
}

/** A coordinate: two digits are enough, and the same on every machine. */
export const px = (value: number): number => Math.round(value * 100) / 100;

const [FONT, FONT_SIZE, LINE_HEIGHT] = ["system-ui, Helvetica, Arial, sans-serif", 11, 17];

interface TextStyle {
  readonly anchor?: "start" | "middle" | "end";
  readonly kind?: string;
}

/** A text whose middle line is at `y`. */
export function label(x: number, y: number, text: string, { anchor = "start", kind }: TextStyle = {}): Markup {
  const place = html`x="${px(x)}" y="${px(y + FONT_SIZE * 0.36)}" text-anchor="${anchor}"`;
  const font = html`font-family="${FONT}" font-size="${FONT_SIZE}" fill="currentColor"`;
  return html`<text ${place} ${font}${kind === undefined ? undefined : html` class="${kind}"`}>${text}</text>`;
}

type Point = readonly [x: number, y: number];

interface LineStyle {
  readonly width?: number;
  readonly dashed?: boolean;
}

export const pathOf = (points: readonly Point[]): string =>
  points.map(([x, y], p) => `${p === 0 ? "M" : "L"}${px(x)} ${px(y)}`).join("");

export function strokedPath(path: string, kind: string, { width = 1, dashed = false }: LineStyle = {}): Markup {
  const dashes = dashed ? html` stroke-dasharray="4 3"` : undefined;
  const stroke = html`fill="none" stroke="currentColor" stroke-width="${width}"${dashes}`;
  return html`<path class="${kind}" d="${path}" ${stroke}/>`;
}

/** The class of a series. More than ten begin again, with other shapes. */
export const seriesKind = (series: number): string => `s${series % colors.light.series.length}`;

/** Seven with ten colours: 70 series look different, and seven of them without colours. */
const shapes = [
  "M4.5 0A4.5 4.5 0 1 1-4.5 0A4.5 4.5 0 1 1 4.5 0Z",
  "M-4-4H4V4H-4Z",
  "M0-5L5 4H-5Z",
  "M0-5.5L5.5 0L0 5.5L-5.5 0Z",
  "M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
  "M0 5L5-4H-5Z",
  "M-5-4L4 0L-5 4Z",
] as const;

/** The dot of a series, and what a pointer on it is told. */
export function seriesDot([x, y]: Point, series: number, { hollow = false, says = "" } = {}): Markup {
  const paint = hollow ? html`fill="none" stroke="currentColor" stroke-width="1.8"` : html`fill="currentColor"`;
  const place = html`transform="translate(${px(x)} ${px(y)})" d="${shapes[series % shapes.length]}"`;
  const tip = says === "" ? undefined : html`<title>${says}</title>`;
  return html`<path class="${seriesKind(series)}" ${place} ${paint}>${tip}</path>`;
}

/** Names with their dots, in lines of the given width. */
export function legend(names: readonly string[], [x, y]: Point, width: number): Picture {
  const column = Math.max(...names.map(textWidth)) + 28;
  const columns = Math.max(1, Math.min(names.length, Math.floor(width / column)));
  const items = names.map((name, n) => {
    const left = x + (n % columns) * column;
    const top = y + (Math.floor(n / columns) + 0.5) * LINE_HEIGHT;
    return html`${seriesDot([left + 5, top], n)}${label(left + 15, top, name)}`;
  });
  return { width: columns * column, height: Math.ceil(names.length / columns) * LINE_HEIGHT, body: html`${items}` };
}

/** Pixels that a text takes at most: room for labels must not depend on the fonts of the machine that draws. */
export const textWidth = (text: string): number => Math.ceil(text.length * FONT_SIZE * 0.58);

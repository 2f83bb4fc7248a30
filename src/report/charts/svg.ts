import { html, Markup } from "../markup.js";
import { simulatedText } from "../simulated.js";
import { fileStyle } from "./theme.js";

/** A drawing and its size in pixels. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly body: Markup;
}

/** The drawing as a part of a page, whose style sheet colours it; a reader of screens hears its title. */
export const inlineSvg = ({ width, height, body }: Picture, title: string): Markup =>
  html`<svg class="chart" role="img" aria-label="${title}" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}">${body}</svg>`;

interface Saved {
  readonly title: string;
  readonly note: string;
  readonly simulated: boolean;
  readonly picture: Picture;
}

/** The drawing as a file. Title and note are in it for those who ask (`title`, `desc`); a paper has its own caption. */
export function svgFile({ title, note, simulated, picture }: Saved): string {
  const { width, body } = picture;
  const height = picture.height + (simulated ? LINE_HEIGHT : 0);
  const mark = simulated ? label(8, picture.height + LINE_HEIGHT / 2, simulatedText, { kind: "muted" }) : undefined;
  const size = html`width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}"`;
  return `${
    html`<svg xmlns="http://www.w3.org/2000/svg" class="chart" ${size}>
<title>${title}</title><desc>${note}</desc>
<style>${new Markup(fileStyle)}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${body}${mark}
</svg>`.text.replace(NOT_XML, "\uFFFD") // of names that came from data
  }\n`;
}

/** Characters that XML may not hold, even escaped (XML 1.0, Char). */
const NOT_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A coordinate: two digits are enough, and the same on every machine. */
export const px = (value: number): number => Math.round(value * 100) / 100;

const FONT = "system-ui, Helvetica, Arial, sans-serif";
const FONT_SIZE = 11;

interface TextStyle {
  readonly anchor?: "start" | "middle" | "end";
  readonly kind?: string;
  readonly bold?: boolean;
  /** Degrees. */
  readonly turn?: number;
}

/** A text whose middle line is at `y`. */
export function label(
  x: number,
  y: number,
  text: string,
  { anchor = "start", kind, bold, turn }: TextStyle = {},
): Markup {
  const turned = turn === undefined ? undefined : html` transform="rotate(${turn} ${px(x)} ${px(y)})"`;
  const of = html`${kind === undefined ? undefined : html` class="${kind}"`}${bold === true ? html` font-weight="600"` : undefined}${turned}`;
  return html`<text x="${px(x)}" y="${px(y + FONT_SIZE * 0.36)}" text-anchor="${anchor}" font-family="${FONT}" font-size="${FONT_SIZE}" fill="currentColor"${of}>${text}</text>`;
}

interface LineStyle {
  readonly width?: number;
  readonly dashed?: boolean;
}

export function line(path: string, kind: string, { width = 1, dashed = false }: LineStyle = {}): Markup {
  const dashes = dashed ? html` stroke-dasharray="4 3"` : undefined;
  return html`<path class="${kind}" d="${path}" fill="none" stroke="currentColor" stroke-width="${width}"${dashes}/>`;
}

/** The path through points. */
export const pathOf = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], p) => `${p === 0 ? "M" : "L"}${px(x)} ${px(y)}`).join("");

/** A line of the class `kind` along an axis: at this height, from one place to the other. */
export const across = (y: number, [from, to]: readonly [number, number], kind: string, style?: LineStyle): Markup =>
  line(`M${px(from)} ${px(y)}H${px(to)}`, kind, style);

/** The same upright: at this place, from one height to the other. */
export const upright = (x: number, [from, to]: readonly [number, number], kind: string, style?: LineStyle): Markup =>
  line(`M${px(x)} ${px(from)}V${px(to)}`, kind, style);

/** The class of a series. More than ten begin again, with other shapes. */
export const seriesKind = (series: number): string => `s${series % COLORS}`;
const COLORS = 10;

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
export function dot(x: number, y: number, series: number, { hollow = false, says = "" } = {}): Markup {
  const paint = hollow ? html`fill="none" stroke="currentColor" stroke-width="1.8"` : html`fill="currentColor"`;
  return html`<path class="${seriesKind(series)}" transform="translate(${px(x)} ${px(y)})" d="${shapes[series % shapes.length]}" ${paint}>${says === "" ? undefined : html`<title>${says}</title>`}</path>`;
}

/** Names with their dots, in lines of the given width. */
export function legend(names: readonly string[], { x, y, width }: { x: number; y: number; width: number }): Picture {
  const column = Math.max(...names.map((name) => textWidth(name))) + LEGEND_GAP;
  const columns = Math.max(1, Math.min(names.length, Math.floor(width / column)));
  const items = names.map((name, n) => {
    const [left, top] = [x + (n % columns) * column, y + Math.floor(n / columns) * LINE_HEIGHT + LINE_HEIGHT / 2];
    return html`${dot(left + 5, top, n)}${label(left + 15, top, name)}`;
  });
  return { width: columns * column, height: Math.ceil(names.length / columns) * LINE_HEIGHT, body: html`${items}` };
}

const LEGEND_GAP = 28;
const LINE_HEIGHT = 17;

/**
 * Pixels that a text takes, by the classes of its letters: what a chart leaves free for labels must not depend on the fonts of
 * the machine that draws it.
 */
export function textWidth(text: string): number {
  let ems = 0;
  for (const letter of text) ems += classes.find(({ letters }) => letters.test(letter))?.ems ?? 1;
  return Math.ceil(ems * FONT_SIZE);
}

const classes: readonly { readonly letters: RegExp; readonly ems: number }[] = [
  { letters: /[ijlI.,:;'|!`]/, ems: 0.29 },
  { letters: /[frt()[\]{}/\\ -]/, ems: 0.38 },
  { letters: /[mwMW@%]/, ems: 0.9 },
  { letters: /[A-Z&]/, ems: 0.71 },
  { letters: /[\u0000-\u024f]/, ems: 0.62 },
  { letters: /[\u0370-\u04ff]/, ems: 0.66 },
];

/** A text with at most `most` characters. */
export const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

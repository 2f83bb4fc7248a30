import { html, type Markup } from "../html.js";
import type { Estimate } from "../table.js";
import { label, type Picture, px, strokedPath, textWidth } from "./svg.js";

export interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  readonly title: string;
}

interface AxisRequest {
  readonly values: readonly number[];
  /** Pixels of the lowest and the highest value. */
  readonly range: readonly [number, number];
  readonly title: string;
  readonly format: (value: number) => string;
  readonly zero?: boolean;
  readonly log?: boolean;
}

const PIXELS_A_TICK = 55;

export function axisOf({ values, range: [from, to], title, format, zero = false, log = false }: AxisRequest): Axis {
  const scale = log ? Math.log10 : (value: number) => value;
  const all = (zero ? [0, ...values] : values).map(scale);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = log ? 0.13 : most === least ? 0.05 : (most - least) * 0.05;
  const [low, high] = [least - room, most + room];
  const count = Math.abs(to - from) / (to > from ? PIXELS_A_TICK : PIXELS_A_TICK / 2); // to < from: a vertical axis
  return {
    at: (value) => from + ((scale(value) - low) / (high - low)) * (to - from),
    ticks: (log ? logTicks : roundTicks)(low, high, Math.max(1, count)),
    format,
    title,
  };
}

/** Multiples of 1, 2 or 5 times a power of ten, at most about `count`. */
function roundTicks(low: number, high: number, count: number): number[] {
  const least = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
  const first = Math.ceil(low / step);
  const steps = Math.floor(high / step) - first + 1;
  return Array.from({ length: steps }, (_, t) => Number(((first + t) * step).toFixed(10)));
}

function logTicks(low: number, high: number, count: number): number[] {
  const decades = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, d) => 10 ** (Math.floor(low) + d));
  const ticks = decades
    .flatMap((decade) => [1, 2, 5].map((times) => Number((times * decade).toPrecision(3))))
    .filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  const every = Math.ceil(ticks.length / count);
  return ticks.filter((_, t) => t % every === 0);
}

export const tickScore = (value: number): string => String(Number(value.toFixed(3))).replace(/^(-?)0\./, "$1.");

export const tickGain = (value: number): string => `${value > 0 ? "+" : ""}${tickScore(value)}`;

/** The inside of a chart, in pixels. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels to the left of an area, above and below it, that its axes take. */
export const [LEFT, ABOVE, BELOW] = [48, 20, 38];

/** Grid lines, ticks and title of the axis below an area. */
export function drawX({ at, ticks, format, title }: Axis, { left, right, top, bottom }: Area): Markup {
  const lines = ticks.map((tick) => {
    const text = label(at(tick), bottom + 10, format(tick), { anchor: "middle", kind: "muted" });
    return html`${upright(at(tick), [top, bottom], "grid")}${text}`;
  });
  return html`${lines}${label((left + right) / 2, bottom + 28, title, { anchor: "middle" })}`;
}

/** Grid lines and ticks of the axis to the left of an area; its title stands above them. */
export function drawY({ at, ticks, format, title }: Axis, { left, right, top }: Area): Markup {
  const lines = ticks.map((tick) => {
    const text = label(left - 6, at(tick), format(tick), { anchor: "end", kind: "muted" });
    return html`${across(at(tick), [left, right], "grid")}${text}`;
  });
  return html`${lines}${label(left, top - 9, title)}`;
}

type Style = Parameters<typeof strokedPath>[2];
type Span = readonly [from: number, to: number];

/** A line of a class at this height, from one place to the other. */
export const across = (y: number, [from, to]: Span, kind: string, style?: Style): Markup =>
  strokedPath(`M${px(from)} ${px(y)}H${px(to)}`, kind, style);

export const upright = (x: number, [from, to]: Span, kind: string, style?: Style): Markup =>
  strokedPath(`M${px(x)} ${px(from)}V${px(to)}`, kind, style);

interface RowChart {
  readonly names: readonly string[];
  /** Texts right of the area, one a row; the first line is their title. */
  readonly beside?: readonly string[];
  readonly values: readonly number[];
  readonly title: string;
  readonly format: (value: number) => string;
  readonly draw: (row: number, y: number, axis: Axis) => Markup;
}

const WIDTH = 280;
const ROW_HEIGHT = 24;
const MOST_LETTERS = 44;

/** Draws a row an arm, names at the left, over one axis with a line at 0. */
export function rowChart({ names, beside = [], values, title, format, draw }: RowChart): Picture {
  const shown = names.map((name) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name));
  const left = Math.max(...shown.map(textWidth)) + 16;
  const top = beside.length === 0 ? 6 : 22;
  const area: Area = { left, right: left + WIDTH, top, bottom: top + names.length * ROW_HEIGHT };
  const axis = axisOf({ values, range: [area.left, area.right], title, format, zero: true });
  const yOf = (row: number): number => top + (row + 0.5) * ROW_HEIGHT;
  const rows = shown.map(
    (name, row) => html`${label(left - 8, yOf(row), name, { anchor: "end" })}${draw(row, yOf(row), axis)}`,
  );
  const texts = beside.map((text, t) =>
    label(area.right + 14, t === 0 ? 10 : yOf(t - 1), text, t === 0 ? { kind: "muted" } : {}),
  );
  const zeroLine = upright(axis.at(0), [area.top, area.bottom], "muted", { dashed: true });
  return {
    width: area.right + 20 + Math.max(0, ...beside.map(textWidth)),
    height: area.bottom + BELOW,
    body: html`${drawX(axis, area)}${zeroLine}${rows}${texts}`,
  };
}

/** Returns the values of estimates that an axis has to hold. */
export const endsOf = (all: readonly Estimate[]): number[] =>
  all.flatMap(({ value, interval }) => [value ?? [], interval?.low ?? [], interval?.high ?? []].flat());

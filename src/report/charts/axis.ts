import { html, type Markup } from "../markup.js";
import { across, label, upright } from "./svg.js";

/** From values to pixels. */
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
  /** Whether 0 is on it. */
  readonly zero?: boolean;
}

/** Half of the span of an axis whose values are all the same. */
const AROUND = 0.05;
const PADDING = 0.05;

export function linearAxis({ values, range: [from, to], title, format, zero = false }: AxisRequest): Axis {
  const all = zero ? [0, ...values] : values;
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = most === least ? AROUND : (most - least) * PADDING;
  const [low, high] = [least - room, most + room];
  return {
    at: (value) => from + ((value - low) / (high - low)) * (to - from),
    ticks: roundTicks(low, high, Math.abs(to - from) / (to > from ? PIXELS_A_TICK : PIXELS_A_TICK / 2)), // upright axes rise
    format,
    title,
  };
}

/** Of values above 0. */
export function logAxis({ values, range: [from, to], title, format }: AxisRequest): Axis {
  const [low, high] = [Math.log(Math.min(...values) / 1.35), Math.log(Math.max(...values) * 1.35)];
  const decades = Array.from({ length: 40 }, (_, d) => 10 ** (d - 12));
  const ticks = decades
    .flatMap((decade) => [1, 2, 5].map((times) => Number((times * decade).toPrecision(3))))
    .filter((tick) => Math.log(tick) >= low && Math.log(tick) <= high);
  const every = Math.ceil(ticks.length / (Math.abs(to - from) / PIXELS_A_TICK));
  return {
    at: (value) => from + ((Math.log(value) - low) / (high - low)) * (to - from),
    ticks: ticks.filter((_, t) => t % every === 0),
    format,
    title,
  };
}

const PIXELS_A_TICK = 55;

/** Multiples of 1, 2 or 5 times a power of ten, at most about `count`. */
function roundTicks(low: number, high: number, count: number): number[] {
  const least = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, t) =>
    Number(((first + t) * step).toFixed(10)),
  );
}

/** A score at a tick: `.45`. */
export const tickScore = (value: number): string =>
  Number(value.toFixed(3))
    .toString()
    .replace(/^(-?)0\./, "$1.");

/** A gain at a tick: `+.1`. */
export const tickGain = (value: number): string => `${value > 0 ? "+" : ""}${tickScore(value)}`;

/** The inside of a chart, in pixels. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels below an area that ticks and the title of its axis take. */
export const BELOW = 38;

/** Grid lines, ticks and title of the axis below an area. */
export const drawX = (axis: Axis, { left, right, top, bottom }: Area): Markup =>
  html`${axis.ticks.map((tick) => {
    const x = axis.at(tick);
    return html`${upright(x, [top, bottom], "grid")}${label(x, bottom + 10, axis.format(tick), { anchor: "middle", kind: "muted" })}`;
  })}${label((left + right) / 2, bottom + 28, axis.title, { anchor: "middle" })}`;

/** Grid lines and ticks of the axis to the left of an area; its title stands above them. */
export const drawY = (axis: Axis, { left, right, top }: Area): Markup =>
  html`${axis.ticks.map((tick) => {
    const y = axis.at(tick);
    return html`${across(y, [left, right], "grid")}${label(left - 6, y, axis.format(tick), { anchor: "end", kind: "muted" })}`;
  })}${label(left, top - 9, axis.title)}`;

/** Pixels to the left of an area, and above it, that the axis takes. */
export const [LEFT, ABOVE] = [48, 20];

import { html, type Markup } from "../markup.js";
import { type Area, type Axis, BELOW, drawX, linearAxis } from "./axis.js";
import { cut, label, type Picture, textWidth, upright } from "./svg.js";

interface RowChart {
  /** One a row. */
  readonly names: readonly string[];
  /** Texts right of the area, one a row; the first line is their title. */
  readonly beside?: readonly string[];
  /** All values that the axis has to hold. */
  readonly values: readonly number[];
  readonly title: string;
  readonly format: (value: number) => string;
  /** Whether 0 is on the axis, as a dashed line. */
  readonly zero: boolean;
  readonly rowHeight: number;
  readonly draw: (row: number, y: number, axis: Axis) => Markup;
}

const WIDTH = 310;
const MOST_LETTERS = 44;

/** A chart with a row an arm, names at the left, over one axis. */
export function rowChart({ names, beside = [], values, title, format, zero, rowHeight, draw }: RowChart): Picture {
  const shown = names.map((name) => cut(name, MOST_LETTERS));
  const left = Math.max(...shown.map(textWidth)) + 16;
  const head = beside.length === 0 ? 6 : 22;
  const area: Area = { left, right: left + WIDTH, top: head, bottom: head + names.length * rowHeight };
  const axis = linearAxis({ values, range: [area.left, area.right], title, format, zero });
  const yOf = (row: number): number => head + (row + 0.5) * rowHeight;
  const texts = beside.map((text, t) =>
    label(area.right + 14, t === 0 ? 10 : yOf(t - 1), text, t === 0 ? { kind: "muted" } : {}),
  );
  const zeroLine = zero ? upright(axis.at(0), [area.top, area.bottom], "muted", { dashed: true }) : undefined;
  return {
    width: area.right + 20 + Math.max(0, ...beside.map(textWidth)),
    height: area.bottom + BELOW,
    body: html`${drawX(axis, area)}${zeroLine}${shown.map(
      (name, row) => html`${label(left - 8, yOf(row), name, { anchor: "end" })}${draw(row, yOf(row), axis)}`,
    )}${texts}`,
  };
}

/** A value with its interval. */
interface Ranged {
  readonly value: number;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
}

/** The values that an axis has to hold. */
export const endsOf = (all: readonly Ranged[]): number[] =>
  all.flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]);

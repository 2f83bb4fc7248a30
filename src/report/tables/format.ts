import { isSignificant } from "../../results/inference.js";
import { grouped } from "../../text/count.js";
import { dash } from "../table.js";

/** `.513`, `1.000`, `-.004`: scores as the papers print them. */
export function formatScore(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  return value.toFixed(3).replace(/^(-?)0\./, "$1.");
}

/** `+.013`, `-.004`, `.000`: a difference of scores. */
export function formatGain(value: number | undefined): string {
  const text = formatScore(value);
  if (/^-?\.0+$/.test(text)) return formatScore(0);
  return value !== undefined && value > 0 ? `+${text}` : text;
}

/** About three significant digits: `0.052`, `1.4`, `1,024`. */
export function formatAmount(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  if (value >= 99.95) return grouped(Math.round(value));
  if (value === Math.round(value)) return String(value);
  return value >= 10 ? value.toFixed(1) : Number(value.toPrecision(3)).toString();
}

export function formatUsd(value: number | undefined): string {
  if (value === undefined) return dash;
  return `$${value < 0.995 ? value.toPrecision(2) : value.toFixed(2)}`;
}

/** Says that a price is old; undefined where it is not. */
export const staleLine = (model: string, readOn: string | undefined): string | undefined =>
  readOn === undefined ? undefined : `the price of ${model} was read on ${readOn}; a newer one: --prices FILE`;

/** `.031`, `<.001`: a p is never 0, and one just above .05 does not look like .05: `.0501`. */
export function formatP(p: number | undefined): string {
  if (p === undefined) return dash;
  if (p < 0.001) return "<.001";
  const isJustAbove = !isSignificant(p) && formatScore(p) === ".050";
  return isJustAbove ? `.${String(Math.ceil(p * 1e4)).padStart(4, "0")}` : formatScore(p);
}

type Parts = readonly { readonly simulated: boolean }[];

const isSimulated = (parts: Parts): boolean => parts.some(({ simulated }) => simulated);

export const simulatedText = "SIMULATED (embedded model, not comparable with a paper)";

/** The mark behind a heading, where any of these is of the embedded model; else empty. */
export const headingMark = (parts: Parts): string => (isSimulated(parts) ? " (SIMULATED)" : "");

/** The line of a legend that says what that mark means. */
export const simulatedLegend = (parts: Parts): string[] =>
  isSimulated(parts)
    ? ["SIMULATED: the embedded model answered; its scores say nothing about a real model or a paper"]
    : [];

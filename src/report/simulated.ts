/** What the embedded model's numbers are not, in every report that shows them. */
const simulatedReason = "embedded model, not comparable with a paper";

export const simulatedText = `SIMULATED (${simulatedReason})`;

/** The sentence behind a note, where any of these is of the embedded model; else empty. */
export const noteMark = (parts: readonly { readonly simulated: boolean }[]): string =>
  parts.some(({ simulated }) => simulated) ? ` ${simulatedText}.` : "";

/** The mark behind a heading, where any of these is of the embedded model; else empty. */
export const headingMark = (parts: readonly { readonly simulated: boolean }[]): string =>
  parts.some(({ simulated }) => simulated) ? " (SIMULATED)" : "";

/** What that mark means: a line for the legend. */
export const simulatedLegend = (parts: readonly { readonly simulated: boolean }[]): string[] =>
  parts.some(({ simulated }) => simulated)
    ? ["SIMULATED: the embedded model answered; its scores say nothing about a real model or a paper"]
    : [];

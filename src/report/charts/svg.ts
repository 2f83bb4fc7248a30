import { simulatedIn } from "../simulated.js";
import type { Chart } from "./chart.js";
import { type Spec, sentinel } from "./theme.js";

declare module "vega" {
  // what vega 6 exports and its typings leave out
  const textMetrics: { width: (item: DrawnText, text: unknown) => number };
  function resetSVGDefIds(): void;
}

/**
 * Draws a vega-lite specification. Equal specifications give equal bytes on every machine and at every call. The libraries
 * are loaded at the first call only.
 */
export async function renderSvg(spec: Spec): Promise<string> {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  vega.textMetrics.width = textWidth;
  const copy: Parameters<typeof compile>[0] = JSON.parse(JSON.stringify(spec)); // compile writes into what it gets
  const view = new vega.View(vega.parse(compile(copy).spec), { renderer: "none" });
  await view.runAsync();
  vega.resetSVGDefIds(); // ids of gradients and clips count on from picture to picture otherwise
  const svg = await view.toSVG();
  view.finalize();
  return svg.replace(NOT_XML, "\uFFFD"); // of names that came from data
}

/** What no XML may hold, even escaped (XML 1.0, Char). */
const NOT_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * The chart's specification with its title and note in it, for a picture that leaves the report: what it shows, of how many
 * cases, and the SIMULATED mark go with it. On the page the caption says the same.
 */
export const titledSpec = ({ title, note, spec }: Chart): Spec => ({
  ...spec,
  title: {
    text: wrapped(title, TITLE_PIXELS),
    ...(note === "" ? {} : { subtitle: wrapped(note, SUBTITLE_PIXELS) }),
    anchor: "start",
    frame: "bounds",
    offset: 14,
    color: sentinel.ink,
    fontSize: TITLE_PIXELS,
    fontWeight: 600,
    subtitleColor: sentinel.muted,
    subtitleFontSize: SUBTITLE_PIXELS,
    subtitleLineHeight: 14,
    subtitlePadding: 5,
  },
});

/** The chart's specification for a text that has its own caption: of title and note the SIMULATED mark alone is left. */
export function bareSpec({ note, spec }: Chart): Spec {
  const text = simulatedIn(note);
  const title = { text, anchor: "start", frame: "bounds", offset: 8, color: sentinel.muted, fontSize: SUBTITLE_PIXELS };
  return text === "" ? spec : { ...spec, title };
}

const TITLE_PIXELS = 13;
const SUBTITLE_PIXELS = 11;

/** Pixels of a line of text: about the width of most charts with their labels. */
const LINE_PIXELS = 560;

/** Lines that fit; a longer word has its own. */
function wrapped(text: string, fontSize: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && textWidth({ fontSize }, longer) <= LINE_PIXELS) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The part of a drawn text that its width depends on. */
interface DrawnText {
  readonly fontSize?: number;
  /** Pixels at which a longer text is cut; absent or 0: none. */
  readonly limit?: number;
}

/**
 * Pixels that a text takes, by the classes of its letters: what a picture leaves free for labels must not depend
 * on the fonts, or on a canvas package, of the machine that draws it.
 */
function textWidth({ fontSize = 11, limit = 0 }: DrawnText, text: unknown): number {
  let ems = 0;
  for (const letter of String(text ?? "")) ems += classes.find(({ letters }) => letters.test(letter))?.ems ?? 1;
  const width = Math.ceil(ems * fontSize);
  return limit > 0 ? Math.min(width, limit) : width;
}

const classes: readonly { readonly letters: RegExp; readonly ems: number }[] = [
  { letters: /[ijlI.,:;'|!`]/, ems: 0.29 },
  { letters: /[frt()[\]{}/\\ -]/, ems: 0.38 },
  { letters: /[mwMW@%]/, ems: 0.9 },
  { letters: /[A-Z&]/, ems: 0.71 },
  { letters: /[\u0000-\u024f]/, ems: 0.62 },
  { letters: /[\u0370-\u04ff]/, ems: 0.66 },
];

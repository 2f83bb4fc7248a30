import type { Json } from "../../types.js";
import { simulatedIn } from "../simulated.js";
import type { Chart } from "./chart.js";
import { textWidth } from "./text-width.js";
import { sentinel } from "./theme.js";

/**
 * The chart's specification with its title and note in it, for a picture that leaves the report: what it shows, of how many
 * cases, and the SIMULATED mark go with it. On the page the caption says the same.
 */
export function titledSpec({ title, note, spec }: Chart): Json {
  if (spec === null || typeof spec !== "object" || Array.isArray(spec)) return spec;
  const subtitle = note === "" ? {} : { subtitle: wrapped(note, SUBTITLE_PIXELS) };
  return {
    ...spec,
    title: {
      text: wrapped(title, TITLE_PIXELS),
      ...subtitle,
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
  };
}

/** The chart's specification for a text that has its own caption: of title and note the SIMULATED mark alone is left. */
export function bareSpec({ note, spec }: Chart): Json {
  const mark = simulatedIn(note);
  if (mark === "" || spec === null || typeof spec !== "object" || Array.isArray(spec)) return spec;
  return {
    ...spec,
    title: {
      text: mark,
      anchor: "start",
      frame: "bounds",
      offset: 8,
      color: sentinel.muted,
      fontSize: SUBTITLE_PIXELS,
    },
  };
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

import { trimSigns } from "../../../text/scan.js";
import { demonstrations } from "./demonstrations.js";
import type { Evidence, LabelOf, Reader } from "./evidence.js";
import { fields } from "./fields.js";
import { lines } from "./lines.js";
import { official } from "./official.js";
import { stated } from "./stated.js";

export type { Evidence, LabelOf } from "./evidence.js";

/** Reads everything shown, in the formats that prompts use; the strictest format reads first. */
export function readEvidence(shown: string, labelOf: LabelOf): Evidence {
  const found: Evidence = { examples: [], counts: new Map(), usual: [], rules: [] };
  readers.reduce((rest, reader) => reader(rest, labelOf, found), shown);
  return found;
}

/** Recognizes exactly the given options, whatever their case, quotes or final period. */
export function oneOf(options: readonly string[]): LabelOf {
  const known = new Map(options.map((option) => [bare(option).toLowerCase(), option]));
  return (text) => known.get(bare(text).toLowerCase()) ?? known.get(bare(text).toLowerCase().replace(/\.0$/, ""));
}

/** Takes any short text for a label: for prompts that list a history without naming the options. */
export const anyLabel: LabelOf = (text) => {
  const label = bare(text);
  return label === "" || label.length > longestLabel || /[<>{}]/.test(label) ? undefined : label;
};

const readers: readonly Reader[] = [official, demonstrations, stated, fields, lines];

/** Characters; longer ones are sentences. Titles stay below. */
const longestLabel = 300;

const bare = (text: string): string => trimSigns(text.trim(), "\"'“‘([", "\"'”’)].").trim();

import { pyStrip } from "../text/python.js";
import type { Reading } from "../types.js";
import { answered, UNPARSED } from "./label-reading.js";
import { unwrap } from "./unwrap.js";

/** The official reading of generated text: everything counts, the empty text too. */
export const anyText = (reply: string): Reading => answered(pyStrip(reply));

/** The text without wrapping and without a leading `Title:`. Nothing left: unparsed. */
export function bareText(answerNoun: string): (reply: string) => Reading {
  const prefix = new RegExp(`^${answerNoun}\\s*:\\s*`, "i");
  return (reply) => {
    const text = unwrap(unwrap(reply).replace(prefix, ""));
    return text === "" ? UNPARSED : answered(text);
  };
}

import { pySplit } from "./python.js";

/** Text as it is compared for leaks: case and spacing do not count (METHODS 0.2, normalized content). */
export function normalized(text: string): string {
  if (EVENLY_SPACED.test(text)) return text.toLowerCase();
  return pySplit(text.normalize("NFKC").toLowerCase()).join(" ");
}

/** ASCII whose only space is one blank between words: nothing but case has to be folded. */
const EVENLY_SPACED = /^[!-~]+(?: [!-~]+)*$/;

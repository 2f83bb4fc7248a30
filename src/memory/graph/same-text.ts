import { pySplit } from "../../text/python.js";

/** Whether another text is a twin: case, spacing and compatibility forms do not count (METHODS 0.2). */
export function sameText(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  return (other) => normalized(other) === wanted;
}

// --- internal ---

const normalized = (text: string): string => pySplit(text.normalize("NFKC").toLowerCase()).join(" ");

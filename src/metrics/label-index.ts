import { pyStrip } from "../text/python.js";
import { pythonStr } from "../text/python-str.js";

/** Index of `str(answer).strip()` in the label list, exact and case-sensitive; -1 where it is no label. */
export function labelIndex(labels: readonly string[], answer: unknown): number {
  return labels.indexOf(pyStrip(pythonStr(answer)));
}

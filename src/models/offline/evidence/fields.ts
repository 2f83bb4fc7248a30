import { trimSigns } from "../../../text/scan.js";
import type { Reader } from "./evidence.js";

/** Items written as named fields on one line: `article: ... category: politics` (OPPU's history strings and lists). */
export const fields: Reader = (text, labelOf, found) =>
  text
    .split("\n")
    .map((line) => {
      const items = line.split(listBreak);
      const left = items.filter((item) => {
        const read = fieldsIn(item);
        const label = read === undefined ? undefined : labelOf(read.label);
        if (read === undefined || label === undefined) return true;
        found.examples.push({ text: read.text.replace(trailingSeparators, ""), label });
        return false;
      });
      return left.join(" ");
    })
    .join("\n");

/** Between the items of a printed list, or of items joined by bars. */
const listBreak = /(?<=['"]), (?=['"])| \| (?=(?:article|description|review|abstract|text|movie|paper)\s*:)/;

const trailingSeparators = /[\s|,;—–>→-]{1,9}$/;

const itemField = /\b(?:article|description|movie|review|abstract|paper|text|plot|content)\s*:\s*/i;
const labelField = /[\s|,;—–>→-](?:tag|category|score|rating|headline|title|label|answer)\s*:/gi;

/** What stands behind the first name of a text and before the last name of a label, and behind that. */
function fieldsIn(item: string): { readonly text: string; readonly label: string } | undefined {
  const first = itemField.exec(item);
  if (first === null) return undefined;
  const rest = item.slice(first.index + first[0].length);
  const ends = [...rest.matchAll(labelField)].map(({ 0: name, index }) => ({ index, end: index + name.length }));
  const last = ends.findLast(({ index, end }) => index > 0 && end < rest.length);
  if (last === undefined) return undefined;
  const label = rest
    .slice(last.end)
    .replace(/Answer:\s*$/i, "")
    .trim();
  return { text: rest.slice(0, last.index), label: trimSigns(label, "", "'\"]") };
}

import type { Reader } from "./evidence.js";

/** Items written as named fields on one line: `article: ... category: politics` (OPPU's history strings and lists). */
export const fields: Reader = (text, labelOf, found) =>
  text
    .split("\n")
    .map((line) => {
      const items = line.split(listBreak);
      const left = items.filter((item) => {
        const match = field.exec(item);
        const label = match === null ? undefined : labelOf(match[2] ?? "");
        if (match === null || label === undefined) return true;
        found.examples.push({ text: (match[1] ?? "").replace(trailingSeparators, ""), label });
        return false;
      });
      return left.join(" ");
    })
    .join("\n");

/** Between the items of a printed list, or of items joined by bars. */
const listBreak = /(?<=['"]), (?=['"])| \| (?=(?:article|description|review|abstract|text|movie|paper)\s*:)/;

const trailingSeparators = /[\s|,;—–>→-]{1,9}$/;

const field =
  /\b(?:article|description|movie|review|abstract|paper|text|plot|content)\s*:\s*(.+)[\s|,;—–>→-](?:(?:the )?user'?s? )?(?:own )?(?:tag|category|score|rating|headline|title|label|answer)\s*:\s*(.+?)['"\]]*\s*(?:Answer:\s*)?$/i;

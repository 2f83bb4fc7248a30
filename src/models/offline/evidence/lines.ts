import type { Reader } from "./evidence.js";

/** Any other record that ends with a marked label: `2020-01-02: <text> -> politics`, `... tagged as "comedy"`. */
export const lines: Reader = (text, labelOf, found) => {
  const rest: string[] = [];
  let open: string[] = [];
  const flush = (): void => {
    rest.push(...open);
    open = [];
  };
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      flush();
      continue;
    }
    if (recordStart.test(line)) flush();
    open.push(line);
    const match = ending.exec(line.replace(/\s+/g, " "));
    const label = match === null ? undefined : labelOf(match[2] ?? "");
    if (match === null || label === undefined) continue;
    const body = [...open.slice(0, -1), match[1] ?? ""].join("\n").trim();
    if (body.length >= shortestItem) {
      found.examples.push({ text: body, label });
      open = [];
    }
  }
  flush();
  return rest.join("\n");
};

/** Characters; shorter lines are statements, not items. */
const shortestItem = 20;

/** A number, a bullet or a date opens a new record; lines before it belong to the one before. */
const recordStart = /^\s*(?:[-*•]\s|\(?\d{1,3}[.)]\s|\[\d|(?:On\s+)?\d{4}(?:-\d{2}){0,2}\b)/;

const ending =
  /^(.*?)(?:->|=>|→|[|,;:.("'—–-] ?| )(?:the user(?:'s)? )?(?:(?:own )?(?:tag|category|score|rating|headline|title|label|answer|choice)\s*(?::|is|was|=)|tagged(?: it)?(?: as)?\s*:?|rated(?: it)?\s*:?|labell?ed(?: as)?\s*:?|chose\s*:?|answered\s*:?|->|=>|→)\s*(.+?)\s*$/i;

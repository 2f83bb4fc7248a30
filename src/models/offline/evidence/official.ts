import { everyBetween } from "../../../text/scan.js";
import type { Reader } from "./evidence.js";

/** The item strings of the official LaMP prompts, joined by `, and ` (LaMP benchmark, prompts.py). */
export const official: Reader = (text, labelOf, found) => {
  let rest = text;
  for (const { marks, of } of forms) {
    let left = "";
    let from = 0;
    for (const { parts, start, end } of everyBetween(rest, marks)) {
      const label = labelOf(parts[of.label] ?? "");
      left += label === undefined ? rest.slice(from, end) : `${rest.slice(from, start)} `;
      from = end;
      if (label !== undefined) found.examples.push({ text: parts[of.text] ?? "", label });
    }
    rest = left + rest.slice(from);
  }
  return rest;
};

const itemEnd = /"\s(?=, and |\.\s|\.$)/g;

const forms = [
  {
    marks: [/the (?:tag|category) for the (?:movie|article): "/g, /" is "(?=[^"\n]{1,60}")/g, /"\s?/g],
    of: { text: 0, label: 1 },
  },
  {
    marks: [/(?<!\S)(?=\d(?:\.\d)? is the score for ")/g, ' is the score for "', itemEnd],
    of: { label: 0, text: 1 },
  },
  {
    marks: [/"(?=[^\n]{1,400}?" is (?:the|a) title for ")/g, /" is (?:the|a) title for "/g, itemEnd],
    of: { label: 0, text: 1 },
  },
];

import { findQuestions } from "../asked.js";
import type { Reader } from "./evidence.js";

/** Solved questions: `<question>\n<label>`, separated by blank lines (in-context learning). */
export const demonstrations: Reader = (text, labelOf, found) => {
  const questions = findQuestions(text);
  let rest = "";
  let from = 0;
  for (const asked of questions) {
    rest += text.slice(from, asked.start);
    from = asked.end;
    if (asked.options.length > 0 && asked.optionTexts.length > 0) continue; // references of other questions name other papers
    const lines = asked.query.trimEnd().split("\n");
    const label = labelOf(lines.at(-1) ?? "");
    if (label !== undefined && lines.length > 1) found.examples.push({ text: lines.slice(0, -1).join("\n"), label });
  }
  return rest + text.slice(from);
};

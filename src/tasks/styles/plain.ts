import { pySplit } from "../../text/python.js";
import type { Event, PromptStyle } from "../../types/index.js";

/** Past events, one a line, in front of the question: for tasks that LaMP has no strings for. */
export function plainStyle(heading: string, show: (event: Event) => string): PromptStyle {
  return {
    name: "lamp",
    source: "own: LaMP has no strings for this task",
    document: (event) => event.document,
    query: (question) => question.query,
    tokenize: pySplit,
    assemble(question, events, { prefix = "" }) {
      const lines = events.map(show);
      const shown = lines.length === 0 ? "" : `${heading}\n${lines.join("\n")}\n\n`;
      return `${prefix}${shown}${question.text}`;
    },
  };
}

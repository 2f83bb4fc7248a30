import { pyStrip } from "../text/python.js";
import { trimSigns } from "../text/scan.js";

/**
 * The labels of LangChain's ReAct parser (Python, `ReActSingleInputOutputParser` and the executor's
 * `handle_parsing_errors=True`), METHODS 5.1. Its one expression over both labels takes cubic time; the labels are searched one
 * behind the other, with the same result.
 */
const ACTION = /Action\s*(?:\d+\s*)?:/;
const INPUT = /Action\s*(?:\d+\s*)?Input\s*(?:\d+\s*)?:/;
const FINAL_ANSWER = "Final Answer:";

export const MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'";
export const MISSING_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'";
export const INVALID = "Invalid or incomplete response";

type ReactReading =
  | { readonly kind: "action"; readonly tool: string; readonly input: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "malformed"; readonly feedback: string };

/** Reads one text ReAct reply (already cut at `\nObservation`). */
export function parseReact(text: string): ReactReading {
  const action = ACTION.exec(text);
  const behind = action === null ? "" : text.slice(action.index + action[0].length);
  const input = INPUT.exec(behind);
  const answered = text.includes(FINAL_ANSWER);
  if (input !== null) {
    if (answered) return { kind: "malformed", feedback: INVALID };
    const given = behind.slice(input.index + input[0].length).trimStart();
    // Python: .strip(" ").strip('"')
    return {
      kind: "action",
      tool: pyStrip(behind.slice(0, input.index).trim()),
      input: trimSigns(trimSigns(given, " "), '"'),
    };
  }
  if (answered) return { kind: "answer", text: finalAnswer(text) };
  if (action === null) return { kind: "malformed", feedback: MISSING_ACTION };
  return { kind: "malformed", feedback: INPUT.test(text) ? INVALID : MISSING_INPUT };
}

/** What follows the last `Final Answer:`; the whole text where there is none. */
export function finalAnswer(text: string): string {
  const at = text.lastIndexOf(FINAL_ANSWER);
  return pyStrip(at < 0 ? text : text.slice(at + FINAL_ANSWER.length));
}

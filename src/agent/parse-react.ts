import { pyStrip } from "../text/python.js";

/**
 * The reading rules of LangChain's ReAct parser (Python, `ReActSingleInputOutputParser` and the executor's
 * `handle_parsing_errors=True`), METHODS 5.1. The `s` flag is Python's DOTALL, which the JavaScript port lacks.
 */
const ACTION = /Action\s*\d*\s*:[\s]*(.*?)[\s]*Action\s*\d*\s*Input\s*\d*\s*:[\s]*(.*)/s;
const ACTION_ALONE = /Action\s*\d*\s*:[\s]*(.*?)/s;
const INPUT_ALONE = /[\s]*Action\s*\d*\s*Input\s*\d*\s*:[\s]*(.*)/s;
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
  const answered = text.includes(FINAL_ANSWER);
  if (action !== null) {
    if (answered) return { kind: "malformed", feedback: INVALID };
    return { kind: "action", tool: pyStrip(action[1] ?? ""), input: bareInput(action[2] ?? "") };
  }
  if (answered) return { kind: "answer", text: finalAnswer(text) };
  if (!ACTION_ALONE.test(text)) return { kind: "malformed", feedback: MISSING_ACTION };
  if (!INPUT_ALONE.test(text)) return { kind: "malformed", feedback: MISSING_INPUT };
  return { kind: "malformed", feedback: INVALID };
}

/** What follows the last `Final Answer:`; the whole text where there is none. */
export function finalAnswer(text: string): string {
  const at = text.lastIndexOf(FINAL_ANSWER);
  return pyStrip(at < 0 ? text : text.slice(at + FINAL_ANSWER.length));
}

/** Python `.strip(" ").strip('"')`. */
function bareInput(input: string): string {
  return input.replace(/^ +| +$/g, "").replace(/^"+|"+$/g, "");
}

import { describe, expect, test } from "vitest";
import { finalAnswer, INVALID, parseReact } from "../../src/agent/text-react.js";

describe("the text ReAct parser follows LangChain's rules", () => {
  test("an action and its input", () => {
    const text = ' I should look.\nAction: wikipedia\nAction Input: "Space opera"';
    expect(parseReact(text)).toEqual({ kind: "action", tool: "wikipedia", input: "Space opera" });
  });

  test("an input of several lines is kept whole (the JavaScript port loses it)", () => {
    const reading = parseReact("Action: wikipedia\nAction Input: line one\nline two");
    expect(reading).toEqual({ kind: "action", tool: "wikipedia", input: "line one\nline two" });
  });

  test("an action on the line after its label, with numbers in the labels", () => {
    const reading = parseReact("Action 1:\n  wikipedia \nAction 1 Input 1:\n rain");
    expect(reading).toEqual({ kind: "action", tool: "wikipedia", input: "rain" });
  });

  test("only blanks and double quotes are stripped from the input", () => {
    const reading = parseReact("Action: a\nAction Input:   \"'x' {y}\"  ");
    expect(reading).toEqual({ kind: "action", tool: "a", input: "'x' {y}" });
  });

  test("the answer is what follows the last Final Answer", () => {
    const text = "The words Final Answer: are asked for.\nFinal Answer: comedy \n";
    expect(parseReact(text)).toEqual({ kind: "answer", text: "comedy" });
    expect(finalAnswer("no marker at all ")).toBe("no marker at all");
  });

  test("an action together with a final answer is an error", () => {
    const text = "Action: a\nAction Input: b\nFinal Answer: c";
    expect(parseReact(text)).toEqual({ kind: "malformed", feedback: INVALID });
  });
});

import { describe, expect, test } from "vitest";
import { ANSWER_NOW, INVALID, MISSING_ACTION } from "../../src/agent/text-react.js";
import { action, agentCase } from "./agent-case.js";

const set = { "agent.protocol": "text-react" };

describe("the loop with the text ReAct protocol", () => {
  test("writes tools, question and scratchpad into one prompt, without a template", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text that a template engine would fill in
    const question = "What of ${x} and {y}, `z`? $& $1";
    const { run, armKit } = await agentCase({
      script: [action("echo", "a $& b"), " done\nFinal Answer: comedy"],
      set,
      question,
    });
    expect(run).toMatchObject({ answer: "comedy", protocol: "text-react", toolCounts: { echo: 1 } });
    const [first, second] = armKit.calls.map(({ request }) => request);
    expect(first).toMatchObject({ system: "SYSTEM {not} a `template`", stop: ["\nObservation", "\nobservation"] });
    expect(first).not.toHaveProperty("tools");
    const opening = String(first?.messages[0]?.role === "user" ? first.messages[0].content : "");
    expect(opening).toContain("echo(query: string) - Does echo.");
    expect(opening).toContain("one of [echo, shout]");
    expect(opening.endsWith(`Question: ${question}\nThought:`)).toBe(true);
    expect(second?.messages).toEqual([
      {
        role: "user",
        content: `${opening} I look.\nAction: echo\nAction Input: a $& b\nObservation: echo of "a $& b"\nThought: `,
      },
    ]);
  });

  const echoed = "Question: Which tag?\nAction: none\nObservation: of the question\nThought: I look.\n";
  test.each([
    ["as asked", `${action("echo", "a")}\nObservation: I made this up\nThought: ok\nFinal Answer: wrong`],
    ["in lower case", "i look.\naction: echo\naction input: a\nobservation: I made this up\nfinal answer: wrong"],
    ["in Markdown", "**Action:** echo\n**Action Input**: a\n### Observation: I made this up\n**Final Answer:** wrong"],
    ["behind the question", `${echoed}Action: echo\nAction Input: a\nObservation: I made this up`],
  ])("cuts an invented observation off: %s", async (_, invented) => {
    const { run, armKit } = await agentCase({
      script: [invented, "final answer: right\nQuestion: another?\nFinal Answer: wrong"],
      set,
      capabilities: { stop: false },
      question: "Which tag?\nAction: none\nObservation: of the question",
    });
    expect(run).toMatchObject({ answer: "right", toolCounts: { echo: 1 }, parseErrors: 0 });
    expect(armKit.calls[0]?.request).not.toHaveProperty("stop");
    expect(armKit.calls[1]?.text).not.toContain("I made this up");
    expect(armKit.incidents.get("agent-invented-text")).toBe(2);
  });

  test("without tools nothing is said of tools, and a call is answered with the way on", async () => {
    const { run, armKit } = await agentCase({ script: [action("echo", "a"), "hm", "Final Answer: x"], set, tools: [] });
    expect(run.answer).toBe("x");
    const [first, second, third] = armKit.calls.map(({ text }) => text);
    expect(first).not.toMatch(/tool|Action|Observation/);
    expect(second).toContain("echo is not a valid tool, there are no tools; give the final answer.");
    expect(third).toContain("Missing 'Final Answer:'");
  });

  test("feeds a broken reply back and counts it", async () => {
    const script = ["It is comedy.", "Action: echo\nAction Input: x\nFinal Answer: y", "Final Answer: comedy"];
    const { run, armKit } = await agentCase({ script, set });
    expect(run).toMatchObject({ answer: "comedy", parseErrors: 2 });
    expect(armKit.calls[1]?.text).toContain(`It is comedy.\nObservation: ${MISSING_ACTION}\nThought: `);
    expect(armKit.calls[2]?.text).toContain(`Observation: ${INVALID}`);
    expect(armKit.incidents.get("agent-parse-error")).toBe(2);
  });

  test("too many broken replies end the run like running out of steps", async () => {
    const { run, armKit } = await agentCase({
      script: () => "It is comedy.",
      set,
    });
    expect(run).toMatchObject({ answer: "It is comedy.", parseErrors: 4, forced: "generate" });
    expect(armKit.calls).toHaveLength(5);
  });

  test("broken replies use up steps; the last call shows the steps and asks for the answer", async () => {
    const { run, armKit } = await agentCase({
      script: [action("echo", "a"), "hm", "Thought: so\nFinal Answer: classic"],
      set: { ...set, "agent.maxSteps": 2 },
    });
    expect(run).toMatchObject({ answer: "classic", forced: "generate" });
    expect(armKit.calls).toHaveLength(3);
    expect(armKit.calls[2]?.text.endsWith(`\n\n${ANSWER_NOW}`)).toBe(true);
    expect(armKit.calls[2]?.text).toContain('echo of "a"');
  });

  test("is chosen by auto only for models without tool calls, and native is then refused by name", async () => {
    const without = { tools: false };
    const { run, armKit } = await agentCase({ script: ["Final Answer: x"], capabilities: without });
    expect(run.protocol).toBe("text-react");
    expect(armKit.incidents.get("agent-text-react")).toBe(1); // which tables say
    const native = { script: ["x"], set: { "agent.protocol": "native" }, capabilities: without };
    await expect(agentCase(native)).rejects.toThrow(/agent\.protocol=text-react/);
  });
});

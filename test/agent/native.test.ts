import { describe, expect, test } from "vitest";
import { ANSWER_NOW } from "../../src/agent/text-react.js";
import { agentCase, calls } from "./agent-case.js";

describe("the loop with native tool calls", () => {
  test("runs the calls of one turn side by side and sends the results in their order", async () => {
    const { armKit } = await agentCase({ script: [calls(["shout", "b"], ["echo", "a"]), "x"] });
    expect(armKit.calls[1]?.request.messages.slice(1)).toMatchObject([
      { role: "assistant", content: "let me see", toolCalls: [{ id: "c0" }, { id: "c1" }] },
      {
        role: "tool",
        results: [
          { id: "c0", name: "shout", content: '{"QUERY":"B"}' },
          { id: "c1", name: "echo", content: 'echo of {"query":"a"}' },
        ],
      },
    ]);
  });

  test("sends the provider's own blocks of a turn back as they came", async () => {
    const opaque = [{ type: "thinking", signature: "s" }];
    const { armKit } = await agentCase({ script: [{ ...calls(["echo", "a"]), opaque }, "x"] });
    expect(armKit.calls[1]?.request.messages[1]).toMatchObject({ role: "assistant", opaque });
  });

  test.each([
    ["fenced", 'I look.\n```json\n{"name": "echo", "arguments": {"query": "a"}}\n```\nIt found nothing.'],
    ["marked, cut at its end", 'I look. <tool_call>\n{"name": "echo", "arguments": "{\\"query\\": \\"a\\"}"}'],
    ["marked, with parameters", 'I look.<tool_call>{"name": "echo", "parameters": {"query": "a"}}</tool_call>'],
  ])("reads a call written as text where its name is a tool's: %s", async (_, text) => {
    const { run, armKit } = await agentCase({ script: [text, "classic"] });
    expect(run).toMatchObject({ answer: "classic", toolCounts: { echo: 1 } });
    expect(armKit.incidents.get("agent-call-as-text")).toBe(1);
    expect(armKit.calls[1]?.request.messages.slice(1)).toMatchObject([
      { role: "assistant", content: "I look.", toolCalls: [{ id: "text1n0", arguments: { query: "a" } }] },
      { role: "tool", results: [{ id: "text1n0", content: 'echo of {"query":"a"}' }] },
    ]);
    const answer = text.replace("echo", "unknown");
    expect((await agentCase({ script: [answer] })).run.answer).toBe(answer);
  });

  test("asks once more after an empty answer, then takes it as empty", async () => {
    const mended = await agentCase({ script: ["<think>hm</think>", "classic"] });
    expect(mended.run.answer).toBe("classic");
    expect(mended.armKit.calls[1]?.request.messages).toHaveLength(3);
    const { run, armKit } = await agentCase({ script: ["", " "] });
    expect(run.answer).toBe("");
    expect(armKit.calls).toHaveLength(2);
    expect(Object.fromEntries(armKit.incidents)).toEqual({
      ...{ "agent-empty-retry": 1, "agent-empty-answer": 1, "agent-no-tool-call": 1 },
    });
  });

  test("out of steps, generate makes one last call without tools", async () => {
    const script = [...Array.from({ length: 15 }, (_, step) => calls(["echo", `${step}`])), "fantasy"];
    const { run, armKit } = await agentCase({ script });
    expect(run).toMatchObject({ answer: "fantasy", forced: "generate", toolCounts: { echo: 15 } });
    expect(armKit.calls).toHaveLength(16);
    expect(armKit.calls[15]?.request.toolChoice).toBe("none");
    expect(armKit.calls[15]?.request.messages.at(-1)).toEqual({ role: "user", content: ANSWER_NOW });
    expect(armKit.incidents.get("agent-forced=generate")).toBe(1);
  });

  test("reminds once of the tools left out, where asked to", async () => {
    const set = { "agent.enforceTools": "remind" };
    const { run, armKit } = await agentCase({ script: ["comedy", calls(["echo", "a"]), "classic"], set });
    expect(run.answer).toBe("classic");
    expect(armKit.incidents.get("agent-reminded")).toBe(1);
    const unasked = await agentCase({ script: ["comedy"] });
    expect(unasked.armKit.calls).toHaveLength(1);
  });

  test("keeps the whole trajectory, also when a call fails", async () => {
    const { armKit } = await agentCase({ script: [calls(["echo", "a"]), "x"] });
    const note = armKit.notes.find(({ kind }) => kind === "agent");
    expect(note?.data).toMatchObject({
      phase: "answer",
      system: "SYSTEM {not} a `template`",
      question: "Which tag?",
      tools: ["echo", "shout"],
      answer: "x",
      steps: [{ calls: [{ tool: "echo", observation: 'echo of {"query":"a"}', outcome: "ok" }] }, { text: "x" }],
    });
  });
});

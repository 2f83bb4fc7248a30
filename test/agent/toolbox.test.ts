import { describe, expect, test, vi } from "vitest";
import { readQuery } from "../../src/agent/toolbox.js";
import { FileError } from "../../src/disk/file-error.js";
import { agentCase, calls, tool } from "./agent-case.js";

describe("what comes back from a tool", () => {
  test("a failure becomes a short observation and the run goes on", async () => {
    const broken = tool("broken", async () => {
      throw new Error(`no route\nsecond line ${"x".repeat(500)}`);
    });
    const { run, armKit } = await agentCase({ script: [calls(["broken", "a"]), "x"], tools: [broken] });
    expect(run.answer).toBe("x");
    expect(run.steps[0]?.calls[0]).toMatchObject({ observation: "Tool error: no route", outcome: "failed" });
    expect(armKit.calls[1]?.request.messages[2]).toMatchObject({ results: [{ isError: true }] });
    expect(armKit.incidents.get("tool-error=broken")).toBe(1);
  });

  test("a repeated call is served from memory and says so, in one turn and later", async () => {
    let runs = 0;
    const counting = tool("counting", async () => `run ${++runs}`);
    const script = [
      calls(["counting", "a"], ["counting", "a"]),
      calls(["counting", "a"]),
      calls(["counting", "b"]),
      "x",
    ];
    const { run, armKit } = await agentCase({ script, tools: [counting] });
    expect(runs).toBe(2);
    const shown = run.steps.flatMap((step) => step.calls.map(({ observation }) => observation));
    expect(shown[0]).toBe("run 1");
    expect(shown[1]).toMatch(/made this call before[\s\S]*run 1$/);
    expect(shown[2]).toBe(shown[1]);
    expect(shown[3]).toBe("run 2");
    expect(run.toolCounts).toEqual({ counting: 4 });
    expect(armKit.incidents.get("agent-repeated-call")).toBe(2);
  });

  test("a failed call is tried again when it is repeated", async () => {
    let runs = 0;
    const flaky = tool("flaky", async () => {
      if (++runs === 1) throw new Error("busy");
      return "fine";
    });
    const { run } = await agentCase({ script: [calls(["flaky", "a"]), calls(["flaky", "a"]), "x"], tools: [flaky] });
    expect(run.steps[1]?.calls[0]).toMatchObject({ observation: "fine", outcome: "ok" });
  });

  test("a tool that does not come back is given up, with its signal raised", async () => {
    let raised = false;
    const stuck = tool("stuck", (_input, { signal }) => {
      signal.addEventListener("abort", () => {
        raised = true;
      });
      return new Promise(() => {});
    });
    vi.useFakeTimers();
    const running = agentCase({ script: [calls(["stuck", "a"]), "x"], tools: [stuck] });
    await vi.advanceTimersByTimeAsync(20_000);
    vi.useRealTimers();
    const { run } = await running;
    expect(run.steps[0]?.calls[0]?.observation).toBe("Tool error: no result within 20000 ms");
    expect(raised).toBe(true);
  });
});

describe("the query of a tool", () => {
  test("is read from every form that models send", () => {
    const forms = [{ query: " rain " }, "rain", '{"query": "rain"}', { topic: "rain" }, { topic: "rain", k: 3 }];
    expect(forms.map(readQuery)).toEqual(forms.map(() => "rain"));
  });

  test("is refused with what to send instead", () => {
    expect(() => readQuery({})).toThrow(/"query"/);
    expect(() => readQuery("  ")).toThrow(/"query"/);
    expect(() => readQuery('{"query": "ra')).toThrow(/not valid JSON/);
  });
});

test("a disk that takes nothing is no observation: it ends the run, and the model is asked nothing more", async () => {
  const full = tool("full", async () => {
    throw new FileError("r/searches.jsonl", "ENOSPC", "nothing is lost");
  });
  await expect(agentCase({ script: [calls(["full", "a"]), "x"], tools: [full] })).rejects.toThrow("r/searches.jsonl");
});

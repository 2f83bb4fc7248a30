import { describe, expect, test } from "vitest";
import { probeToolCalls } from "../../src/agent/probe.js";
import { ModelError, UsageError } from "../../src/errors.js";
import type { AskRequest, ModelReply } from "../../src/types/index.js";

const plain: ModelReply = { text: "", toolCalls: [], stop: "end", usage: { in: 1, out: 1 }, model: "m" };

describe("the probe for tool calls", () => {
  test("is content with one call of its tool", async () => {
    const asked: AskRequest[] = [];
    await probeToolCalls("openai/m", async (request) => {
      asked.push(request);
      return { ...plain, toolCalls: [{ id: "1", name: "lookup", arguments: { query: "river" } }] };
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ toolChoice: "auto", tools: [{ name: "lookup" }] });
  });

  test("names the server's flag and the other protocol when the endpoint writes the call as text", async () => {
    const probe = probeToolCalls("openai/m", async () => ({
      ...plain,
      text: '<tool_call>{"name":"lookup"}</tool_call>',
    }));
    await expect(probe).rejects.toThrow(UsageError);
    await expect(probe).rejects.toThrow(
      /openai\/m.*--enable-auto-tool-choice --tool-call-parser.*agent\.protocol=text-react/,
    );
  });

  test("says the same when the endpoint refuses tools, and lets other failures through", async () => {
    const failing = (status: number) =>
      probeToolCalls("openai/m", async () => {
        throw new ModelError(`status ${status}`, { retryable: false, status });
      });
    await expect(failing(400)).rejects.toThrow(/--tool-call-parser/);
    await expect(failing(401)).rejects.toThrow(ModelError);
  });
});

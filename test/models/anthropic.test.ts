import { afterEach, describe, expect, it, vi } from "vitest";
import { anthropic } from "../../src/models/providers/anthropic/index.js";
import type { Message, Model } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { type ProviderServer, type ProviderServerSettings, startProviderServer } from "../helpers/provider-server.js";

const KEY = "sk-ant-test-secret-1234";
let server: ProviderServer | undefined;

async function open(modelId: string, settings: ProviderServerSettings = {}): Promise<Model> {
  server = await startProviderServer(settings);
  return anthropic.open(modelId, { env: { ANTHROPIC_API_KEY: KEY }, baseUrl: server.url, concurrency: 4 });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("the anthropic provider", () => {
  it("sends one Messages request under today's version, thinking off where it may be", async () => {
    const model = await open("claude-haiku-5-5");
    const reply = await model.complete(ask("Which tag?", { system: "Be brief.", stop: ["END"], sample: 9 }), noAbort());
    const [sent] = server?.requests ?? [];
    expect(sent?.path).toBe("/v1/messages");
    expect(sent?.body).toEqual({
      model: "claude-haiku-5-5",
      max_tokens: 64,
      system: "Be brief.",
      messages: [{ role: "user", content: "Which tag?" }],
      stop_sequences: ["END"],
      thinking: { type: "disabled" },
    });
    expect(sent?.headers["anthropic-version"]).toBe("2026-10-21");
    expect(sent?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(reply).toEqual({
      text: "echo: Which tag?",
      toolCalls: [],
      stop: "end",
      usage: { in: 10, out: 3 },
      model: "claude-haiku-5-5",
    });
  });

  it("sends temperature to an older model, under the version that knows it, without a warning per call", async () => {
    const warn = vi.spyOn(console, "warn");
    const model = await open("claude-sonnet-4-5");
    await model.complete(ask("x", { temperature: 0 }), noAbort());
    expect(server?.requests[0]?.body).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 64,
      messages: [{ role: "user", content: "x" }],
      temperature: 0,
    });
    expect(server?.requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it("carries a two-tool conversation and sends the model's own blocks back unmodified", async () => {
    const blocks = [
      { type: "thinking", thinking: "Two look-ups.", signature: "c2lnbmVk" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "text", text: "Let me ", citations: null },
      { type: "text", text: "look.", citations: null },
      { type: "tool_use", id: "t1", name: "wikipedia", input: { q: "cats" }, caller: { type: "direct" } },
      { type: "tool_use", id: "t2", name: "memory", input: {}, caller: { type: "direct" } },
    ];
    const model = await open("claude-sonnet-5-5", {
      reply: ({ index, body }) =>
        index > 0
          ? undefined
          : {
              type: "message",
              role: "assistant",
              model: body.model,
              content: blocks,
              stop_reason: "tool_use",
              usage: {
                input_tokens: 5,
                cache_read_input_tokens: 100,
                cache_creation_input_tokens: 20,
                output_tokens: 40,
                output_tokens_details: { thinking_tokens: 12 },
              },
            },
    });
    const tools = ["wikipedia", "memory"].map((name) => ({
      name,
      description: `The ${name}.`,
      parameters: { type: "object", properties: { q: { type: "string" } } },
    }));
    const request = ask("Who?", { tools, toolChoice: "auto" });
    const reply = await model.complete(request, noAbort());
    expect(reply.text).toBe("Let me look.");
    expect(reply.stop).toBe("tool");
    expect(reply.toolCalls).toEqual([
      { id: "t1", name: "wikipedia", arguments: { q: "cats" } },
      { id: "t2", name: "memory", arguments: {} },
    ]);
    expect(reply.usage).toEqual({ in: 125, out: 40, cacheRead: 100, cacheWrite: 20, thinking: 12 });

    const stored = JSON.parse(JSON.stringify(reply)) as typeof reply; // as a response store returns it
    const turns: Message[] = [
      { role: "assistant", content: stored.text, toolCalls: stored.toolCalls, opaque: stored.opaque ?? null },
      {
        role: "tool",
        results: [
          { id: "t1", name: "wikipedia", content: "Cats purr." },
          { id: "t2", name: "memory", content: "no such tool", isError: true },
        ],
      },
    ];
    await model.complete({ ...request, messages: [...request.messages, ...turns] }, noAbort());
    expect(server?.requests[0]?.body).toMatchObject({
      thinking: { type: "between_tools" },
      tool_choice: { type: "auto" },
      tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    });
    expect(server?.requests[1]?.body.messages).toEqual([
      { role: "user", content: "Who?" },
      { role: "assistant", content: blocks },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "Cats purr." },
          { type: "tool_result", tool_use_id: "t2", content: "no such tool", is_error: true },
        ],
      },
    ]);
  });

  it("sends a paused turn back until it has ended, at most four times", async () => {
    const usage = { input_tokens: 10, output_tokens: 3 };
    const parts = ["It is", " a comedy."].map((text) => [{ type: "text", text }]);
    const reply =
      (of: number) =>
      ({ index }: { index: number }) => ({
        ...{ model: "m", usage, content: parts[index % 2] },
        stop_reason: index < of ? "pause_turn" : "end_turn",
      });
    const model = await open("claude-haiku-5-5", { reply: reply(1) });
    expect(await model.complete(ask("x"), noAbort())).toMatchObject({
      ...{ text: "It is a comedy.", stop: "end", usage: { in: 20, out: 6 } },
    });
    expect(server?.requests[1]?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "assistant", content: parts[0] },
    ]);
    await server?.close();
    const paused = await open("claude-haiku-5-5", { reply: reply(Number.POSITIVE_INFINITY) });
    await expect(paused.complete(ask("x"), noAbort())).rejects.toMatchObject({ retryable: false, bill: "due" });
    expect(server?.requests).toHaveLength(5);
  });
});

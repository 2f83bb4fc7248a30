import { afterEach, describe, expect, it } from "vitest";
import { openai } from "../../src/models/providers/openai/index.js";
import type { Json, Message, Model, ModelReply, ProviderSettings } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { type ProviderServer, type ProviderServerSettings, startProviderServer } from "../helpers/provider-server.js";

let server: ProviderServer | undefined;

async function open(
  id: string,
  settings: ProviderServerSettings = {},
  more: Partial<ProviderSettings> = {},
): Promise<Model> {
  server = await startProviderServer(settings);
  const env = { OPENAI_API_KEY: "sk-test-secret-1234" };
  return openai.open(id, { env, baseUrl: `${server.url}/v1`, concurrency: 4, quirks: "openai", ...more });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const body = (index: number) => server?.requests[index]?.body;
const tool = { name: "search", description: "Finds.", parameters: { type: "object", properties: {} } };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Y2lwaGVy" };
const note = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "I look.", annotations: [] }],
};
const call = (id: string, args: Json) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "search",
  arguments: args,
  status: "completed",
});
const answered = (output: readonly Json[], more: object = {}) => ({
  status: "completed",
  error: null,
  model: "gpt-6-luna",
  output,
  usage: { input_tokens: 10, output_tokens: 3 },
  ...more,
});

/** The next request of a conversation: the reply as it goes back, and what its calls found. */
function next(reply: ModelReply): readonly Message[] {
  const results = reply.toolCalls.map(({ id, name }) => ({ id, name, content: `${id} found` }));
  const { text, toolCalls, opaque } = reply;
  const turn = { role: "assistant", content: text, toolCalls, ...(opaque === undefined ? {} : { opaque }) } as const;
  return [...ask("Who?").messages, turn, { role: "tool", results }];
}

describe("the Responses wire", () => {
  it("is spoken to OpenAI and Azure unless the person says otherwise, and to nobody else", async () => {
    for (const [quirks, api, path] of [
      ["openai", "auto", "/v1/responses"],
      ["azure", "auto", "/v1/responses"],
      ["openai", "chat", "/v1/chat/completions"],
      ["plain", "auto", "/v1/chat/completions"],
      ["plain", "responses", "/v1/responses"],
    ] as const) {
      const model = await open("gpt-4.1", {}, { quirks, api });
      await model.complete(ask("x"), noAbort());
      expect(server?.requests[0]?.path).toBe(path);
      await server?.close();
      server = undefined;
    }
  });

  it("stores nothing, says strict, and sends a plain model no effort and no stop", async () => {
    const model = await open("gpt-4.1");
    const request = ask("Which tag?", {
      system: "Be brief.",
      temperature: 0,
      logprobs: 3,
      tools: [tool],
      toolChoice: "auto",
    });
    const reply = await model.complete(request, noAbort());
    expect(body(0)).toEqual({
      model: "gpt-4.1",
      input: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Which tag?" },
      ],
      max_output_tokens: 64,
      store: false,
      include: ["message.output_text.logprobs"],
      temperature: 0,
      top_logprobs: 3,
      tools: [{ type: "function", ...tool, strict: false }],
      tool_choice: "auto",
    });
    expect(reply).toEqual({
      text: "echo: Which tag?",
      toolCalls: [],
      stop: "end",
      usage: { in: 10, out: 3 },
      model: "gpt-4.1",
    });
    expect(model.capabilities).toMatchObject({ stop: false, tools: true, temperature: true });
  });

  it.each([
    ["gpt-6-luna", "none"],
    ["gpt-5.6-terra", "none"],
    ["gpt-6-astra", "low"],
    ["gpt-5-mini", "minimal"],
    ["o4-mini", "low"],
  ])(
    "asks %s for its least effort, which is part of the arm, and gives room to what cannot be switched off",
    async (id, effort) => {
      const model = await open(id);
      expect(model.settled).toEqual({ "openai.api": "responses", "model.effort": effort });
      await model.complete(ask("x", { effort }), noAbort());
      expect(body(0)).toMatchObject({
        reasoning: { effort },
        include: ["reasoning.encrypted_content"],
        max_output_tokens: effort === "none" ? 64 : 64 + 4096,
      });
    },
  );

  it("brings every item of a turn back as it came, in its order, but for arguments that are no text of an object", async () => {
    const output = [reasoning, note, call("a", { q: "cats" }), call("b", "{broken")];
    const model = await open("gpt-6-luna", { reply: ({ index }) => (index === 0 ? answered(output) : undefined) });
    const first = await model.complete(ask("Who?", { tools: [tool], toolChoice: "auto" }), noAbort());
    expect(first).toMatchObject({
      stop: "tool",
      text: "",
      toolCalls: [{ id: "a", arguments: { q: "cats" } }, { id: "b" }],
    });
    await model.complete({ ...ask("Who?", { tools: [tool], toolChoice: "none" }), messages: next(first) }, noAbort());
    expect(body(1).input.slice(1)).toEqual([
      reasoning,
      note,
      call("a", '{"q":"cats"}'),
      call("b", "{}"),
      { type: "function_call_output", call_id: "a", output: "a found" },
      {
        type: "function_call_output",
        call_id: "b",
        output: "The arguments of this call were no JSON object: {broken\nb found",
      },
    ]);
  });

  it("a reply cut while it reasons is cut, and its reasoning is counted", async () => {
    const cut = {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      usage: { input_tokens: 10, output_tokens: 64, output_tokens_details: { reasoning_tokens: 64 } },
    };
    const model = await open("gpt-6-luna", { reply: () => answered([reasoning], cut) });
    const reply = await model.complete(ask("x"), noAbort());
    expect(reply).toMatchObject({ text: "", stop: "length", usage: { in: 10, out: 64, thinking: 64 } });
  });

  it("reads the final answer and not the commentary, a refusal as such, and cached tokens", async () => {
    const said = (text: string, phase: string) => ({
      ...note,
      phase,
      content: [{ type: "output_text", text, annotations: [] }],
    });
    const usage = {
      input_tokens: 10,
      output_tokens: 3,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    };
    const model = await open("gpt-6-luna", {
      reply: ({ index }) =>
        index === 0
          ? answered([said("hm", "commentary"), said("comedy", "final_answer")], { usage })
          : answered([{ ...note, phase: null, content: [{ type: "refusal", refusal: "I cannot." }] }]),
    });
    expect(await model.complete(ask("x"), noAbort())).toMatchObject({
      text: "comedy",
      stop: "end",
      usage: { in: 10, out: 3, cacheRead: 4, cacheWrite: 2 },
    });
    expect(await model.complete(ask("y"), noAbort())).toMatchObject({ text: "I cannot.", stop: "refusal" });
  });
});

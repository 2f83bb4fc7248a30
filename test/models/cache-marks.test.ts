import { describe, expect, it } from "vitest";
import { cacheMarks } from "../../src/models/cache-marks.js";
import { openModel } from "../../src/models/index.js";
import { messagesWire } from "../../src/models/providers/anthropic/messages.js";
import { claudeFamily } from "../../src/models/providers/anthropic/models.js";
import { toConverse } from "../../src/models/providers/bedrock/converse.js";
import { onChatCompletions } from "../../src/models/providers/openai/models.js";
import { quirksOf } from "../../src/models/providers/openai/quirks.js";
import { openWire } from "../../src/models/providers/openai/wire.js";
import type { ModelRequest } from "../../src/types/index.js";
import { ask } from "../helpers/model-request.js";
import { bodyProblem } from "../helpers/strict/bodies.js";

const tool = { name: "search", description: "Finds.", parameters: { type: "object", properties: {} } };
const LONG = "word ".repeat(2000);
const loop = (more: Partial<ModelRequest> = {}) =>
  ask("Who?", { system: LONG, tools: [tool], toolChoice: "auto", ...more });
const OPUS = "claude-opus-5-5";
const opus = claudeFamily(OPUS).capabilities;
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Body = any;
const openaiBody = (id: string, request: ModelRequest, api: "auto" | "chat" = "auto"): Body =>
  JSON.parse(JSON.stringify(openWire(id, quirksOf("api.openai.com"), { api }).wire.body(request)));
const messagesBody = (request: ModelRequest): Body => JSON.parse(JSON.stringify(messagesWire(OPUS, {}).body(request)));

describe("prompts are marked for the provider's cache", () => {
  it.each([
    ["a turn of a loop, behind the system prompt and the last message", loop(), true, true],
    ["the last turn of a loop, behind the system prompt", loop({ toolChoice: "none" }), true, false],
    ["a loop with a short prompt not at all", loop({ system: "Be brief." }), false, false],
    [
      "a loop whose messages are long, behind the last",
      loop({ system: "x", messages: ask(LONG).messages }),
      false,
      true,
    ],
    ["a single call not at all, however long", ask(LONG, { system: LONG }), false, false],
    [
      "a single call whose system prompt an earlier one had, behind it",
      ask("x", { system: LONG, opening: 0 }),
      true,
      false,
    ],
    ["one whose system prompt is short not at all", ask("x", { system: "x", opening: 0 }), false, false],
  ] as const)("%s", (_, request, system, last) => {
    expect(cacheMarks(request, opus, "auto")).toEqual({ system, last });
    expect(cacheMarks(request, opus, "off")).toEqual({ system: false, last: false });
    expect(cacheMarks(request, onChatCompletions("x", false), "auto")).toEqual({
      system: false,
      last: false,
    });
  });

  it("behind what an earlier call began with, in each provider's own words", () => {
    const opened = ask(`${LONG}Which?`, { opening: LONG.length });
    expect(cacheMarks(opened, opus, "auto")).toEqual({ system: false, last: false, first: LONG.length });
    const messages = messagesBody(opened);
    const [first, second] = [
      { type: "text", text: LONG },
      { type: "text", text: "Which?" },
    ];
    expect(messages.messages).toEqual([
      { role: "user", content: [{ ...first, cache_control: { type: "ephemeral" } }, second] },
    ]);
    const { modelId: _, ...converse } = toConverse(opened, `anthropic.${OPUS}`, "auto");
    const point = { cachePoint: { type: "default" } };
    expect(converse.messages).toEqual([{ role: "user", content: [{ text: LONG }, point, { text: "Which?" }] }]);
    const sol = openaiBody("gpt-5.6-sol", opened);
    expect(sol.input).toMatchObject([
      { content: [{ text: LONG, prompt_cache_breakpoint: { mode: "explicit" } }, { text: "Which?" }] },
    ]);
    expect(sol.prompt_cache_options).toEqual({ mode: "explicit" }); // the question itself is not written
    const chat = openaiBody("gpt-5.6-sol", opened, "chat");
    expect(chat.prompt_cache_options).toEqual({ mode: "explicit" }); // no marks there: no cache, no fee
    for (const [path, body] of [
      ["/v1/messages", messages],
      ["/model/x/converse", converse],
      ["/responses", sol],
      ["/chat/completions", chat],
    ] as const)
      expect(bodyProblem(path, body)).toBeUndefined();
  });

  it("never in a line of a batch, where no call waits for what another writes", async () => {
    const settings = { env: { ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x" }, concurrency: 1 };
    for (const id of ["anthropic/claude-opus-5-5", "openai/gpt-5.6-sol"]) {
      const { batch } = await openModel(id, settings);
      expect(batch?.line("a", loop())).not.toMatch(/cache_control|breakpoint|cache_key/);
    }
    const { batch } = await openModel("openai/gpt-5.6-sol", settings);
    expect(batch?.line("a", loop())).toContain('"prompt_cache_options":{"mode":"explicit"}'); // else the server writes by itself
  });

  it("in each provider's own words", () => {
    const mark = { type: "ephemeral" };
    const results = [{ id: "a", name: "search", content: "found" }];
    const calls = [{ id: "a", name: "search", arguments: {} }];
    const turns = [
      ...ask("Who?").messages,
      { role: "assistant", content: "", toolCalls: calls },
      { role: "tool", results },
    ] as const;
    const messages = messagesBody(loop({ messages: turns }));
    expect(messages.system).toEqual([{ type: "text", text: LONG, cache_control: mark }]);
    expect(messages.messages[0]).toEqual({ role: "user", content: "Who?" });
    expect(messages.messages[2]).toMatchObject({ content: [{ type: "tool_result", cache_control: mark }] });
    expect(bodyProblem("/v1/messages", messages)).toBeUndefined();
    const { modelId: _, ...converse } = toConverse(loop({ messages: turns }), `anthropic.${OPUS}`, "auto");
    expect(converse.system?.[1]).toEqual({ cachePoint: { type: "default" } });
    expect(converse.messages?.at(-1)?.content?.at(-1)).toEqual({ cachePoint: { type: "default" } });
    expect(bodyProblem("/model/x/converse", converse)).toBeUndefined();
    const sol = (request: ModelRequest) => openaiBody("gpt-5.6-sol", request);
    const marked = sol(loop({ messages: turns }));
    expect(marked.input).toMatchObject([
      { role: "developer", content: [{ type: "input_text", prompt_cache_breakpoint: { mode: "explicit" } }] },
      {},
      {},
      {},
    ]);
    expect(marked.prompt_cache_key).toMatch(/^[0-9a-f]{32}$/);
    expect(marked.prompt_cache_options).toBeUndefined();
    expect(sol(ask(LONG)).prompt_cache_options).toEqual({ mode: "explicit" }); // no mark: no write, no fee
    const old = (request: ModelRequest) => openaiBody("gpt-5-mini", request);
    expect(JSON.stringify(old(loop()))).not.toContain("breakpoint");
    expect(old(loop()).prompt_cache_key).toBe(marked.prompt_cache_key);
    for (const body of [marked, sol(ask(LONG)), old(loop())]) expect(bodyProblem("/responses", body)).toBeUndefined();
  });
});

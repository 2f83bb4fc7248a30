import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../../src/errors.js";
import { openModel } from "../../src/models/index.js";
import { bedrock } from "../../src/models/providers/bedrock/index.js";
import type { Message, Model } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { replyBody } from "../helpers/provider-replies.js";
import { type ProviderServer, type ProviderServerSettings, startProviderServer } from "../helpers/provider-server.js";
import { tempDir } from "../helpers/temp-dir.js";

const SECRET = "aws-test-secret-key-1234";
const TOKEN = "aws-test-session-token-1234";
const ENV = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST",
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: TOKEN,
};
const HAIKU = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
let server: ProviderServer | undefined;

async function open(modelId: string, settings: ProviderServerSettings = {}, env: Record<string, string> = ENV) {
  server = await startProviderServer(settings);
  const model: Model = await bedrock.open(modelId, { env, baseUrl: server.url, concurrency: 4 });
  return model;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("the bedrock provider", () => {
  it("asks for a login before the first call when the default chain finds none", async () => {
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true"); // the chain's last link would ask the network
    vi.stubEnv("AWS_CONFIG_FILE", "/nonexistent");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent");
    const env = { AWS_REGION: "us-east-1", AWS_PROFILE: "no-such-profile" };
    const opening = bedrock.open(HAIKU, { env, concurrency: 1 }).finally(() => vi.unstubAllEnvs());
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toThrow(/AWS_PROFILE.*aws sso login/);
  });

  it("never lets a login through that its chain read from a file", async () => {
    const file = join(tempDir(), "credentials");
    const token = "session-token-from-the-file-0123456789";
    writeFileSync(
      file,
      `[lab]\naws_access_key_id = AKIALABLABLABLAB\naws_secret_access_key = ${SECRET}-lab\naws_session_token = ${token}\n`,
    );
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    vi.stubEnv("AWS_CONFIG_FILE", "/nonexistent");
    server = await startProviderServer({ reply: () => replyBody("converse", { text: `it is ${token}` }) });
    const env = { AWS_REGION: "us-east-1", AWS_PROFILE: "lab" };
    const model = await openModel(`bedrock/${HAIKU}`, { env, baseUrl: server.url, concurrency: 1 });
    vi.unstubAllEnvs();
    expect((await model.complete(ask("x"), noAbort())).text).toBe("it is [redacted]");
    expect(server.requests[0]?.headers["x-amz-security-token"]).toBe(token);
  });

  it("sends one signed Converse request", async () => {
    const model = await open(HAIKU);
    const request = ask("Which tag?", { system: "Be brief.", temperature: 0, stop: ["\n"], sample: 9 });
    const reply = await model.complete(request, noAbort());
    const [sent] = server?.requests ?? [];
    expect(sent?.path).toBe(`/model/${HAIKU}/converse`);
    expect(sent?.body).toEqual({
      system: [{ text: "Be brief." }],
      messages: [{ role: "user", content: [{ text: "Which tag?" }] }],
      inferenceConfig: { maxTokens: 64, temperature: 0, stopSequences: ["\n"] },
    });
    expect(sent?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIATESTTESTTEST\/\d+\/eu-central-1\//);
    expect(sent?.headers["x-amz-security-token"]).toBe(TOKEN);
    expect(reply).toEqual({
      text: "echo: Which tag?",
      toolCalls: [],
      stop: "end",
      usage: { in: 10, out: 3 },
      model: HAIKU,
    });
  });

  it("sends a Bedrock API key as a bearer token", async () => {
    const model = await open("amazon.nova-lite-v1:0", {}, { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: TOKEN });
    await model.complete(ask("x"), noAbort());
    expect(server?.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it("switches thinking off for a current Claude in Converse's extra fields", async () => {
    const model = await open("global.anthropic.claude-haiku-5-5");
    await model.complete(ask("x"), noAbort());
    expect(server?.requests[0]?.body.additionalModelRequestFields).toEqual({ thinking: { type: "disabled" } });
    expect(model.capabilities.temperature).toBe(false);
  });

  it("carries a two-tool conversation and sends reasoning blocks back unmodified", async () => {
    const blocks = [
      { reasoningContent: { reasoningText: { text: "Two look-ups.", signature: "c2lnbmVk" } } },
      { reasoningContent: { redactedContent: Buffer.from([1, 2, 255]).toString("base64") } },
      { text: "Let me look." },
      { toolUse: { toolUseId: "t1", name: "wikipedia", input: { q: "cats" } } },
      { toolUse: { toolUseId: "t2", name: "memory", input: {} } },
    ];
    const model = await open(HAIKU, {
      reply: ({ index }) =>
        index > 0
          ? undefined
          : {
              output: { message: { role: "assistant", content: blocks } },
              stopReason: "tool_use",
              usage: { inputTokens: 5, outputTokens: 40, cacheReadInputTokens: 100, cacheWriteInputTokens: 20 },
            },
    });
    const parameters = { type: "object", properties: { q: { type: "string" } } };
    const tools = ["wikipedia", "memory"].map((name) => ({ name, description: `The ${name}.`, parameters }));
    const request = ask("Who?", { tools, toolChoice: "auto" });
    const reply = await model.complete(request, noAbort());
    expect(reply.text).toBe("Let me look.");
    expect(reply.stop).toBe("tool");
    expect(reply.toolCalls.map(({ id, arguments: input }) => [id, input])).toEqual([
      ["t1", { q: "cats" }],
      ["t2", {}],
    ]);
    expect(reply.usage).toEqual({ in: 125, out: 40, cacheRead: 100, cacheWrite: 20 });

    const stored = JSON.parse(JSON.stringify(reply)) as typeof reply; // as a response store returns it
    const turns: Message[] = [
      { role: "assistant", content: stored.text, toolCalls: stored.toolCalls, opaque: stored.opaque ?? null },
      {
        role: "tool",
        results: [
          { id: "t1", name: "wikipedia", content: " " },
          { id: "t2", name: "memory", content: "no such tool", isError: true },
        ],
      },
      { role: "user", content: "Go on." },
    ];
    await model.complete({ ...request, messages: [...request.messages, ...turns] }, noAbort());
    expect(server?.requests[0]?.body.toolConfig).toEqual({
      tools: tools.map(({ name, description }) => ({
        toolSpec: { name, description, inputSchema: { json: parameters } },
      })),
      toolChoice: { auto: {} },
    });
    expect(server?.requests[1]?.body.messages).toEqual([
      { role: "user", content: [{ text: "Who?" }] },
      { role: "assistant", content: blocks },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "t1", content: [{ text: "(empty)" }] } },
          { toolResult: { toolUseId: "t2", content: [{ text: "no such tool" }], status: "error" } },
          { text: "Go on." },
        ],
      },
    ]);
  });

  it("declares no tools for tool choice none until the conversation holds tool calls", async () => {
    const model = await open(HAIKU);
    const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
    await model.complete(ask("x", { tools, toolChoice: "none" }), noAbort());
    expect(server?.requests[0]?.body.toolConfig).toBeUndefined();
  });
});

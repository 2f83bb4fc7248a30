import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openModel } from "../../src/models/index.js";
import { ask, noAbort } from "../helpers/model-request.js";

const asked: { readonly path: string; readonly body: Record<string, unknown> }[] = [];
const server = http.createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = decodeURIComponent(incoming.url ?? "");
  asked.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> });
  outgoing.writeHead(200, { "content-type": "application/json" });
  outgoing.end(
    JSON.stringify(
      path.endsWith("/tokenize")
        ? { count: 7 }
        : path.endsWith("count-tokens")
          ? { inputTokens: 7 }
          : { input_tokens: 7 },
    ),
  );
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const env = { ANTHROPIC_API_KEY: "k".repeat(9), AWS_REGION: "eu-central-1", AWS_BEARER_TOKEN_BEDROCK: "b".repeat(9) };

it.each([
  ["anthropic/claude-haiku-5-5", "", {}, "/v1/messages/count_tokens", ["messages", "model", "system"]],
  [
    "bedrock/global.anthropic.claude-haiku-5-5",
    "",
    {},
    "/model/global.anthropic.claude-haiku-5-5/count-tokens",
    ["input"],
  ],
  ["openai/llama", "/v1", {}, "/tokenize", ["content", "model", "prompt"]],
  ["openai/gpt-6-luna", "/v1", { api: "responses" }, "/v1/responses/input_tokens", ["input", "model"]],
] as const)("%s: tokens are counted for free, with nothing asked for", async (id, base, more, path, fields) => {
  const model = await openModel(id, { env, concurrency: 1, baseUrl: `${url}${base}`, ...more });
  expect(await model.count?.(ask("How many?", { system: "Count." }), noAbort())).toBe(7);
  expect(asked.at(-1)?.path).toBe(path);
  expect(Object.keys(asked.at(-1)?.body ?? {}).sort()).toEqual(fields);
});

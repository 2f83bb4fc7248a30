import { openEmbedder } from "../../src/embedders/index.js";
import { builtIn } from "../../src/index.js";
import { allQuirks } from "../../src/models/providers/openai/quirks.js";
import type { Message, Model, ModelRequest, ProviderSettings } from "../../src/types/index.js";
import { noAbort } from "../helpers/model-request.js";
import { type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import type { Facts } from "./facts.js";

const env = {
  ANTHROPIC_API_KEY: "sk-ant-test-secret-1234",
  OPENAI_API_KEY: "sk-test-secret-1234",
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST",
  AWS_SECRET_ACCESS_KEY: "aws-test-secret-key-1234",
};

/** Every wire with models of each kind that are asked differently. */
const wires: readonly (readonly [provider: string, model: string, more?: Partial<ProviderSettings>])[] = [
  ["anthropic", "claude-haiku-5-5"],
  ["anthropic", "claude-sonnet-5-5"],
  ["anthropic", "claude-haiku-4-5"],
  ["bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0"],
  ["bedrock", "us.anthropic.claude-sonnet-5-5"],
  ["bedrock", "mistral.mistral-large-2402-v1:0"],
  ["openai", "gpt-6-luna", { quirks: "openai", api: "responses" }],
  ["openai", "gpt-4.1-mini", { quirks: "openai", api: "responses" }],
  ["openai", "gpt-6-luna", { quirks: "openai", api: "chat" }],
  ...allQuirks.names.map((quirks) => ["openai", "some-model", { quirks, api: "chat" }] as const),
];

const search = {
  name: "search",
  description: "Finds a page.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};
const turns: readonly Message[] = [
  { role: "user", content: "Which tag?" },
  { role: "assistant", content: "I look.", toolCalls: [{ id: "call_1", name: "search", arguments: { query: "tag" } }] },
  { role: "tool", results: [{ id: "call_1", name: "search", content: "no such page", isError: true }] },
];

/** What is asked for, as far as the model takes it. */
function requests({ capabilities }: Model): Record<string, ModelRequest> {
  const sampled = capabilities.temperature ? { temperature: 0.7 } : {};
  return {
    plain: {
      ...sampled,
      ...(capabilities.stop ? { stop: ["END"] } : {}),
      ...(capabilities.logprobs ? { logprobs: 5 } : {}),
      ...{ system: "Be brief.", messages: turns.slice(0, 1), maxTokens: 64, sample: 2 },
    },
    tools: { ...sampled, ...{ system: "Be brief.", messages: turns, tools: [search], maxTokens: 64, sample: 0 } },
    thinking: { messages: turns.slice(0, 1), maxTokens: 64, effort: "high", sample: 0 },
    cached: { system: "Long. ".repeat(4000), messages: turns.slice(0, 1), maxTokens: 64, sample: 0, opening: 6 },
  };
}

/** What is sent for one request: the body, and the headers that change what is asked. Of a long text its length. */
export async function wireFacts(): Promise<Facts> {
  const facts: Facts = {};
  const arrived: ServedRequest[] = [];
  const server = await startProviderServer({ onArrival: (request) => void arrived.push(request) });
  try {
    for (const [provider, id, more = {}] of wires) {
      const baseUrl = provider === "openai" ? `${server.url}/v1` : server.url;
      const model = await builtIn.providers.get(provider).open(id, { env, baseUrl, concurrency: 1, ...more });
      const sent: Record<string, unknown> = {};
      for (const [name, request] of Object.entries(requests(model))) {
        arrived.length = 0;
        const refused = await model.complete(request, noAbort()).then(
          () => undefined,
          (error: unknown) => String(error),
        );
        sent[name] = arrived.length === 0 ? { refused } : arrived.map(told);
        if (name === "plain" && model.batch !== undefined) sent.batch = JSON.parse(model.batch.line("line-1", request));
      }
      facts[[provider, id, more.api, more.quirks].filter(Boolean).join(" ")] = sent;
    }
    arrived.length = 0;
    const embedder = await openEmbedder("openai/text-embedding-3-small", { env, baseUrl: `${server.url}/v1` });
    await embedder.embed(["one text", "another"]);
    facts["embeddings openai"] = { plain: arrived.map(told) };
    return facts;
  } finally {
    await server.close();
  }
}

const ASKING = ["anthropic-version", "anthropic-beta"];

function told({ path, headers, body }: ServedRequest): unknown {
  const own = ASKING.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  const short = JSON.stringify(body).replace(/(Long\. ?){10,}/g, (text) => `${text.length} characters`);
  return { path, ...Object.fromEntries(own), body: JSON.parse(short) };
}

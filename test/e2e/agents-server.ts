import { sha256 } from "../../src/text/content-id.js";
import { functionCall, replyBody, type Said } from "../helpers/provider-replies.js";
import {
  type ProviderServer,
  type ProviderServerSettings,
  type ServedRequest,
  startProviderServer,
} from "../helpers/provider-server.js";
import { chatReply, fakeKey } from "../helpers/rated-server.js";

export interface ServedCall {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly query: string };
}

/** How one provider is named, reached and spoken to. */
export interface Dialect {
  readonly provider: string;
  /** As typed after --model. */
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  baseUrl(url: string): string;
  /** Names of the tools that a request declares. */
  tools(request: ServedRequest): readonly string[];
  /** Whether a request's last turn is what tools found. */
  observed(request: ServedRequest): boolean;
  /** The body of a turn that makes these calls. */
  calls(request: ServedRequest, calls: readonly ServedCall[]): unknown;
  /** Such a turn as it must come back in the next request. */
  sentBack(calls: readonly ServedCall[]): object;
  /** The body of a turn that says this text. */
  says(request: ServedRequest, text: string): unknown;
}

/** What the agents below look for. */
export const QUERY = "desk lamp";

/**
 * A local model of LaMP-3 that can call tools: first all declared tools in one turn, then a rating that depends on
 * everything it was shown. Writes summaries, feedback and personas where those are asked for.
 */
export function startAgentServer(dialect: Dialect, settings: ProviderServerSettings = {}): Promise<ProviderServer> {
  return startProviderServer({ reply: (request) => replyOf(dialect, request), ...settings });
}

export const anthropicDialect: Dialect = {
  provider: "anthropic",
  model: "anthropic/claude-sonnet-5-5",
  env: { ANTHROPIC_API_KEY: fakeKey },
  baseUrl: (url) => url,
  tools: ({ body }) => (body.tools ?? []).map((tool: { name: string }) => tool.name),
  observed: ({ body }) => body.messages.at(-1).content[0]?.type === "tool_result",
  calls: (request, calls) => messagesReply(request, { calls, more: { content: anthropicBlocks(calls) } }),
  sentBack: (calls) => ({ role: "assistant", content: anthropicBlocks(calls) }),
  says: (request, text) => messagesReply(request, { text }),
};

export const bedrockDialect: Dialect = {
  provider: "bedrock",
  model: "bedrock/us.anthropic.claude-sonnet-5-5",
  env: { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST", AWS_SECRET_ACCESS_KEY: fakeKey },
  baseUrl: (url) => url,
  tools: ({ body }) =>
    (body.toolConfig?.tools ?? []).map(({ toolSpec }: { toolSpec: { name: string } }) => toolSpec.name),
  observed: ({ body }) => body.messages.at(-1).content[0]?.toolResult !== undefined,
  calls: (_request, calls) =>
    replyBody("converse", {
      calls,
      more: { output: { message: { role: "assistant", content: bedrockBlocks(calls) } } },
    }),
  sentBack: (calls) => ({ role: "assistant", content: bedrockBlocks(calls) }),
  says: (_request, text) => replyBody("converse", { text }),
};

export const openaiDialect: Dialect = {
  provider: "openai",
  model: "openai/local",
  env: { OPENAI_API_KEY: fakeKey },
  baseUrl: (url) => `${url}/v1`,
  tools: ({ body }) =>
    (body.tools ?? []).map((declared: { function: { name: string } }) => declared.function.name) as readonly string[],
  observed: ({ body }) => body.messages.at(-1).role === "tool",
  calls: ({ body }, calls) => replyBody("chat", { model: body.model, calls }),
  sentBack: (calls) => ({ role: "assistant", content: null, tool_calls: calls.map(functionCall) }),
  says: chatReply,
};

/** The calls that the model makes in its first turn. */
export const callsOf = (names: readonly string[]): ServedCall[] =>
  names.map((name, index) => ({ id: `call-${index}`, name, input: { query: QUERY } }));

/** The content of an anthropic turn that thinks, signed, and then makes these calls. */
function anthropicBlocks(calls: readonly ServedCall[]): object[] {
  return [
    { type: "thinking", thinking: "Two look-ups.", signature: "c2lnbmVkLXRoaW5raW5n" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
    { type: "text", text: "Let me look.", citations: null },
    ...calls.map((call) => ({ type: "tool_use", ...call, caller: { type: "direct" } })),
  ];
}

/** The same in Converse's form. */
function bedrockBlocks(calls: readonly ServedCall[]): object[] {
  return [
    { reasoningContent: { reasoningText: { text: "Two look-ups.", signature: "c2lnbmVkLXRoaW5raW5n" } } },
    { reasoningContent: { redactedContent: "b3BhcXVl" } },
    { text: "Let me look." },
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
}

function replyOf(dialect: Dialect, request: ServedRequest): unknown {
  const tools = dialect.tools(request);
  if (tools.length > 0 && !dialect.observed(request)) return dialect.calls(request, callsOf(tools));
  const shown = JSON.stringify(request.body);
  return dialect.says(request, tools.length > 0 ? ratingOf(shown) : writingOf(shown));
}

const digest = (text: string): string => sha256(text).slice(0, 8);

const ratingOf = (shown: string): string => String((Number.parseInt(digest(shown), 16) % 5) + 1);

function writingOf(shown: string): string {
  if (shown.includes("New system prompt:"))
    return `You are the assistant of a {careful} reviewer, known as \`${digest(shown)}\`. <b>Use</b> two tools, then rate.`;
  if (shown.includes("Feedback:")) return `Look for lamps. Note ${digest(shown)}.`;
  return `most popular score: ${ratingOf(shown)}`;
}

const messagesReply = ({ body }: ServedRequest, said: Said): unknown =>
  replyBody("messages", { model: body.model, ...said });

import { lexical } from "../../src/models/providers/offline/lexical.js";
import { estimatedTokens } from "../../src/models/tokens.js";
import type { Message, ModelReply, ModelRequest, ToolSpec } from "../../src/types/index.js";
import { type CacheRules, type CountedPrompt, type PromptBlock, PromptCache } from "./prompt-cache.js";
import { replyBody, type WireName } from "./provider-replies.js";
import { type ProviderServer, type ServedRequest, startProviderServer } from "./provider-server.js";

/** Tokens of one call as the server counts them. */
export interface CountedCall extends CountedPrompt {
  readonly out: number;
}

/** A protocol of a provider: how its bodies are read, what its cache keeps, and how its replies and usage look. */
export interface LexicalWire {
  readonly cache: CacheRules;
  readonly blocks: (body: Body) => PromptBlock[];
  readonly request: (body: Body) => ModelRequest;
  readonly wire: WireName;
}

export interface LexicalServerSettings {
  readonly latencyMs: number;
  /** How far the server's clock goes on with each call, milliseconds: the life of its cache is counted by it. */
  readonly msPerCall: number;
  onCall?(counted: CountedCall, request: ModelRequest): void;
}

/** The embedded model behind a provider's protocol and a cache with its rules: prompts, turns and replies of real length. */
export async function startLexicalServer(wire: LexicalWire, settings: LexicalServerSettings): Promise<ProviderServer> {
  const cache = new PromptCache(wire.cache);
  const prompts = new Map<ServedRequest, ReturnType<PromptCache["count"]>>();
  return startProviderServer({
    latencyMs: settings.latencyMs,
    onArrival: (served) =>
      void prompts.set(served, cache.count(wire.blocks(served.body), served.index * settings.msPerCall)),
    reply(served) {
      const { begun, ...prompt } = prompts.get(served)!; // told on arrival
      prompts.delete(served);
      begun();
      const request = wire.request(served.body);
      const reply = lexical(request);
      const said = reply.toolCalls.length === 0 ? reply.text : reply.text + JSON.stringify(reply.toolCalls);
      const counted = { ...prompt, out: Math.max(1, estimatedTokens(said)) };
      settings.onCall?.(counted, request);
      return lexicalReply(wire, served.body, reply, counted);
    },
  });
}

/** The embedded model's reply in a protocol. */
export function lexicalReply(
  { wire, cache }: LexicalWire,
  { model }: Body,
  { text, toolCalls, stop }: ModelReply,
  { written, ...counted }: CountedCall,
): unknown {
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({ id, name, input }));
  const usage = cache.billsWrites ? { ...counted, written } : counted;
  return replyBody(wire, { model, text, calls, isCut: stop === "length", usage });
}

/** Anthropic's Messages: kept at marks alone, five minutes, at most 20 blocks before a mark. */
export const messagesWire = (minTokens: number): LexicalWire => ({
  cache: { minTokens, lifeMs: 300_000, lookBack: 20, billsWrites: true },
  blocks: ({ tools = [], system = [], messages }) =>
    [...tools, ...listed(system), ...turnBlocks(messages)].map(({ cache_control, ...block }) => ({
      text: JSON.stringify(block),
      marked: cache_control !== undefined,
    })),
  request: (body) => ({
    ...rest(
      listed(body.system).map(({ text }) => text),
      body.tools,
      body.tool_choice?.type,
    ),
    tools: body.tools?.map(({ name, description, input_schema }: Body) => ({
      name,
      description,
      parameters: input_schema,
    })),
    maxTokens: body.max_tokens,
    messages: body.messages.map((turn: Body) => messageOf(turn.role, listed(turn.content), body.messages)),
  }),
  wire: "messages",
});

/** Bedrock's Converse: the same rules with cache points between blocks. */
export const converseWire = (minTokens: number): LexicalWire => ({
  cache: { minTokens, lifeMs: 300_000, lookBack: 20, billsWrites: true },
  blocks: ({ toolConfig, system = [], messages }) => {
    const parts: Body[] = [...(toolConfig?.tools ?? []), ...system, ...turnBlocks(messages)];
    return parts.flatMap((part, index) =>
      part.cachePoint !== undefined
        ? []
        : [{ text: JSON.stringify(part), marked: parts[index + 1]?.cachePoint !== undefined }],
    );
  },
  request: (body) => {
    const tools = body.toolConfig?.tools?.map(({ toolSpec }: Body) => ({
      ...toolSpec,
      parameters: toolSpec.inputSchema.json,
    }));
    return {
      ...rest(
        (body.system ?? []).flatMap(({ text }: Body) => text ?? []),
        tools,
        undefined,
      ),
      tools,
      maxTokens: body.inferenceConfig.maxTokens,
      messages: body.messages.map((turn: Body) =>
        messageOf(
          turn.role,
          turn.content.map(plainBlock),
          body.messages.map((one: Body) => ({ ...one, content: one.content.map(plainBlock) })),
        ),
      ),
    };
  },
  wire: "converse",
});

/**
 * OpenAI's Responses. From GPT-5.6 on (`marks`): kept at breakpoints and, unless the request says `explicit`, behind the last user
 * message, thirty minutes, writes billed. Before: every prompt is kept by itself in steps of 128 tokens, no fee.
 */
export const responsesWire = (marks: boolean): LexicalWire => ({
  cache: {
    minTokens: 1024,
    lifeMs: marks ? 1_800_000 : 300_000,
    lookBack: Number.POSITIVE_INFINITY,
    billsWrites: marks,
  },
  blocks: ({ tools = [], input, prompt_cache_options }) => {
    const parts: Body[] = [
      ...tools,
      ...input.flatMap((item: Body) => (Array.isArray(item.content) ? item.content : [item])),
    ];
    if (!marks) return stepsOf(parts.map((part) => JSON.stringify(part)).join("\n"));
    const lastUser =
      prompt_cache_options?.mode === "explicit" ? -1 : parts.findLastIndex(({ role }) => role === "user");
    return parts.map(({ prompt_cache_breakpoint, ...part }, index) => ({
      text: JSON.stringify(part),
      marked: prompt_cache_breakpoint !== undefined || index === lastUser,
    }));
  },
  request: (body) => ({
    ...rest(
      body.input
        .filter(({ role }: Body) => role === "developer")
        .flatMap(({ content }: Body) => listed(content).map(({ text }) => text)),
      body.tools,
      body.tool_choice,
    ),
    tools: body.tools?.map(({ name, description, parameters }: ToolSpec) => ({ name, description, parameters })),
    maxTokens: body.max_output_tokens,
    messages: body.input.flatMap((item: Body) => itemMessage(item, body.input)),
  }),
  wire: "responses",
});

// biome-ignore lint/suspicious/noExplicitAny: a served body
type Body = any;

const listed = (content: Body): Body[] =>
  content === undefined ? [] : typeof content === "string" ? [{ type: "text", text: content }] : content;

const turnBlocks = (messages: Body[]): Body[] =>
  messages.flatMap(({ role, content }) =>
    listed(content).map((block) => (block.cachePoint === undefined ? { role, ...block } : block)),
  );

function rest(system: readonly string[], tools: Body, choice: string | undefined) {
  return {
    sample: 0,
    ...(system.length === 0 ? {} : { system: system.join("\n") }),
    ...(tools === undefined ? {} : { toolChoice: choice === "none" ? ("none" as const) : ("auto" as const) }),
  };
}

/** A block of Converse as Messages writes it. */
function plainBlock({ toolUse, toolResult, ...block }: Body): Body {
  if (toolUse !== undefined)
    return { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
  if (toolResult === undefined) return block;
  const content = toolResult.content.map(({ text }: Body) => text).join("\n");
  return { type: "tool_result", tool_use_id: toolResult.toolUseId, content };
}

function messageOf(role: "user" | "assistant", blocks: Body[], turns: Body[]): Message {
  const text = blocks.map((block) => block.text ?? "").join("");
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length > 0)
    return {
      role: "tool",
      results: results.map(({ tool_use_id: id, content }) => ({
        ...{ id, name: nameOf(id, turns) },
        content: listed(content)
          .map((block) => block.text)
          .join("\n"),
      })),
    };
  const calls = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use" ? [{ id, name, arguments: input }] : [],
  );
  return role === "user" ? { role, content: text } : { role, content: text, toolCalls: calls };
}

const nameOf = (id: string, turns: Body[]): string =>
  turns.flatMap(({ content }) => listed(content)).find((block) => block.type === "tool_use" && block.id === id).name;

function itemMessage(item: Body, input: Body[]): Message[] {
  if (item.role === "user") return [{ role: "user", content: textOf(item.content) }];
  if (item.type === "function_call")
    return [
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) }],
      },
    ];
  if (item.type !== "function_call_output")
    return item.role === "assistant" ? [{ role: "assistant", content: textOf(item.content) }] : [];
  const { name } = input.find(({ type, call_id }) => type === "function_call" && call_id === item.call_id);
  return [{ role: "tool", results: [{ id: item.call_id, name, content: item.output }] }];
}

const textOf = (content: Body): string =>
  listed(content)
    .map(({ text }) => text)
    .join("");

/** Every 128 tokens of a text is an end that is kept. */
function stepsOf(text: string): PromptBlock[] {
  return Array.from({ length: Math.ceil(text.length / STEP) }, (_, i) => {
    const part = text.slice(i * STEP, (i + 1) * STEP);
    return { text: part, marked: part.length === STEP };
  });
}

const STEP = 128 * 3;

import * as z from "zod";
import { modelRoles } from "../../registry/further-models.js";
import { jsonIn } from "../../text/json.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { AskRequest, Embedder, Message, ModelReply } from "../../types/index.js";

/** Of a request that sets none. OpenAI itself sets no limit; mem0 asks for so many. */
const MAX_TOKENS = 2000;
const MOST_DRAWS = 100;

const text = z.union([z.string(), z.array(z.object({ text: z.string() }))]).nullish();
const call = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
const turn = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: text,
  tool_calls: z.array(call).nullish(),
  tool_call_id: z.string().nullish(),
});
const tool = z.object({
  function: z.object({ name: z.string(), description: z.string().nullish(), parameters: z.json().nullish() }),
});
const chatSchema = z.object({
  model: z.string().nullish(),
  messages: z.array(turn).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z.unknown().optional(),
  temperature: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().nonnegative().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  n: z.int().positive().max(MOST_DRAWS).nullish(),
  stream: z.boolean().nullish(),
});
type Turn = z.infer<typeof turn>;
const embeddingSchema = z.object({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(z.string())], "expected text; lists of tokens are not carried"),
  encoding_format: z.string().nullish(),
  dimensions: z.int().nullish(),
});

/** Fields that change no reply. */
const SILENT = ["user", "store", "metadata", "stream_options", "extra_headers", "timeout"];

function read<T extends z.ZodObject>(schema: T, body: unknown): { known: z.infer<T>; ignored: string[] } {
  const { success, data: known, error } = schema.safeParse(body);
  if (!success) throw new Error(placedIssue(error));
  const given = Object.entries(body as object).flatMap(([name, value]) => (value === null ? [] : [name])); // it was parsed
  return { known, ignored: given.filter((name) => !(name in schema.shape || SILENT.includes(name))) };
}

/** Returns a request of Chat Completions as the kit asks it, and the names of fields that are not carried. Throws where it is none. */
export function readChatRequest(body: unknown) {
  const { known, ignored } = read(chatSchema, body);
  const { model, tools, temperature, stop, logprobs, tool_choice: choice, response_format: format } = known;
  const isSystem = ({ role }: Turn): boolean => role === "system" || role === "developer";
  const role = modelRoles.find((one) => one === model);
  const isJson = format != null && format.type !== "text";
  const system = [...known.messages.filter(isSystem).map(textOf), ...(isJson ? [jsonSentence(format)] : [])].join(
    "\n\n",
  );
  const messages = messagesOf(known.messages.filter((one) => !isSystem(one)));
  if (isJson) ignored.push("response_format");
  if (choice != null && choice !== "auto" && choice !== "none") ignored.push("tool_choice");
  const ask: AskRequest = {
    ...(messages.length > 0 && system !== "" ? { system } : {}),
    messages: messages.length > 0 ? messages : [{ role: "user", content: system }],
    maxTokens: known.max_completion_tokens ?? known.max_tokens ?? MAX_TOKENS,
    ...(temperature == null ? {} : { temperature }),
    ...(stop == null ? {} : { stop: [stop].flat() }),
    ...(tools == null ? {} : { tools: tools.map(toolOf), toolChoice: choice === "none" ? choice : "auto" }),
    ...(logprobs === true ? { logprobs: known.top_logprobs ?? 0 } : {}),
    ...(role === undefined ? {} : { of: role }),
  };
  return { ask, ignored, count: known.n ?? 1, isStream: known.stream === true };
}

/** Stands in for a format, which the run's models are not all able to keep. */
function jsonSentence({ json_schema: schema }: Readonly<Record<string, unknown>>): string {
  const shape = schema === undefined ? "." : ` that fits this JSON Schema: ${JSON.stringify(schema)}`;
  return `Answer with JSON only${shape}`;
}

const textOf = ({ content }: Turn): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("");

const toolOf = ({ function: { name, description, parameters } }: z.infer<typeof tool>) => ({
  name,
  description: description ?? "",
  parameters: parameters ?? {},
});

/** Results of tools that follow one another are one message. */
function messagesOf(turns: readonly Turn[]): Message[] {
  const names = new Map(turns.flatMap((one) => one.tool_calls ?? []).map(({ id, function: of }) => [id, of.name]));
  const messages: Message[] = [];
  for (const one of turns) {
    const [content, id] = [textOf(one), one.tool_call_id ?? ""];
    const last = messages.at(-1);
    const before = last?.role === "tool" ? last.results : [];
    if (one.role === "tool") {
      if (before.length > 0) messages.pop();
      messages.push({ role: "tool", results: [...before, { id, name: names.get(id) ?? "", content }] });
    } else if (one.role === "assistant") {
      const toolCalls = (one.tool_calls ?? []).map(({ id: callId, function: { name, arguments: given } }) => ({
        ...{ id: callId, name, arguments: jsonIn(given) ?? given },
      }));
      messages.push({ role: "assistant", content, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
    } else messages.push({ role: "user", content });
  }
  return messages;
}

/** Returns replies as the choices of a completion. */
export function completionOf(replies: readonly ModelReply[]) {
  const tokensIn = replies.reduce((sum, { usage }) => sum + usage.in, 0);
  const tokensOut = replies.reduce((sum, { usage }) => sum + usage.out, 0);
  return {
    ...{ id: "run", object: "chat.completion", created: 0, model: "run" },
    choices: replies.map(choiceOf),
    usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut },
  };
}

const REASONS = { length: "length", tool: "tool_calls", refusal: "content_filter" } as const;

function choiceOf({ text: content, toolCalls, stop, logprobs = [] }: ModelReply, index: number) {
  const calls = toolCalls.map(({ id, name, arguments: given }, at) => {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return { index: at, id, type: "function", function: { name, arguments: text } };
  });
  const tokens = logprobs.map(({ token, logprob, top }) => ({ token, logprob, bytes: null, top_logprobs: top }));
  return {
    index,
    finish_reason: REASONS[stop as keyof typeof REASONS] ?? "stop",
    message: { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
    logprobs: tokens.length === 0 ? null : { content: tokens },
  };
}

/** Returns a completion as the one chunk of a stream. */
export function streamChunkOf({ choices, ...rest }: ReturnType<typeof completionOf>) {
  const deltas = choices.map(({ message: delta, ...choice }) => ({ ...choice, delta }));
  return { ...rest, object: "chat.completion.chunk", choices: deltas };
}

/** Returns the texts that vectors are asked for. Throws where there are none. */
export function readEmbeddings(body: unknown, { dimensions }: Pick<Embedder, "dimensions">) {
  const { known, ignored } = read(embeddingSchema, body);
  if (known.dimensions != null && known.dimensions !== dimensions) ignored.push("dimensions");
  return { texts: [known.input].flat(), ignored, isBase64: known.encoding_format === "base64" };
}

export function embeddingsOf(vectors: readonly Float32Array[], isBase64: boolean) {
  const data = vectors.map((vector, index) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    return { object: "embedding", index, embedding: isBase64 ? bytes.toString("base64") : [...vector] };
  });
  return { object: "list", model: "run", data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

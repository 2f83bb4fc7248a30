import { setMaxListeners } from "node:events";
import { BudgetError, ModelError } from "../../errors.js";
import { SAMPLE_TEXT } from "../../models/look/look.js";
import { budgeted, openPurse } from "../../models/wrap/budgeted.js";
import { oneLine } from "../../text/one-line.js";
import type { Json, Message, Model, ModelReply, ModelRequest, ToolSpec, Usage } from "../../types.js";
import type { Check } from "./check.js";

/** All probes together cost less, US dollars. */
export const MOST_USD = 0.1;
/** And are no more calls. */
export const MOST_CALLS = 14;

interface Probed {
  readonly checks: readonly Check[];
  /** What each probe found, for the file. */
  readonly findings: readonly Json[];
  /** Spent, US dollars; 0 where no price is known. */
  readonly usd: number;
}

/**
 * Asks a model some real questions, each to show one thing that an endpoint may or may not take. With a known price they cost less than
 * MOST_USD: what might pass that is left out and said.
 */
export async function probeModel(
  model: Model,
  { price, signal }: { readonly price: (usage: Usage) => number | undefined; readonly signal: AbortSignal },
): Promise<Probed> {
  setMaxListeners(0, signal); // all these calls listen to it
  const purse = openPurse();
  const priced = price({ in: 1, out: 1 }) !== undefined;
  const asked = budgeted(model, { maxCalls: MOST_CALLS, ...(priced ? { maxUsd: MOST_USD } : {}), price, purse });
  const ask = (request: ModelRequest): Promise<ModelReply> => asked.complete(request, signal);
  const checks: Check[] = [];
  const findings: Json[] = [];
  for (const { name, play } of probes) {
    const found = await play(ask, model).catch((error: unknown): Finding => {
      if (error instanceof BudgetError) return { state: "skipped", text: "might pass the bound of ten cents" };
      if (error instanceof ModelError)
        return { state: "warn", text: oneLine(error), said: { status: error.status ?? 0, refused: oneLine(error) } };
      throw error;
    });
    checks.push({ name: `probe ${name}`, state: found.state, text: found.text });
    findings.push({
      name,
      state: found.state,
      text: found.text,
      ...(found.said === undefined ? {} : { said: found.said }),
    });
  }
  return { checks, findings, usd: purse.usd };
}

interface Finding extends Omit<Check, "name"> {
  readonly said?: Json;
}

interface Probe {
  readonly name: string;
  play(ask: (request: ModelRequest) => Promise<ModelReply>, model: Model): Promise<Finding>;
}

const says = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", content }],
  maxTokens: 64,
  sample: 0,
  ...more,
});

const QUESTION = "Is water wet? Answer with one word.";

/** The usage of a reply, as a file may hold it. */
const usageOf = ({ usage }: ModelReply): Json => JSON.parse(JSON.stringify(usage)) as Json;

const shown = ({ text, usage }: ModelReply): string =>
  `${JSON.stringify(text.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${usage.estimated === true ? " (estimated: it tells no usage)" : ""}${usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`}`;

/** One parameter on the plain question. */
const parameter = (name: string, more: Partial<ModelRequest>, taken: (reply: ModelReply) => boolean): Probe => ({
  name,
  async play(ask) {
    const reply = await ask(says(QUESTION, more));
    const text = taken(reply) ? `taken: ${shown(reply)}` : `sent and left without effect: ${shown(reply)}`;
    return { state: taken(reply) ? "ok" : "warn", text, said: { usage: usageOf(reply), stop: reply.stop } };
  },
});

const TOOL: ToolSpec = {
  name: "lookup",
  description: "Search for a short summary of one topic.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

/** A message as a reply of the Responses API holds it: whether `status` and `phase` may come back is not documented. */
const SENT_BACK: Json = {
  type: "message",
  id: "msg_0123456789abcdef",
  role: "assistant",
  status: "completed",
  phase: "final_answer",
  content: [{ type: "output_text", text: "Yes.", annotations: [] }],
};

const probes: readonly Probe[] = [
  {
    name: "plain",
    async play(ask) {
      const reply = await ask(says(QUESTION));
      const said = { model: reply.model, stop: reply.stop, usage: usageOf(reply) };
      return { state: reply.text.trim() === "" ? "warn" : "ok", text: `${reply.model}: ${shown(reply)}`, said };
    },
  },
  {
    name: "tokens",
    async play(ask) {
      const { usage } = await ask(says(`${SAMPLE_TEXT}\nAnswer with one word: is this about a ferry?`));
      if (usage.estimated === true) return { state: "warn", text: "it tells no usage: tokens are estimated" };
      const bytesPerToken = Number((Buffer.byteLength(SAMPLE_TEXT) / usage.in).toFixed(2));
      return { state: "ok", text: `${bytesPerToken} bytes a token of English prose`, said: { bytesPerToken } };
    },
  },
  parameter("temperature", { temperature: 0.1 }, () => true),
  parameter("stop", { stop: ["\n"] }, () => true),
  parameter("log probabilities", { logprobs: 5 }, ({ logprobs }) => (logprobs?.length ?? 0) > 0),
  parameter("effort none", { effort: "none" }, ({ usage }) => (usage.thinking ?? 0) === 0),
  parameter("effort low", { effort: "low" }, () => true),
  parameter("effort none with temperature", { effort: "none", temperature: 0.2 }, () => true),
  {
    name: "items sent back",
    async play(ask, model) {
      if (model.endpoint?.facts.api !== "responses")
        return { state: "skipped", text: "the Responses wire alone has items" };
      const turn: Message = { role: "assistant", content: "Yes.", opaque: [SENT_BACK] };
      const messages: readonly Message[] = [
        { role: "user", content: QUESTION },
        turn,
        { role: "user", content: "Are you sure? Answer with one word." },
      ];
      const reply = await ask({ messages, maxTokens: 64, sample: 0 });
      return {
        state: "ok",
        text: `status and phase of an earlier message are taken: ${shown(reply)}`,
        said: { usage: usageOf(reply) },
      };
    },
  },
  {
    name: "tools",
    async play(ask) {
      const question: Message = { role: "user", content: 'Call the lookup tool with "river", then say what it found.' };
      const first = await ask({ messages: [question], tools: [TOOL], toolChoice: "auto", maxTokens: 1024, sample: 0 });
      const [call] = first.toolCalls;
      if (call === undefined) return { state: "warn", text: `no tool call: ${shown(first)}` };
      const turn: Message = {
        role: "assistant",
        content: first.text,
        toolCalls: first.toolCalls,
        ...(first.opaque === undefined ? {} : { opaque: first.opaque }),
      };
      const result: Message = {
        role: "tool",
        results: first.toolCalls.map(({ id, name }) => ({ id, name, content: "A river is flowing water." })),
      };
      const messages = [question, turn, result];
      const second = await ask({ messages, tools: [TOOL], toolChoice: "none", maxTokens: 1024, sample: 0 });
      const opaque = first.opaque === undefined ? "no reasoning of its own" : "its reasoning";
      return {
        state: second.text.trim() === "" ? "warn" : "ok",
        text: `called ${call.name}, and took the second turn with ${opaque}: ${shown(second)}`,
        said: { first: usageOf(first), second: usageOf(second), arguments: typeof call.arguments },
      };
    },
  },
  {
    name: "cache",
    async play(ask) {
      const system = SAMPLE_TEXT.repeat(CACHED_REPEATS);
      const first = await ask(says(QUESTION, { system }));
      const second = await ask(says(QUESTION, { system, sample: 1 }));
      const read = second.usage.cacheRead ?? 0;
      return {
        state: "ok",
        text: `an equal prompt of ${second.usage.in} tokens again: ${read} of them read from a cache`,
        said: { first: usageOf(first), second: usageOf(second) },
      };
    },
  },
];

/** Of the sample: above the least prefix of most caches, 2,048 tokens. */
const CACHED_REPEATS = 8;

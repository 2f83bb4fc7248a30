import { BudgetError, ModelError } from "../../errors.js";
import { budgeted, openPurse } from "../../models/wrap/budgeted.js";
import { oneLine } from "../../text/file-trouble.js";
import type { Message, Model, ModelReply, ModelRequest, ToolSpec, Usage } from "../../types.js";
import type { Check } from "./machine.js";

/** All probes together cost less, US dollars. */
export const MOST_USD = 0.1;
/** And are no more calls. */
export const MOST_CALLS = 9;

/** A question that every model can answer, with room for a model that thinks first. */
export const smallQuestion = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", content: "Is water wet? Answer with one word." }],
  maxTokens: 256,
  sample: 0,
  ...more,
});

/** `"yes", 12 tokens in, 1 out`. */
export const shown = ({ text, usage }: ModelReply): string =>
  `${JSON.stringify(text.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${usage.estimated === true ? " (estimated: the server counts none)" : ""}${usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`}`;

/**
 * Asks a model some questions, each to show one thing that its endpoint may or may not take, and says what they cost. Where the
 * price is known they cost less than MOST_USD: a question that might cost more is left out.
 */
export async function probeModel(model: Model, price: (usage: Usage) => number | undefined): Promise<Check[]> {
  const purse = openPurse();
  const priced = price({ in: 1, out: 1 }) !== undefined;
  const asked = budgeted(model, { maxCalls: MOST_CALLS, ...(priced ? { maxUsd: MOST_USD } : {}), price, purse });
  const ask: Ask = (request) => asked.complete(request, new AbortController().signal);
  const checks: Check[] = [];
  for (const [name, play] of Object.entries(probes)) {
    const found = await play(ask).catch((error: unknown): Finding => {
      if (error instanceof BudgetError)
        return { state: "skipped", text: "left out: it might cost more than the rest of ten cents" };
      if (error instanceof ModelError) return { state: "warn", text: oneLine(error) };
      throw error;
    });
    checks.push({ name: `probe ${name}`, ...found });
  }
  return [
    ...checks,
    { name: "spent", state: "ok", text: `$${purse.usd.toFixed(4)} on probes, as billed or by the list of prices` },
  ];
}

type Finding = Omit<Check, "name">;
type Ask = (request: ModelRequest) => Promise<ModelReply>;

/** The small question with one more parameter. */
const parameter =
  (more: Partial<ModelRequest>, taken: (reply: ModelReply) => boolean = () => true) =>
  async (ask: Ask): Promise<Finding> => {
    const reply = await ask(smallQuestion(more));
    return taken(reply)
      ? { state: "ok", text: `taken: ${shown(reply)}` }
      : { state: "warn", text: `sent, and without effect: ${shown(reply)}` };
  };

const TOOL: ToolSpec = {
  name: "lookup",
  description: "Search for a short summary of one topic.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

const probes: Readonly<Record<string, (ask: Ask) => Promise<Finding>>> = {
  temperature: parameter({ temperature: 0.1 }),
  stop: parameter({ stop: ["\n"] }),
  "log probabilities": parameter({ logprobs: 5 }, ({ logprobs }) => (logprobs?.length ?? 0) > 0),
  "effort none": parameter({ effort: "none" }, ({ usage }) => (usage.thinking ?? 0) === 0),
  "effort low": parameter({ effort: "low" }),
  async tools(ask) {
    const question: Message = { role: "user", content: 'Call the lookup tool with "river", then say what it found.' };
    const request = { tools: [TOOL], maxTokens: 1024, sample: 0 };
    const first = await ask({ ...request, messages: [question], toolChoice: "auto" });
    const { text: content, toolCalls, opaque } = first;
    const [call] = toolCalls;
    if (call === undefined) return { state: "warn", text: `no tool call: ${shown(first)}` };
    const turn: Message = { role: "assistant", content, toolCalls, ...(opaque === undefined ? {} : { opaque }) };
    const results = toolCalls.map(({ id, name }) => ({ id, name, content: "A river is flowing water." }));
    const messages: readonly Message[] = [question, turn, { role: "tool", results }];
    const second = await ask({ ...request, messages, toolChoice: "none" });
    return {
      state: second.text.trim() === "" ? "warn" : "ok",
      text: `it called ${call.name} and took the result: ${shown(second)}`,
    };
  },
  async cache(ask) {
    const system = LONG_PROMPT;
    await ask(smallQuestion({ system }));
    const { usage } = await ask(smallQuestion({ system, sample: 1 }));
    const read = usage.cacheRead ?? 0;
    return { state: "ok", text: `a prompt of ${usage.in} tokens sent again: ${read} of them read from a cache` };
  },
};

/** Above 2,048 tokens, the least prefix of most caches. */
const LONG_PROMPT =
  "The harbour town voted on Tuesday to keep its old ferry for another ten years, since a bridge would cost far more. ".repeat(
    100,
  );

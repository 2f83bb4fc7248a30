import { countOf } from "../../text/count.js";
import type { Json } from "../../types.js";
import { fieldsOf } from "../read-reply.js";
import { countLook, type FreeRequest, freeLooks, SAMPLE_TEXT } from "./look.js";

/** What a server of OpenAI's protocols says of a model, and counts of tokens where it has them. `official`: OpenAI's own. */
export function openaiRequests(modelId: string, baseUrl: string, apiKey: string, official: boolean): FreeRequest[] {
  const headers = { authorization: `Bearer ${apiKey}` };
  const root = baseUrl.replace(/[?#].*$/, "").replace(/\/+$/, "");
  if (official)
    return [
      {
        name: "model record",
        url: `${root}/models/${encodeURIComponent(modelId)}`,
        headers,
        read: ({ id }) => (typeof id === "string" ? { state: "ok", text: id } : undefined),
      },
      {
        name: "token count",
        url: `${root}/responses/input_tokens`,
        headers,
        body: { model: modelId, input: SAMPLE_TEXT },
        read: ({ input_tokens: tokens }) => countLook(tokens),
      },
    ];
  const host = root.replace(/\/v1$/, "");
  return [
    { name: "model list", url: `${root}/models`, headers, read: ({ data }) => listLook(modelId, data) },
    {
      name: "llama.cpp",
      url: `${host}/props`,
      headers,
      rare: true,
      read({ total_slots: slots, default_generation_settings: settings }) {
        const { n_ctx: context } = fieldsOf(settings);
        if (typeof slots !== "number") return undefined;
        const said = { slots, ...(typeof context === "number" ? { context } : {}) };
        return { state: "ok", text: `${countOf(slots, "slot")}, context ${String(context ?? "not told")}`, said };
      },
    },
    {
      name: "token count",
      url: `${host}/tokenize`,
      headers,
      rare: true,
      body: { model: modelId, prompt: SAMPLE_TEXT, content: SAMPLE_TEXT },
      read: ({ count, tokens }) => countLook(count ?? (Array.isArray(tokens) ? tokens.length : undefined)),
    },
  ];
}

/** How many calls llama.cpp works on at once; undefined where the server is another one. */
export async function slotsOf(requests: readonly FreeRequest[], signal: AbortSignal): Promise<number | undefined> {
  const [look] = await freeLooks(
    requests.filter(({ name }) => name === "llama.cpp"),
    signal,
  );
  const { slots } = fieldsOf(look?.said);
  return typeof slots === "number" && slots > 0 ? slots : undefined;
}

function listLook(modelId: string, data: unknown): ReturnType<FreeRequest["read"]> {
  if (!Array.isArray(data)) return undefined;
  const ids = data.flatMap((one) => {
    const { id } = fieldsOf(one);
    return typeof id === "string" ? [id] : [];
  });
  const record = fieldsOf(data.find((one) => fieldsOf(one).id === modelId));
  if (record.id === undefined) {
    const few = ids.slice(0, MOST_NAMED).join(", ");
    return { state: "warn", text: `serves no ${modelId}; it lists ${ids.length === 0 ? "nothing" : few}` };
  }
  const context = record.max_model_len ?? record.context_length;
  const pricing = fieldsOf(record.pricing);
  const said: { [name: string]: Json } = { id: modelId };
  if (typeof context === "number") said.context = context;
  if (Object.keys(pricing).length > 0) said.pricing = JSON.parse(JSON.stringify(pricing)) as Json;
  const words = typeof context === "number" ? `, context ${context}` : "";
  return { state: "ok", text: `serves ${modelId}${words}${priceWords(pricing)}`, said };
}

/** Dollars a token, as OpenRouter lists them. */
function priceWords({ prompt, completion }: Readonly<Record<string, unknown>>): string {
  const [input, output] = [prompt, completion].map((usd) => Number((Number(usd ?? Number.NaN) * 1e6).toPrecision(3)));
  if (!(Number(input) >= 0 && Number(output) >= 0)) return "";
  return `, $${input} in, $${output} out a million tokens by its list`;
}

/** Names in a message. */
const MOST_NAMED = 5;

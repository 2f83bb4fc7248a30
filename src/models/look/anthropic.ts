import type { Json } from "../../types.js";
import { countLook, type FreeRequest, SAMPLE_TEXT } from "./look.js";

/** Anthropic's record of a model, and its count of tokens, which is free. */
export function anthropicRequests(modelId: string, baseUrl: string, apiKey: string): FreeRequest[] {
  const headers = { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  const root = baseUrl.replace(/\/+$/, "");
  return [
    {
      name: "model record",
      url: `${root}/v1/models/${encodeURIComponent(modelId)}`,
      headers,
      read({ id, max_input_tokens: most, max_tokens: out, lifecycle, retires_at: retires, capabilities }) {
        if (typeof id !== "string") return undefined;
        const facts = { id, most, out, lifecycle, retires, capabilities };
        const words = [
          typeof most === "number" ? `${most} tokens in` : "",
          typeof out === "number" ? `${out} out` : "",
          typeof retires === "string" ? `retires ${retires}` : "",
        ].filter(Boolean);
        return { state: "ok", text: [id, ...words].join(", "), said: JSON.parse(JSON.stringify(facts)) as Json };
      },
    },
    {
      name: "token count",
      url: `${root}/v1/messages/count_tokens`,
      headers,
      body: { model: modelId, messages: [{ role: "user", content: SAMPLE_TEXT }] },
      read: ({ input_tokens: tokens }) => countLook(tokens),
    },
  ];
}

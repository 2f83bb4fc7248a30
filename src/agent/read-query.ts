import type { Json } from "../types.js";

/** JSON Schema of a tool that takes one text. */
export function querySchema(description: string): Json {
  return {
    type: "object",
    properties: { query: { type: "string", description } },
    required: ["query"],
    additionalProperties: false,
  };
}

/**
 * The query of a one-text tool, from `{"query": "x"}`, `"x"`, the same as JSON text, or an object with one text in it.
 * Throws an Error that tells the model what to send.
 */
export function readQuery(input: Json): string {
  const found = typeof input === "string" ? fromText(input.trim()) : fromObject(input);
  if (found === undefined || found.trim() === "")
    throw new Error('the input must be {"query": "..."} with a text in it');
  return found.trim();
}

function fromText(text: string): string | undefined {
  if (!text.startsWith("{")) return text;
  try {
    return fromObject(JSON.parse(text) as Json);
  } catch (error) {
    throw new Error("the input is not valid JSON", { cause: error });
  }
}

function fromObject(value: Json): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = value as { readonly [name: string]: Json };
  if (typeof fields.query === "string") return fields.query;
  const texts = Object.values(fields).filter((field) => typeof field === "string");
  return texts.length === 1 ? texts[0] : undefined;
}

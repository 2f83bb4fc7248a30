import * as z from "zod";

/** A name that tools may have on every wire: OpenAI and Bedrock 1 to 64 of these signs, Anthropic up to 128. */
export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

/** JSON Schema of a tool's arguments: an object schema. */
export const objectSchema = z.looseObject({ type: z.literal("object") });

export const someText = z.string().min(1);

/** Text that is not only white space. */
export const wordText = z.string().refine((text) => text.trim() !== "", "blank text");

/** Text of a JSON object, as arguments of calls are. */
export const objectText = z.string().refine((text) => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}, "not the text of a JSON object");

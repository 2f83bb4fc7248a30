import { createHash, hash } from "node:crypto";

/** SHA-256 (hex) of a text. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Content hash of any JSON value: object keys sorted, undefined fields left out, every field counts. */
export function contentId(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** The content id of an array of these things, one at a time: they may be more than fit into one text. */
export function contentIdOfAll(things: Iterable<unknown>): string {
  const whole = createHash("sha256");
  let comma = "[";
  for (const thing of things) {
    whole.update(`${comma}${canonicalJson(thing) ?? "null"}`);
    comma = ",";
  }
  return whole.update(comma === "[" ? "[]" : "]").digest("hex");
}

/** JSON with sorted keys: equal values, equal text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inKeyOrder(value));

function inKeyOrder(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return inKeyOrder(value.toJSON());
  if (Array.isArray(value)) return value.map(inKeyOrder);
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((key) => [key, inKeyOrder(members[key])]),
  );
}

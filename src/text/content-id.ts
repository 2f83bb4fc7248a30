import { createHash } from "node:crypto";

/** SHA-256 (hex) of a text. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Content hash of any JSON value: object keys sorted, undefined fields left out, every field counts. */
export function contentId(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** JSON with sorted keys: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}

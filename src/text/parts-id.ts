import { createHash } from "node:crypto";

/** SHA-256 (hex) over parts in order, each with its length, so that no two lists run together. For what is too big for `contentId`. */
export function partsId(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest("hex");
}

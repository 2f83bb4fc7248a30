import type { Cell } from "../../types.js";

interface Searching extends Pick<Cell, "method" | "options"> {
  /** What the method says of it (`Method.embeds`). */
  readonly embeds?: boolean | undefined;
}

/**
 * `encoder: embedded/hashed-1 (icl, membank), by words in common, not by meaning`, where methods of a task search by an embedded
 * encoder: no paper did. Empty where none does.
 */
export function encoderRemarks(cells: readonly Searching[]): string[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { method, options, embeds = isByVector(options) } of cells) {
    const encoder = String(options.embedder ?? "");
    if (!encoder.startsWith(EMBEDDED) || !embeds) continue;
    methodsOf.set(encoder, (methodsOf.get(encoder) ?? new Set()).add(method));
  }
  return [...methodsOf].map(
    ([encoder, methods]) => `encoder: ${encoder} (${[...methods].join(", ")}), by words in common, not by meaning`,
  );
}

const EMBEDDED = "embedded/";

/** Values of options that ask for vectors. */
const BY_VECTOR = ["dense", "kate"];
/** Selectors that do, besides those that a retriever of these names is. */
const SELECTORS = ["similar", "rums-logreg"];

/** A selector takes the place of the method's own retrieval. */
function isByVector({ select = "own", ...options }: Cell["options"]): boolean {
  const [selector = ""] = String(select).split(":");
  const asked = Object.entries(options).filter(([name]) => selector === "own" || !/\.(?:kind|retriever)$/.test(name));
  return (
    SELECTORS.includes(selector) || [["", selector], ...asked].some(([, value]) => BY_VECTOR.includes(String(value)))
  );
}

import type { Cell } from "../../types.js";

/**
 * `encoder: embedded/hashed-1 (icl, membank), by words in common, not by meaning`, where methods of a task search by an embedded
 * encoder: no paper did. Empty where none does.
 */
export function encoderRemarks(cells: readonly Pick<Cell, "method" | "options">[]): string[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { method, options } of cells) {
    const encoder = String(options.embedder ?? "");
    if (!encoder.startsWith(EMBEDDED) || !embeds(method, options)) continue;
    methodsOf.set(encoder, (methodsOf.get(encoder) ?? new Set()).add(method));
  }
  return [...methodsOf].map(
    ([encoder, methods]) => `encoder: ${encoder} (${[...methods].join(", ")}), by words in common, not by meaning`,
  );
}

// --- internal ---

const EMBEDDED = "embedded/";

/** Values of options that ask for vectors. */
const BY_VECTOR = ["dense", "kate"];
/** Methods that always do. */
const ALWAYS = ["assistant"];

const embeds = (method: string, options: Cell["options"]): boolean =>
  ALWAYS.includes(method) || Object.values(options).some((value) => BY_VECTOR.includes(String(value)));

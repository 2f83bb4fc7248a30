import type { Cell, OptionValue } from "../../types/index.js";

/** The past that a cell's method was given: the user's own (`right`) where nothing else is said. */
export const controlOf = ({ options }: Pick<Cell, "options">): OptionValue => options["history.control"] ?? RIGHT;

/** Whether it was the user's own. */
export const hasOwnPast = (cell: Pick<Cell, "options">): boolean => controlOf(cell) === RIGHT;

/**
 * `past of rag: deranged (history.control), not the users' own`, for methods all of whose cells had one other past: no row of theirs
 * tells it. Empty where there are none.
 */
export function controlRemarks(cells: readonly Pick<Cell, "method" | "options">[]): string[] {
  const controls = new Map<string, Set<OptionValue>>();
  for (const cell of cells) controls.set(cell.method, (controls.get(cell.method) ?? new Set()).add(controlOf(cell)));
  const methodsOf = new Map<OptionValue, string[]>();
  for (const [method, [control = RIGHT, ...others]] of controls)
    if (others.length === 0 && control !== RIGHT) methodsOf.set(control, [...(methodsOf.get(control) ?? []), method]);
  return [...methodsOf].map(
    ([control, methods]) =>
      `past${methods.length === controls.size ? "" : ` of ${methods.join(", ")}`}: ${control} (history.control), not the users' own`,
  );
}

const RIGHT = "right";

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
const SELECTORS = ["similar", "rums-binary", "rums-multi"];

/** A selector takes the place of the method's own retrieval. */
function isByVector({ select = "own", ...options }: Cell["options"]): boolean {
  const [selector = ""] = String(select).split(":");
  const asked = Object.entries(options).filter(([name]) => selector === "own" || !/\.(?:kind|retriever)$/.test(name));
  return (
    SELECTORS.includes(selector) || [["", selector], ...asked].some(([, value]) => BY_VECTOR.includes(String(value)))
  );
}

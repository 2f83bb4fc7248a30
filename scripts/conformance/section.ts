/**
 * A section of a vector file (`metrics.json`, `prompts.json`): the value of one top-level key.
 * Each module under `scripts/conformance/` exports `sections: Sections`; the runner finds the right one by key.
 */
export type Sections = Readonly<Record<string, Section>>;

/** Runs every vector of the section and yields one outcome per vector. A thrown error counts as a failed vector. */
export type Section = (vectors: unknown) => Iterable<Outcome> | AsyncIterable<Outcome>;

export interface Outcome {
  /** Shown when the vector fails: its index, tag, or the input cut short. */
  readonly name: string;
  /** What differs, in one line. Absent: passed. */
  readonly failure?: string | undefined;
}

/** Runs `check` on each vector; `check` returns what differs, or undefined. Throwing counts as a failure. */
export function each<V>(
  check: (vector: V, index: number) => string | undefined | Promise<string | undefined>,
  name: (vector: V, index: number) => string = (_, index) => `#${index}`,
): Section {
  return async function* (vectors) {
    if (!Array.isArray(vectors)) throw new Error("expected a list of vectors");
    for (const [index, vector] of (vectors as V[]).entries())
      yield { name: name(vector, index), failure: await attempt(() => check(vector, index)) };
  };
}

/** Where a vector carries `error`: passes when `run` throws or rejects with an error that is not a mere TypeError. */
export async function expectError(run: () => unknown): Promise<string | undefined> {
  try {
    return `expected an error, got ${JSON.stringify(await run())}`;
  } catch (error) {
    return error instanceof TypeError ? `untyped error: ${error.message}` : undefined;
  }
}

/** Compares two JSON-like values: numbers within `tolerance` (default exact), all else exact. First difference as text. */
export function difference(actual: unknown, expected: unknown, tolerance = 0, path = ""): string | undefined {
  if (typeof actual === "number" && typeof expected === "number") {
    const same = Object.is(actual, expected) || actual === expected || Math.abs(actual - expected) <= tolerance;
    return same ? undefined : `${path || "value"}: got ${actual}, expected ${expected}`;
  }
  if (!isTree(actual) || !isTree(expected))
    return actual === expected
      ? undefined
      : `${path || "value"}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  for (const key of keys) {
    const found = difference(Reflect.get(actual, key), Reflect.get(expected, key), tolerance, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null;

async function attempt(check: () => string | undefined | Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    return error instanceof Error ? `threw ${error.name}: ${error.message}` : `threw ${String(error)}`;
  }
}

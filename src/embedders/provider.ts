import { UsageError } from "../errors.js";
import { firstLine, messageOf } from "../text/file-trouble.js";
import type { Clock, Embedder } from "../types/index.js";

/** A family of embedders behind one way of computing. Packages are imported inside `open`, so unused ones cost nothing. */
export interface EmbedderProvider {
  /** The part of `provider/embedder-id` before the slash. */
  readonly name: string;
  readonly summary: string;
  /** True where a vector costs more than reading it back from disk: a run then keeps every vector it has seen. */
  readonly costly: boolean;
  /** `id` is the part after the slash. Throws UsageError naming what is missing or unknown. */
  open(id: string, settings: EmbedderSettings): Promise<Embedder>;
}

export interface EmbedderSettings {
  /** The environment as handed in by the command line; keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
  /** The base of relative folders. Absent: where the process runs. */
  readonly cwd?: string;
  /** Absent: `cosine`. */
  readonly similarity?: Similarity;
  /** Most time of one request, milliseconds. Absent: two minutes. */
  readonly deadlineMs?: number;
  /** Waits between tries. Absent: a failed request is not tried again. */
  readonly clock?: Pick<Clock, "sleep">;
  /** Is told of long waits, one line each. */
  readonly tell?: ((line: string) => void) | undefined;
}

/**
 * What the dot product of two vectors means. `cosine`: every vector is scaled to length 1. `dot`: vectors stay as the
 * model gives them, as contriever ranks (METHODS 3.2); families whose vectors have length 1 anyway give those.
 */
type Similarity = "cosine" | "dot";

/** Returns a package that lies beside lamp-eval. Throws UsageError with the command to type where it is missing or does not load. */
export async function fromPackage(
  name: string,
  load: (name: string) => Promise<unknown>,
  { embedder, install }: { readonly embedder: string; readonly install: string },
): Promise<unknown> {
  try {
    return await load(name);
  } catch (error) {
    const what = messageOf(error).includes(`'${name}'`)
      ? `the package ${name} is not installed`
      : `${name} does not load (${firstLine(error)})`;
    throw new UsageError(`embedder ${embedder}: ${what}; install it beside lamp-eval: ${install}`);
  }
}

/** Returns the vector scaled to length 1. The zero vector stays as it is: its cosine with everything is 0. */
export function unitLength(vector: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  const length = Math.sqrt(squares);
  const scaled = new Float32Array(vector.length);
  if (length > 0) for (let i = 0; i < scaled.length; i++) scaled[i] = vector[i]! / length; // Float32Array.from takes ten times as long
  return scaled;
}

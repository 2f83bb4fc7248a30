import { nounOf } from "../text/count.js";

/**
 * The vectors in an /embeddings reply, in the order of the request: by `index` where the server gives it, else as they
 * stand. A string says what is wrong with the reply.
 */
export function readEmbeddings(body: string, count: number): readonly Float32Array[] | string {
  const data = dataOf(body);
  if (typeof data === "string") return data;
  if (data.length !== count)
    return `${data.length} ${nounOf(data.length, "vector")} for ${count} ${nounOf(count, "text")}`;
  const vectors: Float32Array[] = new Array(count);
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = entry as { index?: unknown; embedding?: unknown };
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      return `no text has the index ${JSON.stringify(index)}`;
    if (vectors[index] !== undefined) return `two vectors have the index ${index}`;
    if (!isVector(embedding)) return `vector ${index} is not a list of finite numbers`;
    vectors[index] = Float32Array.from(embedding);
  }
  const lengths = new Set(vectors.map((vector) => vector.length));
  return lengths.size > 1 ? `vectors of different lengths: ${[...lengths].join(", ")}` : vectors;
}

const LONGEST_QUOTE = 200;

function dataOf(body: string): readonly object[] | string {
  const quote = body.replace(/\s+/g, " ").slice(0, LONGEST_QUOTE);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return `not JSON: ${quote}`;
    throw error;
  }
  const data = (parsed as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return `no list "data": ${quote}`;
  return data.every((entry) => typeof entry === "object" && entry !== null) ? data : `"data" holds non-objects`;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => Number.isFinite(part));
}

import { BestFew } from "../../retrievers/best-few.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Hit } from "../../types.js";
import type { OpenSimilarity } from "./similarity.js";

/** Cosine of the run's embedder over whole documents, exact. */
export const denseSimilarity: OpenSimilarity = async (pool, { embedder }) => {
  const matrix = await embedded(
    pool.map(({ event }) => event),
    embedder,
  );
  return {
    async global(query, k, above, { owner, contents, hidden }) {
      const twins = contents.map(sameText);
      return nearest(matrix, query, k, above, embedder, (number) => {
        const found = pool[number];
        return (
          found === undefined ||
          found.owner === owner ||
          hidden(number) ||
          twins.some((isTwin) => isTwin(found.event.content))
        );
      });
    },
    async own(events) {
      const ownMatrix = await embedded(events, embedder);
      return (query, k, above) => nearest(ownMatrix, query, k, above, embedder, () => false);
    },
  };
};

// --- internal ---

/** One row per event, end to end. */
async function embedded(events: readonly Event[], embedder: Embedder): Promise<Float32Array> {
  const matrix = new Float32Array(events.length * embedder.dimensions);
  const vectors = events.length === 0 ? [] : await embedder.embed(events.map(({ document }) => document));
  for (const [row, vector] of vectors.entries()) matrix.set(vector, row * embedder.dimensions);
  return matrix;
}

async function nearest(
  matrix: Float32Array,
  query: string,
  k: number,
  above: number,
  embedder: Embedder,
  excluded: (row: number) => boolean,
): Promise<readonly Hit[]> {
  const { dimensions } = embedder;
  const [asked] = await embedder.embed([query]);
  const best = new BestFew(k, above);
  for (let row = 0; asked !== undefined && row * dimensions < matrix.length; row++) {
    let cosine = 0;
    for (let i = 0; i < dimensions; i++) cosine += (asked[i] ?? 0) * (matrix[row * dimensions + i] ?? 0);
    if (cosine > best.threshold && !excluded(row)) best.add(row, cosine);
  }
  return best.hits();
}

/** Whether another text is a twin: case, spacing and compatibility forms do not count (METHODS 0.2). */
function sameText(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  return (other) => normalized(other) === wanted;
}

const normalized = (text: string): string => pySplit(text.normalize("NFKC").toLowerCase()).join(" ");

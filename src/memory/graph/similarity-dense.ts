import { BestFew } from "../../retrievers/best-few.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Hit } from "../../types.js";
import type { OpenSimilarity, OwnSearch } from "./similarity.js";

/** Cosine of the run's embedder over whole documents, exact. */
export const denseSimilarity: OpenSimilarity = async (pool, { embedder }) => {
  const rows = await embedded(
    pool.map(({ event }) => event),
    embedder,
  );
  return {
    async global(query, k, above, { owner, contents, hidden }) {
      const twins = contents.map(sameText);
      return nearest(rows, query, k, above, embedder, (number) => {
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
      const ownRows = await embedded(events, embedder);
      const search: OwnSearch = (query, k, above) => nearest(ownRows, query, k, above, embedder, () => false);
      search.add = async ({ document }) => {
        for (const vector of await embedder.embed([document])) ownRows.push(vector);
      };
      return search;
    },
  };
};

/** One row per event. */
async function embedded(events: readonly Event[], embedder: Embedder): Promise<VectorRows> {
  return new VectorRows(events.length === 0 ? [] : await embedder.embed(events.map(({ document }) => document)));
}

async function nearest(
  rows: VectorRows,
  query: string,
  k: number,
  above: number,
  embedder: Embedder,
  excluded: (row: number) => boolean,
): Promise<readonly Hit[]> {
  const [asked] = await embedder.embed([query]);
  return asked === undefined ? [] : rows.nearest(asked, k, above, excluded);
}

/** Whether another text is a twin: case, spacing and compatibility forms do not count (METHODS 0.2). */
function sameText(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  return (other) => normalized(other) === wanted;
}

const normalized = (text: string): string => pySplit(text.normalize("NFKC").toLowerCase()).join(" ");

/** Vectors of one length, end to end, in an array that grows. */
class VectorRows {
  private values = new Float32Array(0);
  private size = 0;
  private dimensions = 0;

  constructor(vectors: readonly Float32Array[] = []) {
    this.values = new Float32Array(vectors.length * (vectors[0]?.length ?? 0));
    for (const vector of vectors) this.push(vector);
  }

  push(vector: Float32Array): void {
    this.dimensions = vector.length;
    const start = this.size * this.dimensions;
    if (start + vector.length > this.values.length) {
      const wider = new Float32Array(Math.max(16, 2 * this.size) * this.dimensions);
      wider.set(this.values);
      this.values = wider;
    }
    this.values.set(vector, start);
    this.size++;
  }

  /** The `k` rows with the largest dot product above `above`, best first, equal ones in order; none that is `excluded`. */
  nearest(asked: Float32Array, k: number, above: number, excluded: (row: number) => boolean): Hit[] {
    const { values, dimensions } = this;
    const best = new BestFew(k, above);
    for (let row = 0; row < this.size; row++) {
      let product = 0;
      for (let i = 0, at = row * dimensions; i < dimensions; i++, at++) product += asked[i]! * values[at]!;
      if (product > best.threshold && !excluded(row)) best.add(row, product);
    }
    return best.hits();
  }
}

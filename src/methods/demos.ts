import type { Event, Kit, Question } from "../types.js";

/** A labelled event of another user. */
export interface Demo {
  readonly owner: string;
  readonly event: Event;
}

/** The best `k` of a pool for a question, best first; all where the pool is smaller. */
export type DemoRanking = (pool: readonly Demo[], question: Question, k: number, kit: Kit) => Promise<readonly Demo[]>;

/**
 * One draw for the whole run: every event has its seeded rank. All questions get the same demonstrations, except those that
 * are not in their pool (the user's own events, or later ones); the order of users and questions changes nothing.
 */
export const randomDemos: DemoRanking = async (pool, _question, k, kit) => {
  const ranks = await kit.shared("icl.ranks", async () => new WeakMap<Event, number>(), {
    content: String(kit.runRandom("icl.demos").next()), // a seeded stream is known by its first number
  });
  const rankOf = ({ owner, event }: Demo): number => {
    const known = ranks.get(event);
    if (known !== undefined) return known;
    const rank = kit.runRandom(`icl.demos/${owner}/${event.id}`).next();
    ranks.set(event, rank);
    return rank;
  };
  return smallest(pool, rankOf, k);
};

/** KATE: cosine of the question's item and the event's, by the run's embedder. Each event is embedded once. */
export const nearestDemos: DemoRanking = async (pool, question, k, kit) => {
  const vectors = await vectorsOf(pool, kit);
  const [asked] = await kit.embedder.embed([question.content]);
  return smallest(pool, (_demo, index) => -dot(asked, vectors[index]), k);
};

/** The `k` demonstrations of the smallest keys, ties in the pool's order, in one pass: pools hold all training events. */
function smallest(pool: readonly Demo[], keyOf: (demo: Demo, index: number) => number, k: number): Demo[] {
  const best: { demo: Demo; key: number }[] = [];
  for (const [index, demo] of pool.entries()) {
    const key = keyOf(demo, index);
    const rank = best.findIndex((other) => key < other.key);
    if (rank < 0 && best.length === k) continue;
    best.splice(rank < 0 ? best.length : rank, 0, { demo, key });
    if (best.length > k) best.pop();
  }
  return best.map(({ demo }) => demo);
}

async function vectorsOf(pool: readonly Demo[], kit: Kit): Promise<readonly Float32Array[]> {
  const shelf = await kit.shared("icl.vectors", async () => new Map<Event, Promise<Float32Array>>(), {
    content: kit.embedder.id,
  });
  const missing = [...new Set(pool.map(({ event }) => event).filter((event) => !shelf.has(event)))];
  if (missing.length > 0) {
    const batch = kit.embedder.embed(missing.map(({ content }) => content));
    for (const [index, event] of missing.entries())
      shelf.set(
        event,
        batch.then(
          (vectors) => vectorAt(vectors, index),
          (error: unknown) => {
            shelf.delete(event); // so that the next question tries again
            throw error;
          },
        ),
      );
  }
  return Promise.all(pool.map(({ event }) => shelf.get(event) ?? Promise.reject(new Error("an event has no vector"))));
}

function vectorAt(vectors: readonly Float32Array[], index: number): Float32Array {
  const vector = vectors[index];
  if (vector === undefined)
    throw new Error(`an embedder returned ${vectors.length} vectors, number ${index} is missing`);
  return vector;
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  for (let i = 0; a !== undefined && b !== undefined && i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

import { seeded } from "../../../src/random/seeded.js";
import type { GlobalDocument } from "../../../src/retrievers/global-index.js";
import type { Random } from "../../../src/types.js";

const VOCABULARY = 200_000;
const DOCUMENTS_PER_USER = 250;

/** Seeded documents of 20-60 words whose frequency falls as rank^-1.07, made one at a time, 250 to a user. */
export function* corpus(count: number): Generator<GlobalDocument> {
  const random = seeded("global retrieval corpus");
  const word = zipfWords(random);
  for (let document = 0; document < count; document++)
    yield { owner: `user ${Math.floor(document / DOCUMENTS_PER_USER)}`, text: words(random, word) };
}

/** Seeded queries of 20-60 words, each asked by a user of the corpus. */
export function queries(count: number, documents: number): { readonly owner: string; readonly text: string }[] {
  const random = seeded("global retrieval queries");
  const word = zipfWords(random);
  const users = Math.ceil(documents / DOCUMENTS_PER_USER);
  return Array.from({ length: count }, () => ({ owner: `user ${random.below(users)}`, text: words(random, word) }));
}

const words = (random: Random, word: () => string): string =>
  Array.from({ length: 20 + random.below(41) }, word).join(" ");

/** Draws words by their Zipf weight: a table of cumulative weights, searched by halving. */
function zipfWords(random: Random): () => string {
  const cumulative = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank++) cumulative[rank] = sum += (rank + 1) ** -1.07;
  const spelled = Array.from(cumulative, (_, rank) => `w${rank}`);
  return () => {
    const drawn = random.next() * sum;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    return spelled[low]!;
  };
}

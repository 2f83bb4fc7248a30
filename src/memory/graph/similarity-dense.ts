import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Hit } from "../../types.js";
import type { OpenSimilarity, OwnSearch } from "./similarity.js";
import { VectorRows } from "./vector-rows.js";

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

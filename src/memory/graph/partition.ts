import { UsageError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import { partsId } from "../../text/parts-id.js";
import type { Random, SharedCodec } from "../../types.js";
import type { ConceptEdges } from "./co-occurrence.js";
import { compactGraph } from "./compact-graph.js";
import { louvain } from "./louvain.js";
import type { Keep } from "./similarity.js";

/** Gives every concept's group, by concept number. */
export type SplitConcepts = (edges: ConceptEdges, concepts: number) => Promise<Uint32Array>;

/** Seeded Louvain, kept on disk by its edges, seed and resolution. Same edges and seed, same groups. */
export function louvainSplit(random: Random, resolution: number, keep: Keep): SplitConcepts {
  return ({ from, to, weights }, concepts) => {
    const split = async (): Promise<Uint32Array> =>
      louvain(compactGraph(concepts, { from, to, weight: weights }), random, resolution).communities;
    const stream = random.fork("identity"); // a seeded stream is known by its first numbers; a fork spends none of its own
    const settings = [VERSION, concepts, resolution, stream.next(), stream.next()].join(" ");
    const content = partsId([settings, bytesOf(from), bytesOf(to), bytesOf(weights)]);
    return keep("graph.partition", split, groupCodec(content, concepts));
  };
}

/** Raise it when Louvain or the bytes change. */
const VERSION = "louvain-1";

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function groupCodec(content: string, concepts: number): SharedCodec<Uint32Array> {
  return {
    content,
    encode: bytesOf,
    decode(bytes) {
      if (bytes.byteLength !== concepts * Uint32Array.BYTES_PER_ELEMENT)
        throw new UsageError(
          `graph.partition ${content}: ${bytes.byteLength} bytes for ${concepts} ${nounOf(concepts, "concept")}; delete it`,
        );
      return new Uint32Array(new Uint8Array(bytes).buffer); // a copy: a Buffer's slice() is none
    },
  };
}

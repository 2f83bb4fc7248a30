import { partsId } from "../../text/content-id.js";
import type { Random } from "../../types/index.js";
import { type CompactGraph, compactGraph, weightedDegrees } from "./compact-graph.js";
import type { Keep } from "./similarity.js";

interface Partition {
  /** By node: its community. Community 0 has the most nodes; equally large ones come by their first node. */
  readonly communities: Uint32Array;
  /** Number of communities. */
  readonly count: number;
}

/**
 * Splits the nodes into communities of high modularity: nodes move, in seeded order, to the neighbouring community
 * that gains most until none gains, then every community becomes one node, and so on. Same graph and stream, same
 * partition. Sources: Blondel et al. 2008; the queue of nodes whose neighbourhood changed: Traag et al. 2019.
 */
export function louvain(graph: CompactGraph, random: Random): Partition {
  let level = graph;
  let communities = Uint32Array.from({ length: graph.size }, (_, node) => node);
  for (let depth = 0; ; depth++) {
    const moved = bySize(moveNodes(level, random.fork(`level ${depth}`)));
    communities = communities.map((node) => moved.communities[node]!);
    if (moved.count === level.size) return bySize(communities);
    level = aggregated(level, moved);
  }
}

/** A move must gain more than this share of the node's degree, so that rounding alone moves nothing in circles. */
const LEAST_GAIN = 1e-12;

/** Every node starts alone; gives each one's community. */
function moveNodes(graph: CompactGraph, random: Random): Uint32Array {
  const { size, offsets, neighbours } = graph;
  const communities = Uint32Array.from({ length: size }, (_, node) => node);
  const bestCommunity = chooser(graph, communities);
  const queue = shuffled(size, random); // a ring: each node waits in it once at most
  const waiting = new Uint8Array(size).fill(1);
  for (let head = 0, length = size; length > 0; head = (head + 1) % size, length--) {
    const node = queue[head]!;
    waiting[node] = 0;
    const best = bestCommunity(node);
    if (best === communities[node]) continue;
    communities[node] = best;
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++) {
      const neighbour = neighbours[index]!;
      if (waiting[neighbour] === 1 || communities[neighbour] === best) continue;
      waiting[neighbour] = 1;
      queue[(head + length++) % size] = neighbour;
    }
  }
  return communities;
}

/**
 * Gives the community in which a node adds most modularity and counts its degree there; ties leave it where it is.
 * Gains are in units of edge weight: the change of modularity times the total weight.
 */
function chooser(graph: CompactGraph, communities: Uint32Array): (node: number) => number {
  const { size, offsets, neighbours, weights } = graph;
  const degrees = weightedDegrees(graph);
  const communityDegrees = degrees.slice();
  const doubleTotal = degrees.reduce((sum, degree) => sum + degree, 0);
  const linked = new Float64Array(size); // by community: weight between it and the node at hand
  const touched = new Uint32Array(size);
  return (node) => {
    let touchedCount = 0;
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++) {
      const community = communities[neighbours[index]!]!;
      if (linked[community] === 0) touched[touchedCount++] = community;
      linked[community]! += weights[index]!;
    }
    let best = communities[node]!;
    const degree = degrees[node]!;
    const share = degree / doubleTotal;
    communityDegrees[best]! -= degree;
    let bestGain = linked[best]! - share * communityDegrees[best]! + LEAST_GAIN * degree;
    for (let i = 0; i < touchedCount; i++) {
      const community = touched[i]!;
      const gain = linked[community]! - share * communityDegrees[community]!;
      if (gain > bestGain) [best, bestGain] = [community, gain];
      linked[community] = 0;
    }
    communityDegrees[best]! += degree;
    return best;
  };
}

function shuffled(size: number, random: Random): Uint32Array {
  const order = Uint32Array.from({ length: size }, (_, node) => node);
  for (let last = size - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/** The same communities numbered by size, largest first, then by first node. */
function bySize(communities: Uint32Array): Partition {
  const sizes = new Map<number, number>();
  for (const community of communities) sizes.set(community, (sizes.get(community) ?? 0) + 1);
  const ranked = [...sizes].sort(([, a], [, b]) => b - a); // stable: the map is in order of first nodes
  const numbers = new Map(ranked.map(([community], number) => [community, number]));
  return { communities: communities.map((community) => numbers.get(community)!), count: numbers.size };
}

/** The graph whose nodes are the communities; edges within one become its edge to itself. */
function aggregated(graph: CompactGraph, { communities, count }: Partition): CompactGraph {
  const { size, offsets, neighbours, weights, loops } = graph;
  const most = neighbours.length / 2 + size;
  const from = new Uint32Array(most);
  const to = new Uint32Array(most);
  const weight = new Float64Array(most);
  let edges = 0;
  const add = (a: number, b: number, w: number): void => {
    from[edges] = communities[a]!;
    to[edges] = communities[b]!;
    weight[edges++] = w;
  };
  for (let node = 0; node < size; node++) {
    if (loops[node]! > 0) add(node, node, loops[node]!);
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++)
      if (neighbours[index]! > node) add(node, neighbours[index]!, weights[index]!);
  }
  return compactGraph(count, {
    from: from.subarray(0, edges),
    to: to.subarray(0, edges),
    weight: weight.subarray(0, edges),
  });
}

/** Concept-concept edges: `from[i] < to[i]` are concept numbers, `weights[i]` the interactions that hold both. */
export interface ConceptEdges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly weights: Float64Array;
}

/** Gives every concept's group, by concept number. */
export type SplitConcepts = (edges: ConceptEdges, concepts: number) => Promise<Uint32Array>;

/** Seeded Louvain, kept on disk by its edges and seed. Same edges and seed, same groups. */
export function louvainSplit(random: Random, keep: Keep): SplitConcepts {
  return ({ from, to, weights }, concepts) => {
    const split = async (): Promise<Uint32Array> =>
      louvain(compactGraph(concepts, { from, to, weight: weights }), random).communities;
    const stream = random.fork("identity"); // a seeded stream is known by its first numbers; a fork spends none of its own
    const settings = [VERSION, concepts, stream.next(), stream.next()].join(" ");
    const content = partsId([settings, bytesOf(from), bytesOf(to), bytesOf(weights)]);
    return keep("graph.partition", split, { content });
  };
}

/** Raise it when Louvain changes. */
const VERSION = "louvain-1";

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

import { countsOf } from "../../text/count.js";
import type { Random } from "../../types/index.js";

/** An undirected weighted graph on nodes 0 .. size - 1, in typed arrays. */
export interface CompactGraph {
  readonly size: number;
  /** The neighbours of node n, ascending, are those from offsets[n] up to offsets[n + 1]. */
  readonly offsets: Uint32Array;
  readonly neighbours: Uint32Array;
  /** By index in `neighbours`; every edge is stored at both its ends with the same weight. */
  readonly weights: Float64Array;
  /** By node: the weight of its edge to itself, 0 where there is none. */
  readonly loops: Float64Array;
}

/** Edge i joins from[i] and to[i]; its weight is weight[i], 1 where `weight` is left out. */
interface EdgeList {
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
  readonly weight?: ArrayLike<number>;
}

/**
 * Builds the graph; edges between the same two nodes become one with the sum of their weights. The graph does not
 * depend on the edges' direction. Nodes are 0 .. size - 1, weights positive.
 */
export function compactGraph(size: number, edges: EdgeList): CompactGraph {
  const loops = new Float64Array(size);
  for (let edge = 0; edge < edges.from.length; edge++)
    if (edges.from[edge] === edges.to[edge]) loops[edges.from[edge]!]! += weightOf(edges, edge);
  const { offsets, neighbours, weights } = merged(transposed(bothWays(size, edges)));
  return { size, offsets, neighbours, weights, loops };
}

/** Returns the sum of the weights at each node, an edge to itself counted twice. */
export function weightedDegrees({ size, offsets, weights, loops }: CompactGraph): Float64Array {
  return Float64Array.from({ length: size }, (_, node) => {
    let sum = 2 * loops[node]!;
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++) sum += weights[index]!;
    return sum;
  });
}

type Rows = Pick<CompactGraph, "size" | "offsets" | "neighbours" | "weights">;

const weightOf = ({ weight }: EdgeList, edge: number): number => (weight === undefined ? 1 : weight[edge]!);

/** Every edge at both its ends, in the order of the list. */
function bothWays(size: number, edges: EdgeList): Rows {
  const { from, to } = edges;
  const offsets = new Uint32Array(size + 1);
  for (let edge = 0; edge < from.length; edge++) {
    if (from[edge] === to[edge]) continue;
    offsets[from[edge]! + 1]!++;
    offsets[to[edge]! + 1]!++;
  }
  for (let node = 0; node < size; node++) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const neighbours = new Uint32Array(offsets[size]!);
  const weights = new Float64Array(neighbours.length);
  for (let edge = 0; edge < from.length; edge++) {
    const [a, b] = [from[edge]!, to[edge]!];
    if (a === b) continue;
    neighbours[next[a]!] = b;
    neighbours[next[b]!] = a;
    weights[next[a]!++] = weights[next[b]!++] = weightOf(edges, edge);
  }
  return { size, offsets, neighbours, weights };
}

/** Returns the same rows with each one's neighbours ascending: visiting the nodes in order fills every neighbour's row in order. */
function transposed({ size, offsets, neighbours, weights }: Rows): Rows {
  const next = offsets.slice();
  const sorted = new Uint32Array(neighbours.length);
  const sortedWeights = new Float64Array(weights.length);
  for (let node = 0; node < size; node++)
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++) {
      const target = next[neighbours[index]!]!++;
      sorted[target] = node;
      sortedWeights[target] = weights[index]!;
    }
  return { size, offsets, neighbours: sorted, weights: sortedWeights };
}

/** Adds up equal neighbours, which stand side by side. */
function merged({ size, offsets, neighbours, weights }: Rows): Rows {
  const ends = new Uint32Array(size + 1);
  let used = 0;
  for (let node = 0; node < size; node++) {
    for (let index = offsets[node]!; index < offsets[node + 1]!; index++) {
      if (used > ends[node]! && neighbours[used - 1] === neighbours[index]) weights[used - 1]! += weights[index]!;
      else {
        neighbours[used] = neighbours[index]!;
        weights[used++] = weights[index]!;
      }
    }
    ends[node + 1] = used;
  }
  return { size, offsets: ends, neighbours: neighbours.slice(0, used), weights: weights.slice(0, used) };
}

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

/** Returns the same communities numbered by size, largest first, then by first node. */
function bySize(communities: Uint32Array): Partition {
  const sizes = countsOf(communities);
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

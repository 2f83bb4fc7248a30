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

/** By node: the sum of the weights at it, an edge to itself counted twice. */
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

/** The same rows with each one's neighbours ascending: visiting the nodes in order fills every neighbour's row in order. */
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

import { type CompactGraph, weightedDegrees } from "./compact-graph.js";

/**
 * How much more of the edges' weight lies within communities than chance would put there, -0.5..1; 0 for a graph
 * without edges. `communities` gives every node's community. Source: Newman & Girvan 2004, with a resolution.
 */
export function modularity(graph: CompactGraph, communities: ArrayLike<number>, resolution = 1): number {
  const degrees = weightedDegrees(graph);
  const total = degrees.reduce((sum, degree) => sum + degree, 0);
  if (total === 0) return 0;
  const inside = new Map<number, number>();
  const degree = new Map<number, number>();
  for (let node = 0; node < graph.size; node++) {
    const community = communities[node]!;
    let within = 2 * graph.loops[node]!;
    for (let index = graph.offsets[node]!; index < graph.offsets[node + 1]!; index++)
      if (communities[graph.neighbours[index]!] === community) within += graph.weights[index]!;
    inside.set(community, (inside.get(community) ?? 0) + within);
    degree.set(community, (degree.get(community) ?? 0) + degrees[node]!);
  }
  let sum = 0;
  for (const [community, within] of inside) sum += within / total - resolution * (degree.get(community)! / total) ** 2;
  return sum;
}

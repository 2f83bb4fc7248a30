import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { UndirectedGraph } from "graphology";
import { describe, expect, it } from "vitest";
import { type CompactGraph, compactGraph, louvain, weightedDegrees } from "../../../src/memory/graph/louvain.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Random } from "../../../src/types/index.js";

type Graphology = typeof import("graphology-communities-louvain").default;

interface Reference {
  readonly size: number;
  readonly edges: readonly (readonly [from: number, to: number, weight: number])[];
  readonly modularity: readonly {
    readonly resolution: number;
    readonly communities: readonly number[];
    readonly value: number;
  }[];
  readonly louvain: { readonly best: number; readonly worst: number };
}

/** Expected values: networkx, by scripts/reference/make_reference.py. */
const path = new URL("../../fixtures/reference/louvain.json", import.meta.url);
const reference = JSON.parse(readFileSync(path, "utf8")) as Reference;
const graph = graphOf(reference.size, reference.edges);
const seeds = Array.from({ length: 20 }, (_, seed) => seeded(seed));

describe("modularity", () => {
  it("equals networkx on good and bad partitions, with weights, a loop and a lone node", () => {
    for (const { communities, resolution, value } of reference.modularity)
      expect(Math.abs(modularity(graph, communities, resolution) - value)).toBeLessThan(1e-12);
  });
});

describe("louvain", () => {
  it("finds partitions as good as networkx finds, whatever the seed", () => {
    const found = seeds.map((random) => modularity(graph, louvain(graph, random).communities));
    expect(Math.min(...found)).toBeGreaterThan(reference.louvain.worst - 0.01);
    expect(Math.max(...found)).toBeGreaterThan(reference.louvain.best - 0.001);
  });

  it("finds on average partitions as good as graphology's", () => {
    const detect = createRequire(import.meta.url)("graphology-communities-louvain") as Graphology;
    const theirs = new UndirectedGraph();
    for (let node = 0; node < reference.size; node++) theirs.addNode(node);
    for (const [from, to, weight] of reference.edges) theirs.addEdge(from, to, { weight });
    const found = (random: Random) => {
      const communities = detect(theirs, { getEdgeWeight: "weight", rng: random.next });
      return Uint32Array.from({ length: reference.size }, (_, node) => communities[node]!);
    };
    const mean = (split: (random: Random) => Uint32Array) =>
      seeds.reduce((sum, _, seed) => sum + modularity(graph, split(seeded(seed))), 0) / seeds.length;
    expect(mean((random) => louvain(graph, random).communities)).toBeGreaterThan(mean(found) - 0.01);
  });

  it("gives the same partition for the same seed, and another order of visits for another", () => {
    const partitions = seeds.map((random) => louvain(graph, random).communities.join());
    expect(seeds.map((_, seed) => louvain(graph, seeded(seed)).communities.join())).toEqual(partitions);
    expect(new Set(partitions).size).toBeGreaterThan(1);
  });

  it("numbers communities by size, then by first node, without gaps", () => {
    const { communities, count } = louvain(
      graphOf(7, [
        [1, 2, 1],
        [3, 4, 1],
        [4, 5, 1],
        [3, 5, 1],
      ]),
      seeded(3),
    );
    expect(count).toBe(4);
    expect([...communities]).toEqual([2, 1, 1, 0, 0, 0, 3]);
  });

  it("leaves every node alone where there are no edges, and accepts an empty graph", () => {
    expect(louvain(graphOf(3, []), seeded(1))).toEqual({ communities: Uint32Array.of(0, 1, 2), count: 3 });
    expect(louvain(graphOf(0, []), seeded(1)).count).toBe(0);
  });
});

function graphOf(size: number, edges: readonly (readonly [number, number, number])[]) {
  return compactGraph(size, {
    from: edges.map(([from]) => from),
    to: edges.map(([, to]) => to),
    weight: edges.map(([, , weight]) => weight),
  });
}

/**
 * How much more of the edges' weight lies within communities than chance would put there, -0.5..1; 0 for a graph
 * without edges. `communities` gives every node's community. Source: Newman & Girvan 2004, with a resolution.
 */
function modularity(graph: CompactGraph, communities: ArrayLike<number>, resolution = 1): number {
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

import { describe, expect, it } from "vitest";
import { type CompactGraph, compactGraph, weightedDegrees } from "../../../src/memory/graph/louvain.js";

const neighboursOf = (graph: CompactGraph, node: number) =>
  Array.from(graph.neighbours.subarray(graph.offsets[node], graph.offsets[node + 1]), (neighbour, i) => [
    neighbour,
    graph.weights[graph.offsets[node]! + i],
  ]);

describe("compactGraph", () => {
  it("gives every edge at both ends, neighbours ascending", () => {
    const graph = compactGraph(4, { from: [2, 0, 3], to: [0, 1, 2], weight: [5, 1, 2] });
    expect([0, 1, 2, 3].map((node) => neighboursOf(graph, node))).toEqual([
      [
        [1, 1],
        [2, 5],
      ],
      [[0, 1]],
      [
        [0, 5],
        [3, 2],
      ],
      [[2, 2]],
    ]);
  });

  it("adds up edges between the same two nodes, in either direction", () => {
    const graph = compactGraph(3, { from: [0, 1, 0, 0], to: [1, 0, 2, 1], weight: [1, 2, 7, 4] });
    expect(neighboursOf(graph, 0)).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect(neighboursOf(graph, 1)).toEqual([[0, 7]]);
  });

  it("counts an edge to itself apart, and twice in the node's degree", () => {
    const graph = compactGraph(3, { from: [0, 1, 1], to: [1, 1, 1], weight: [2, 3, 4] });
    expect([...graph.loops]).toEqual([0, 7, 0]);
    expect(neighboursOf(graph, 1)).toEqual([[0, 2]]);
    expect([...weightedDegrees(graph)]).toEqual([2, 16, 0]);
  });
});

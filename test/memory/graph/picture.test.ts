import { describe, expect, test } from "vitest";
import type { Subgraph, SubgraphEdge, SubgraphNode } from "../../../src/memory/graph/subgraph.js";
import { graphSvg, picturePart, ringPositions } from "../../../src/memory/graph/svg.js";

/** Event i holds concept i and i + 1, and is of category i % categories; concepts are in `community`. */
function ring(events: number, categories: number, community?: number): Subgraph {
  const group = community === undefined ? {} : { community };
  const at = (count: number, node: (i: number) => SubgraphNode) => Array.from({ length: count }, (_, i) => node(i));
  const edges = Array.from({ length: events }, (_, i): SubgraphEdge[] => [
    { source: "u", target: `e${i}`, weight: 1 },
    { source: `e${i}`, target: `k${i % categories}`, weight: 1 },
    { source: `e${i}`, target: `c${i}`, weight: 1 },
    { source: `e${i}`, target: `c${(i + 1) % events}`, weight: 1 },
  ]);
  return {
    nodes: [
      { id: "u", kind: "user", label: "zoe" },
      ...at(events, (i) => ({ id: `e${i}`, kind: "interaction", label: `event ${i}` })),
      ...at(categories, (i) => ({ id: `k${i}`, kind: "category", label: `category ${i}` })),
      ...at(events, (i) => ({ id: `c${i}`, kind: "concept", label: `concept ${i}`, ...group })),
    ],
    edges: edges.flat(),
  };
}
const kindOf = ({ nodes }: Subgraph, kind: string) => nodes.filter((node) => node.kind === kind).map(({ id }) => id);

describe("what is drawn of a neighbourhood", () => {
  test("is all of a small one, and nothing is said to be left out", () => {
    const small = ring(10, 3, 1);
    const { nodes, edges, left } = picturePart(small);
    expect(new Set(nodes)).toEqual(new Set(small.nodes));
    expect([edges.length, left]).toEqual([small.edges.length, []]);
  });

  test("of a large one is the latest events and the concepts most of them hold, and it says so", () => {
    const part = picturePart(ring(300, 3, 1));
    expect(kindOf(part, "interaction")).toEqual(Array.from({ length: 72 }, (_, i) => `e${228 + i}`));
    expect(part.left).toEqual(["the latest 72 of 300 events", "the most shared 60 of 300 concepts"]);
    const ids = new Set(part.nodes.map(({ id }) => id));
    expect(part.edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true);
  });

  test("leaves concepts without a community out where others have one", () => {
    const { nodes, edges } = ring(4, 1);
    const mixed = nodes.map((node) => (node.id === "c2" ? { ...node, community: 7 } : node));
    expect(kindOf(picturePart({ nodes: mixed, edges }), "concept")).toEqual(["c2"]);
    expect(kindOf(picturePart({ nodes, edges }), "concept")).toHaveLength(4);
  });
});

describe("the rings", () => {
  const part = picturePart(ring(300, 15, 1));
  const places = ringPositions(part);

  test("give every node a place of its own", () => {
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(part.nodes.length);
  });

  test.each(["concept", "category"])("keep neighbouring %s labels a line's height apart where they start", (kind) => {
    const at = kindOf(part, kind).map((id) => places.get(id) ?? { x: 0, y: 0, angle: 0 });
    const sorted = at.toSorted((a, b) => a.angle - b.angle);
    for (const [i, { x, y }] of sorted.entries()) {
      const next = sorted[(i + 1) % sorted.length] ?? { x: 0, y: 0 };
      expect(Math.hypot(next.x - x, next.y - y)).toBeGreaterThan(13);
    }
  });

  test("put events of a category side by side", () => {
    const category = new Map(
      part.edges.filter(({ target }) => target[0] === "k").map((edge) => [edge.source, edge.target]),
    );
    const around = kindOf(part, "interaction").toSorted(
      (a, b) => (places.get(a)?.angle ?? 0) - (places.get(b)?.angle ?? 0),
    );
    const changes = around.filter((id, i) => category.get(id) !== category.get(around.at(i - 1) ?? "")).length;
    expect(changes).toBe(15);
  });

  test("are drawn for tasks without categories and for users without a past", () => {
    const { nodes, edges } = ring(5, 1, 1);
    const plain = {
      nodes: nodes.filter(({ kind }) => kind !== "category"),
      edges: edges.filter(({ target }) => target !== "k0"),
    };
    expect(graphSvg(plain, "t").match(/<circle /g)).toHaveLength(11);
    const alone = graphSvg({ nodes: nodes.slice(0, 1), edges: [] }, "t");
    expect(alone.match(/<circle /g)).toHaveLength(1);
    expect(alone).not.toMatch(/NaN|undefined|Infinity/);
  });
});

import { UndirectedGraph } from "graphology";
import { describe, expect, test } from "vitest";
import { openTopicGraph } from "../../../src/memory/graph/shared-graph.js";
import { gexfLines, graphJsonLines, neighbourhood, wholeGraph, xml } from "../../../src/memory/graph/subgraph.js";
import { graphSvg } from "../../../src/memory/graph/svg.js";
import { fakeKit } from "../../helpers/kit.js";
import { article, news, pool, settings } from "./graph-fixtures.js";

const topics = () => openTopicGraph(settings(), fakeKit({ task: news, script: [], others: pool }).kit);
const joined = (lines: Iterable<string>): string => [...lines].join("\n");

describe("the exported graph", () => {
  test("has every node once and only edges between nodes", async () => {
    const { nodes, edges } = wholeGraph(await topics());
    const ids = nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(nodes.filter(({ kind }) => kind === "interaction")).toHaveLength(pool.length);
    expect(edges.every(({ source, target }) => ids.includes(source) && ids.includes(target))).toBe(true);
    expect(edges).toContainEqual({ source: "concept:Parkland", target: "concept:Florida", weight: 3 });
    expect(nodes.find(({ id }) => id === "concept:Mario")).toMatchObject({ community: 2 });
  });

  test("as JSON is what graphology imports", async () => {
    const whole = wholeGraph(await topics());
    const graph = new UndirectedGraph();
    graph.import(JSON.parse(joined(graphJsonLines(whole))));
    expect([graph.order, graph.size]).toEqual([whole.nodes.length, whole.edges.length]);
    expect(graph.getNodeAttributes("concept:Mario")).toEqual({ kind: "concept", label: "Mario", community: 2 });
  });

  test("as GEXF names each node with kind and community, each edge with its weight", async () => {
    const text = joined(gexfLines(wholeGraph(await topics())));
    expect(text).toContain(
      '<node id="concept:Mario" label="Mario"><attvalues><attvalue for="kind" value="concept"/><attvalue for="community" value="2"/></attvalues></node>',
    );
    expect(text).toContain('source="concept:Parkland" target="concept:Florida" weight="3"/>');
    expect(text).toContain('id="category:food &#38; drink"');
    expect(text.trimEnd().endsWith("</gexf>")).toBe(true);
  });

  test("an empty graph is a valid file too", () => {
    expect(JSON.parse(joined(graphJsonLines({ nodes: [], edges: [] })))).toMatchObject({ nodes: [], edges: [] });
  });
});

describe("a user's neighbourhood", () => {
  const events = [article("1", "by Mario & others", "travel"), article("2", "chef Mario <cooks>", "food & drink")];

  test("holds the user, the events, their categories, and what two events share", async () => {
    const { nodes, edges } = neighbourhood("zoe", events, await topics());
    expect(nodes.map(({ id }) => id)).toEqual([
      "user:zoe",
      "interaction:zoe:1",
      "category:travel",
      "concept:Mario",
      "interaction:zoe:2",
      "category:food & drink",
    ]);
    expect(edges).toHaveLength(6);
  });

  test("is drawn the same each time, with its texts escaped", async () => {
    const draw = async () => graphSvg(neighbourhood("zoe", events, await topics()), "zoe");
    const svg = await draw();
    expect(await draw()).toBe(svg);
    expect(svg.match(/<circle /g)).toHaveLength(6);
    expect(svg.match(/<line /g)).toHaveLength(6);
    expect(svg).toContain("Mario &#60;cooks&#62;");
    expect(svg).not.toContain("NaN");
  });
});

test("xml() keeps markup and characters that XML forbids out", () => {
  expect(xml(`<a href="x">'&`)).toBe("&#60;a href=&#34;x&#34;&#62;&#39;&#38;");
  expect(xml("a\u0000b\ud800c😀")).toBe("a\ufffdb\ufffdc😀");
});

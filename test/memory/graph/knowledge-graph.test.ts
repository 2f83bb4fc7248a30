import { describe, expect, test } from "vitest";
import { communitiesOf, coOccurrence, isTopical } from "../../../src/memory/graph/communities.js";
import { conceptReaders } from "../../../src/memory/graph/concepts.js";
import { type KnowledgeGraph, knowledgeGraph } from "../../../src/memory/graph/knowledge-graph.js";
import { communityReport, reportLine } from "../../../src/memory/graph/report.js";
import { seeded } from "../../../src/random/seeded.js";
import type { PoolEvent } from "../../../src/types/index.js";
import { article, pool } from "./graph-fixtures.js";

const category = ({ label }: { label?: string }): string | undefined => label;

async function graphOf(interactions: readonly PoolEvent[]): Promise<KnowledgeGraph> {
  return knowledgeGraph(interactions, { read: await conceptReaders.get("released").open(), category });
}
const cut = (graph: KnowledgeGraph) => communitiesOf(graph, seeded("louvain"));
const names = (graph: KnowledgeGraph, concepts: readonly number[]): string[] =>
  concepts.map((concept) => graph.concepts[concept]!.label);

describe("the knowledge graph", () => {
  test("joins interactions with their concepts and categories", async () => {
    const graph = await graphOf(pool);
    expect(names(graph, graph.conceptsOf(0))).toEqual(["The", "Parkland", "Florida"]);
    expect(graph.eventsOf(graph.conceptNumber("Parkland")!)).toEqual([0, 1, 2]);
    expect(graph.categories.get("food & drink")).toEqual([3, 4]);
  });
});

describe("co-occurrence", () => {
  test("counts interactions that hold both, and keeps pairs of two or more", async () => {
    const graph = await graphOf(pool);
    const edges = coOccurrence(graph);
    expect(edges.map(({ from, to, weight }) => [...names(graph, [from, to]), weight])).toEqual([
      ["Florida", "Parkland", 3],
      ["Mario", "Tuscany", 3],
    ]);
  });

  test("leaves out what is rare, everywhere, or a function word", async () => {
    const topical = (graph: KnowledgeGraph, key: string) => isTopical(graph.conceptNumber(key)!, graph);
    const graph = await graphOf(pool);
    expect(topical(graph, "Florida")).toBe(true); // in 3 of 15
    expect(topical(graph, "Bake")).toBe(false); // once
    expect(topical(graph, "The")).toBe(false); // twice, a stop word
    const small = await graphOf(pool.slice(0, 10));
    expect(topical(small, "Florida")).toBe(false); // 3 of 10 is more than 20 %
  });
});

describe("communities", () => {
  test("hold the concepts that go together and the interactions about them", async () => {
    const graph = await graphOf(pool);
    const { kept, found, ofConcept } = await cut(graph);
    expect(found).toBe(2);
    expect(kept.map(({ concepts, interactions }) => [names(graph, concepts), interactions])).toEqual([
      [
        ["Florida", "Parkland"],
        [0, 1, 2],
      ],
      [
        ["Mario", "Tuscany"],
        [3, 4, 5],
      ],
    ]);
    expect(ofConcept(graph.conceptNumber("Mario")!)?.id).toBe(2);
    expect(ofConcept(graph.conceptNumber("Bake")!)).toBeUndefined();
  });
});

test("communities depend on the seed alone, whatever order the pool comes in", async () => {
  const words = Array.from({ length: 40 }, (_, n) => `Name${"abcdefghij"[n % 10]}${"abcd"[Math.floor(n / 10)]}`);
  const draw = seeded("texts");
  const events = Array.from({ length: 200 }, (_, n) => ({
    owner: `u${n % 7}`,
    event: article(`e${n}`, `we saw ${draw.sample(words, 4).join(" and ")}`, "travel"),
  }));
  const found = async (interactions: readonly PoolEvent[], seed: string) => {
    const graph = await graphOf(interactions);
    const { kept } = await communitiesOf(graph, seeded(seed));
    return kept.map(({ concepts, interactions }) => `${names(graph, concepts)}: ${interactions.length}`);
  };
  const first = await found(events, "a");
  expect(first.length).toBeGreaterThan(3);
  expect(await found(draw.sample(events, events.length), "a")).toEqual(first);
  expect(await found(events, "b")).not.toEqual(first);
});

describe("a community report", () => {
  test("counts users, interactions and labels, and shows typical events of different users first", async () => {
    const graph = await graphOf(pool);
    const [first] = (await cut(graph)).kept;
    const report = communityReport(first!, graph, { hidden: () => false, samples: 2 });
    expect(reportLine(report, "article")).toBe("Florida, Parkland: 3 articles by 2 users; politics 67 %, crime 33 %");
    expect(report.samples.map(({ id }) => id)).toEqual(["a1", "b1"]);
  });

  test("knows nothing of what is hidden from the reader", async () => {
    const graph = await graphOf(pool);
    const [first] = (await cut(graph)).kept;
    const byAnn = (number: number): boolean => graph.events[number]!.owner === "ann";
    const report = communityReport(first!, graph, { hidden: byAnn, samples: 3 });
    expect(reportLine(report, "article")).toBe("Florida, Parkland: 1 article by 1 user; crime 100 %");
    expect(report.samples.map(({ id }) => id)).toEqual(["b1"]);
    const nothing = communityReport(first!, graph, { hidden: () => true, samples: 3 });
    expect(nothing).toMatchObject({ title: "", users: 0, interactions: 0, labels: [], samples: [] });
  });
});

test("a community is told by ln(N / df): one rare concept counts more than two frequent ones", async () => {
  const name = (n: number) => `Filler${"abcdefghij"[n % 10]}${"abcdefghij"[Math.floor(n / 10)]}`;
  const texts = Array.from({ length: 60 }, (_, n) =>
    n < 12 ? "we saw Paris and Quito" : n < 14 ? "we saw Rome and Sofia" : `we saw ${name(n)}`,
  );
  const graph = await graphOf(
    texts.map((text, n) => ({ owner: `u${n % 4}`, event: article(`e${n}`, text, "travel") })),
  );
  const found = await cut(graph);
  const of = (label: string) => graph.conceptNumber(label)!;
  // 2 ln(60/12) = 3.22 is below ln(60/2) = 3.40, but 2 ln(1 + 60/12) is above ln(1 + 60/2)
  const [home] = found.overlaps(["Paris", "Quito", "Rome"].map((label) => [of(label), 1] as const));
  expect(home?.community).toBe(found.ofConcept(of("Rome")));
});

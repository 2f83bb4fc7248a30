import { describe, expect, test } from "vitest";
import { communitiesOf, coOccurrence, isTopical } from "../../../src/memory/graph/communities.js";
import { conceptReaders } from "../../../src/memory/graph/concepts.js";
import { type Interaction, type KnowledgeGraph, knowledgeGraph } from "../../../src/memory/graph/knowledge-graph.js";
import { louvainSplit } from "../../../src/memory/graph/louvain.js";
import { communityReport, reportLine } from "../../../src/memory/graph/report.js";
import { seeded } from "../../../src/random/seeded.js";
import { article, pool } from "./graph-fixtures.js";

const category = ({ label }: { label?: string }): string | undefined => label;

async function graphOf(interactions: readonly Interaction[]): Promise<KnowledgeGraph> {
  return knowledgeGraph(interactions, { read: await conceptReaders.get("released").open(), category });
}
const cut = (graph: KnowledgeGraph) =>
  communitiesOf(
    graph,
    louvainSplit(seeded("louvain"), (_key, build) => build()),
  );
const names = (graph: KnowledgeGraph, concepts: readonly number[]): string[] =>
  concepts.map((concept) => graph.concepts[concept]!.label);

/** All that can be asked of a graph. */
const stateOf = (graph: KnowledgeGraph) => ({
  interactions: graph.interactions.map((interaction, number) => [
    interaction,
    graph.conceptsOf(number),
    graph.owners[graph.ownerNumber(number)],
    graph.categoryNumber(number),
    graph.interactionNumber(interaction.event),
  ]),
  concepts: graph.concepts.map((concept, number) => [
    concept,
    graph.interactionsOf(number),
    graph.conceptNumber(concept.key),
  ]),
  categories: [...graph.categories],
  coOccurrence: coOccurrence(graph),
});

describe("the knowledge graph", () => {
  test("joins interactions with their concepts and categories", async () => {
    const graph = await graphOf(pool);
    expect(names(graph, graph.conceptsOf(0))).toEqual(["The", "Parkland", "Florida"]);
    expect(graph.interactionsOf(graph.conceptNumber("Parkland")!)).toEqual([0, 1, 2]);
    expect(graph.categories.get("food & drink")).toEqual([3, 4]);
  });

  test.each([1, 2, 3])("grown one by one is, after each, what a rebuild would give (%i)", async (seed) => {
    const random = seeded(`growing graph ${seed}`);
    const names = ["Florida", "Parkland", "Mario", "Tuscany", "Rome", "The", "Bake", "laws"];
    const drawn = (from: readonly string[]): string => from[random.below(from.length)]!;
    const more = Array.from({ length: 12 }, (_, i) => {
      const text = Array.from({ length: 2 + random.below(6) }, () => drawn(names)).join(" and ");
      return {
        owner: drawn(["ann", "dan", "eve"]),
        event: article(`m${i}`, text, drawn(["politics", "travel", "pets"])),
      };
    });
    const extended = await graphOf(pool.slice(0, 5 * seed));
    const all = [...pool.slice(0, 5 * seed)];
    for (const interaction of more) {
      all.push(interaction);
      expect(extended.add(interaction)).toBe(all.length - 1);
      expect(stateOf(extended)).toEqual(stateOf(await graphOf(all)));
    }
  });
});

describe("co-occurrence", () => {
  test("counts interactions that hold both, and keeps pairs of two or more", async () => {
    const graph = await graphOf(pool);
    const { from, to, weights } = coOccurrence(graph);
    const edges = [...from].map((concept, edge) => [...names(graph, [concept, to[edge]!]).sort(), weights[edge]!]);
    expect(edges).toEqual([
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
    const byAnn = (number: number): boolean => graph.interactions[number]!.owner === "ann";
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
  expect(found.home(["Paris", "Quito", "Rome"].map((label) => [of(label), 1] as const))).toBe(
    found.ofConcept(of("Rome")),
  );
});

import { englishStopWords } from "../../text/tokens.js";
import type { Random } from "../../types/index.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";

/** Concepts that go together, and the interactions that are mostly about them. */
export interface Community {
  /** From 1, the one with the most interactions first. */
  readonly id: number;
  /** Concept numbers, the most frequent first, then by key. */
  readonly concepts: readonly number[];
  /** Interaction numbers, ascending. */
  readonly interactions: readonly number[];
  /** The same numbers; those that hold most of the community's concepts first, then ascending. */
  readonly typical: readonly number[];
}

export interface Communities {
  /** The largest ones, `id` 1 first. */
  readonly kept: readonly Community[];
  /** Number of communities with two concepts or more. */
  readonly found: number;
  /** Concept-concept edges behind them. */
  readonly edges: number;
  /** The kept community of a concept; undefined where it is in none. */
  ofConcept(concept: number): Community | undefined;
  /** Returns the overlaps of weighted concepts with the kept communities, largest first, equal ones by id; none of 0. */
  overlaps(concepts: Iterable<readonly [concept: number, weight: number]>): readonly Overlap[];
}

export interface Overlap {
  readonly community: Community;
  readonly overlap: number;
  /** The concepts that made it, the heaviest first. */
  readonly shared: readonly number[];
}

/** The largest communities are kept: so many of them (METHODS 8.3). */
export const MAX_COMMUNITIES = 30;

/** Divides the concepts into communities by their co-occurrence, by seeded Louvain. The order of the pool changes nothing. */
export async function communitiesOf(graph: KnowledgeGraph, random: Random): Promise<Communities> {
  const edges = coOccurrence(graph);
  const groups = await groupsOf(edges, graph, random);
  const groupOf = new Map(groups.flatMap((concepts, group) => concepts.map((concept) => [concept, group] as const)));
  const members = membersOf(graph, groupOf);
  const kept = groups
    .map((concepts, group) => ({ group, concepts, interactions: members.get(group) ?? [] }))
    .sort((a, b) => b.interactions.length - a.interactions.length || a.group - b.group)
    .slice(0, MAX_COMMUNITIES)
    .map(({ concepts, interactions, group }, index) => ({
      group,
      community: {
        id: index + 1,
        concepts: byFrequency(concepts, graph),
        interactions,
        typical: byConceptsHeld(interactions, new Set(concepts), graph),
      },
    }));
  const byGroup = new Map(kept.map(({ group, community }) => [group, community]));
  const ofConcept = (concept: number): Community | undefined => byGroup.get(groupOf.get(concept) ?? -1);
  return {
    kept: kept.map(({ community }) => community),
    found: groups.length,
    edges: edges.length,
    ofConcept,
    overlaps: (concepts) => overlapsWith(concepts, graph, ofConcept),
  };
}

/** Finds groups of two concepts or more, of high modularity, by Louvain. Groups and their concepts come in order of keys. */
async function groupsOf(edges: readonly ConceptEdge[], graph: KnowledgeGraph, random: Random): Promise<number[][]> {
  if (edges.length === 0) return []; // the package divides by their number
  const { UndirectedGraph } = await import("graphology");
  const { default: module } = await import("graphology-communities-louvain");
  const louvain = module as unknown as typeof module.default; // CommonJS without the `default` that its types name
  const network = new UndirectedGraph();
  for (const { from, to, weight } of edges) {
    network.mergeNode(from);
    network.mergeNode(to);
    const frequencies = graph.eventsOf(from).length * graph.eventsOf(to).length;
    network.addEdge(from, to, { weight: weight / Math.sqrt(frequencies) }); // cosine: else the most frequent draw all to them. Ours
  }
  const found = louvain(network, { getEdgeWeight: "weight", rng: random.next });
  const groups = new Map<number, number[]>();
  for (const concept of byKey(network.nodes().map(Number), graph)) append(groups, found[concept]!, concept); // every node has a group
  return [...groups.values()].filter((concepts) => concepts.length > 1);
}

/** Adds a value to the list of a key. */
function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Returns the idf of a concept, ln(N / df): 0 for one that every event holds. */
function idf(concept: number, graph: KnowledgeGraph): number {
  const frequency = graph.eventsOf(concept).length;
  return frequency === 0 ? 0 : Math.log(graph.events.length / frequency);
}

/** Each interaction is a member of one group: the one with the largest sum of `idf` over its concepts; of equal sums the smaller number. */
function membersOf(graph: KnowledgeGraph, groupOf: ReadonlyMap<number, number>): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (let interaction = 0; interaction < graph.events.length; interaction++) {
    const sums = new Map<number, number>();
    for (const concept of graph.conceptsOf(interaction)) {
      const group = groupOf.get(concept);
      if (group !== undefined) sums.set(group, (sums.get(group) ?? 0) + idf(concept, graph));
    }
    const [best] = [...sums].sort(([a, x], [b, y]) => y - x || a - b);
    if (best !== undefined) append(members, best[0], interaction);
  }
  return members;
}

function overlapsWith(
  concepts: Iterable<readonly [number, number]>,
  graph: KnowledgeGraph,
  ofConcept: (concept: number) => Community | undefined,
): Overlap[] {
  const found = new Map<Community, { overlap: number; shared: [concept: number, weight: number][] }>();
  for (const [concept, weight] of concepts) {
    const community = ofConcept(concept);
    const gain = weight * idf(concept, graph);
    if (community === undefined || !(gain > 0)) continue;
    const sofar = found.get(community) ?? { overlap: 0, shared: [] };
    sofar.overlap += gain;
    sofar.shared.push([concept, gain]);
    found.set(community, sofar);
  }
  return [...found]
    .map(([community, { overlap, shared }]) => ({
      community,
      overlap,
      shared: shared.sort(([a, x], [b, y]) => y - x || a - b).map(([concept]) => concept),
    }))
    .sort((a, b) => b.overlap - a.overlap || a.community.id - b.community.id);
}

const byFrequency = (concepts: readonly number[], graph: KnowledgeGraph): readonly number[] =>
  byKey(concepts, graph).toSorted((a, b) => graph.eventsOf(b).length - graph.eventsOf(a).length);

function byConceptsHeld(
  interactions: readonly number[],
  concepts: ReadonlySet<number>,
  graph: KnowledgeGraph,
): readonly number[] {
  return interactions
    .map((number) => ({
      number,
      held: graph.conceptsOf(number).reduce((count, concept) => count + (concepts.has(concept) ? 1 : 0), 0),
    }))
    .sort((a, b) => b.held - a.held) // stable: ties in the order of the pool
    .map(({ number }) => number);
}

/** Concepts in fewer interactions, or in a larger share of them, join no community (METHODS 8.3). */
const MIN_INTERACTIONS = 2;
const MAX_SHARE = 0.2;
/** Two concepts are joined by at least so many interactions (METHODS 8.3). */
const MIN_WEIGHT = 2;

/** Returns whether a concept may join a community: neither rare nor everywhere, and no function word at a sentence's start. */
export function isTopical(concept: number, graph: KnowledgeGraph): boolean {
  const frequency = graph.eventsOf(concept).length;
  const key = graph.concepts[concept]?.key ?? "";
  return (
    frequency >= MIN_INTERACTIONS &&
    frequency <= Math.max(MIN_INTERACTIONS, MAX_SHARE * graph.events.length) &&
    !englishStopWords.has(key.toLowerCase())
  );
}

/** A concept-concept edge; `weight`: interactions that hold both. */
interface ConceptEdge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** Counts all pairs of topical concepts, one concept's neighbours at a time: memory grows with edges, not with pairs. In order of keys. */
export function coOccurrence(graph: KnowledgeGraph): ConceptEdge[] {
  const topical = byKey(
    [...graph.concepts.keys()].filter((concept) => isTopical(concept, graph)),
    graph,
  );
  const ranks = new Int32Array(graph.concepts.length).fill(-1);
  for (const [rank, concept] of topical.entries()) ranks[concept] = rank;
  const together = new Uint32Array(topical.length); // by rank
  return topical.flatMap((from, rank) => {
    const met: number[] = [];
    for (const interaction of graph.eventsOf(from))
      for (const other of graph.conceptsOf(interaction)) {
        const otherRank = ranks[other]!;
        if (otherRank > rank && together[otherRank]!++ === 0) met.push(otherRank);
      }
    const edges = met
      .filter((other) => together[other]! >= MIN_WEIGHT)
      .sort((a, b) => a - b)
      .map((other) => ({ from, to: topical[other]!, weight: together[other]! }));
    for (const other of met) together[other] = 0;
    return edges;
  });
}

const byKey = (concepts: readonly number[], { concepts: all }: KnowledgeGraph): readonly number[] =>
  concepts.toSorted((a, b) => (all[a]!.key < all[b]!.key ? -1 : 1)); // numbers of the graph's concepts

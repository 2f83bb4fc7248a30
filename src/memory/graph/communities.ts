import { englishStopWords } from "../../text/tokens.js";
import type { Random } from "../../types/index.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import { compactGraph, louvain } from "./louvain.js";

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

/** Divides the concepts into communities by their co-occurrence, by seeded Louvain. */
export function communitiesOf(graph: KnowledgeGraph, random: Random): Communities {
  const { from, to, weights } = coOccurrence(graph);
  const compact = compactGraph(graph.concepts.length, { from, to, weight: weights });
  const partition = louvain(compact, random).communities;
  const groups = new Map<number, number[]>();
  for (const [concept, group] of partition.entries()) {
    const sofar = groups.get(group) ?? [];
    groups.set(group, sofar);
    sofar.push(concept);
  }
  const withTwoConcepts = new Map([...groups].filter(([, concepts]) => concepts.length > 1));
  const groupOf = (concept: number): number | undefined => {
    const group = partition[concept]; // undefined: in no community
    return group !== undefined && withTwoConcepts.has(group) ? group : undefined;
  };
  const members = membersOf(graph, groupOf);
  const kept = [...withTwoConcepts]
    .map(([group, concepts]) => ({ group, concepts, interactions: members.get(group) ?? [] }))
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
  const ofConcept = (concept: number): Community | undefined => byGroup.get(groupOf(concept) ?? -1);
  return {
    kept: kept.map(({ community }) => community),
    found: withTwoConcepts.size,
    edges: from.length,
    ofConcept,
    overlaps: (concepts) => overlapsWith(concepts, graph, ofConcept),
  };
}

/** Returns the idf of a concept, ln(N / df): 0 for one that every event holds. */
function idf(concept: number, graph: KnowledgeGraph): number {
  const frequency = graph.eventsOf(concept).length;
  return frequency === 0 ? 0 : Math.log(graph.events.length / frequency);
}

/** Each interaction is a member of one group: the one with the largest sum of `idf` over its concepts; of equal sums the smaller number. */
function membersOf(graph: KnowledgeGraph, groupOf: (concept: number) => number | undefined): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (let interaction = 0; interaction < graph.events.length; interaction++) {
    const sums = new Map<number, number>();
    for (const concept of graph.conceptsOf(interaction)) {
      const group = groupOf(concept);
      if (group !== undefined) sums.set(group, (sums.get(group) ?? 0) + idf(concept, graph));
    }
    const [best] = [...sums].sort(([a, x], [b, y]) => y - x || a - b);
    if (best === undefined) continue;
    const joined = members.get(best[0]) ?? [];
    members.set(best[0], joined);
    joined.push(interaction);
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

function byFrequency(concepts: readonly number[], graph: KnowledgeGraph): readonly number[] {
  const key = (concept: number): string => graph.concepts[concept]?.key ?? "";
  return concepts.toSorted((a, b) => graph.eventsOf(b).length - graph.eventsOf(a).length || (key(a) < key(b) ? -1 : 1));
}

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

/** Concept-concept edges: `from[i] < to[i]` are concept numbers, `weights[i]` the interactions that hold both. */
interface ConceptEdges {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly weights: readonly number[];
}

/** Counts all pairs of topical concepts, one concept's neighbours at a time: memory grows with edges, not with pairs. */
export function coOccurrence(graph: KnowledgeGraph): ConceptEdges {
  const topical = Uint8Array.from(graph.concepts, (_, concept) => (isTopical(concept, graph) ? 1 : 0));
  const together = new Uint32Array(graph.concepts.length);
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  for (let concept = 0; concept < topical.length; concept++) {
    if (topical[concept] === 0) continue;
    const met: number[] = [];
    for (const interaction of graph.eventsOf(concept))
      for (const other of graph.conceptsOf(interaction))
        if (other > concept && topical[other] === 1) {
          const count = together[other] ?? 0;
          if (count === 0) met.push(other);
          together[other] = count + 1;
        }
    for (const other of met.sort((a, b) => a - b)) {
      const weight = together[other] ?? 0;
      together[other] = 0;
      if (weight < MIN_WEIGHT) continue;
      from.push(concept);
      to.push(other);
      weights.push(weight);
    }
  }
  return { from, to, weights };
}

import { englishStopWords } from "../../text/stop-words.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";

/** Concept-concept edges: `from[i] < to[i]` are concept numbers, `weights[i]` the interactions that hold both. */
export interface ConceptEdges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly weights: Float64Array;
}

/** Concepts in fewer interactions, or in a larger share of them, join no community (METHODS 8.3). */
const MIN_INTERACTIONS = 2;
const MAX_SHARE = 0.2;
/** Two concepts are joined by at least so many interactions (METHODS 8.3). */
const MIN_WEIGHT = 2;

/** Whether a concept may join a community: neither rare nor everywhere, and no function word at a sentence's start. */
export function isTopical(concept: number, graph: KnowledgeGraph): boolean {
  const frequency = graph.interactionsOf(concept).length;
  const key = graph.concepts[concept]?.key ?? "";
  return (
    frequency >= MIN_INTERACTIONS &&
    frequency <= Math.max(MIN_INTERACTIONS, MAX_SHARE * graph.interactions.length) &&
    !englishStopWords.has(key.toLowerCase())
  );
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
    for (const interaction of graph.interactionsOf(concept))
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
  return { from: Uint32Array.from(from), to: Uint32Array.from(to), weights: Float64Array.from(weights) };
}

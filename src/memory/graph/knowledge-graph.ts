import type { Event, PoolEvent } from "../../types/index.js";
import type { Concept, ReadConcepts } from "./concepts.js";

/**
 * Interactions, concepts and categories (PersonaAgent with GraphRAG, knowledge graph construction). Interaction-concept and
 * interaction-category edges are kept as numbers on either side; concept-concept edges are counted from them when
 * communities are looked for. Concepts and interactions are numbered from 0 in the order in which they came.
 */
export interface KnowledgeGraph {
  readonly events: readonly PoolEvent[];
  readonly concepts: readonly Concept[];
  /** Interactions by category, in order of first use; empty where the task's labels are no categories. */
  readonly categories: ReadonlyMap<string, readonly number[]>;
  /** Everybody who did something, by number. */
  readonly owners: readonly string[];
  /** The number of an interaction's owner, and of its category (index into `categories`; -1: none). Numbers, because many are counted. */
  ownerNumber(interaction: number): number;
  categoryNumber(interaction: number): number;
  /** The concepts of an interaction, in order of mention. */
  conceptsOf(interaction: number): readonly number[];
  /** The interactions of a concept, ascending. */
  eventsOf(concept: number): readonly number[];
  conceptNumber(key: string): number | undefined;
  /** The concepts of any text, known to the graph or not. */
  read: ReadConcepts;
}

interface GraphReading {
  readonly read: ReadConcepts;
  /** The category of an event; undefined: it has none. */
  category(event: Event): string | undefined;
}

/** Builds the graph of these interactions, in their order. Each text is read once. */
export function knowledgeGraph(interactions: Iterable<PoolEvent>, { read, category }: GraphReading): KnowledgeGraph {
  const nodes: PoolEvent[] = [];
  const concepts: Concept[] = [];
  const conceptNumbers = new Map<string, number>();
  const conceptsBy: number[][] = [];
  const interactionsBy: number[][] = [];
  const categories = new Map<string, number[]>();
  const categoryNumbers = new Map<string, number>();
  const categoryBy: number[] = [];
  const owners = new Map<string, number>();
  const ownerBy: number[] = [];

  const numberOf = (concept: Concept): number => {
    const number = numberIn(conceptNumbers, concept.key);
    if (number === concepts.length) {
      concepts.push(concept);
      interactionsBy.push([]);
    }
    return number;
  };
  for (const interaction of interactions) {
    const { owner, event } = interaction;
    const node = nodes.push(interaction) - 1;
    ownerBy.push(numberIn(owners, owner));
    const mentioned = read(event.document).map(numberOf);
    conceptsBy.push(mentioned);
    for (const concept of mentioned) interactionsBy[concept]?.push(node);
    const name = category(event);
    categoryBy.push(name === undefined ? -1 : numberIn(categoryNumbers, name));
    if (name === undefined) continue;
    const members = categories.get(name) ?? [];
    categories.set(name, members);
    members.push(node);
  }

  return {
    events: nodes,
    concepts,
    categories,
    owners: [...owners.keys()],
    ownerNumber: (interaction) => ownerBy[interaction] ?? -1,
    categoryNumber: (interaction) => categoryBy[interaction] ?? -1,
    conceptsOf: (interaction) => conceptsBy[interaction] ?? [],
    eventsOf: (concept) => interactionsBy[concept] ?? [],
    conceptNumber: (key) => conceptNumbers.get(key),
    read,
  };
}

/** Returns the number of a name, the next one where it is new. */
function numberIn(numbers: Map<string, number>, name: string): number {
  const number = numbers.get(name) ?? numbers.size;
  numbers.set(name, number);
  return number;
}

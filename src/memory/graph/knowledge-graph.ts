import type { Event } from "../../types/index.js";
import type { Concept, ReadConcepts } from "./concepts.js";

/** What a user did once: a node of the graph. */
export interface Interaction {
  readonly owner: string;
  readonly event: Event;
}

/**
 * Interactions, concepts and categories (PersonaAgent with GraphRAG, knowledge graph construction). Interaction-concept and
 * interaction-category edges are kept as numbers on either side; concept-concept edges are counted from them when
 * communities are looked for. Concepts and interactions are numbered from 0 in the order in which they came.
 */
export interface KnowledgeGraph {
  readonly interactions: readonly Interaction[];
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
  interactionsOf(concept: number): readonly number[];
  conceptNumber(key: string): number | undefined;
  /** The number of an event, by identity. */
  interactionNumber(event: Event): number | undefined;
  /** The concepts of any text, known to the graph or not. */
  read: ReadConcepts;
  /** Adds one interaction with its edges, without a rebuild. Returns its number. */
  add(interaction: Interaction): number;
}

interface GraphReading {
  readonly read: ReadConcepts;
  /** The category of an event; undefined: it has none. */
  category(event: Event): string | undefined;
}

/** Builds the graph of these interactions, in their order. Each text is read once. */
export function knowledgeGraph(interactions: Iterable<Interaction>, { read, category }: GraphReading): KnowledgeGraph {
  const nodes: Interaction[] = [];
  const numbers = new Map<Event, number>();
  const concepts: Concept[] = [];
  const conceptNumbers = new Map<string, number>();
  const conceptsBy: number[][] = [];
  const interactionsBy: number[][] = [];
  const categories = new Map<string, number[]>();
  const categoryNumbers = new Map<string, number>();
  const categoryBy: number[] = [];
  const ownerNumbers = new Map<string, number>();
  const owners: string[] = [];
  const ownerBy: number[] = [];

  const numberOf = (concept: Concept): number => {
    const known = conceptNumbers.get(concept.key);
    if (known !== undefined) return known;
    conceptNumbers.set(concept.key, concepts.length);
    interactionsBy.push([]);
    return concepts.push(concept) - 1;
  };
  const add = (interaction: Interaction): number => {
    const node = nodes.push(interaction) - 1;
    const { owner, event } = interaction;
    numbers.set(event, node);
    const ownerNumber = ownerNumbers.get(owner) ?? owners.push(owner) - 1;
    ownerNumbers.set(owner, ownerNumber);
    ownerBy.push(ownerNumber);
    const mentioned = read(event.document).map(numberOf);
    conceptsBy.push(mentioned);
    for (const concept of mentioned) interactionsBy[concept]?.push(node);
    const name = category(event);
    if (name === undefined) categoryBy.push(-1);
    else {
      const members = categories.get(name) ?? [];
      categories.set(name, members);
      members.push(node);
      const number = categoryNumbers.get(name) ?? categoryNumbers.size;
      categoryNumbers.set(name, number);
      categoryBy.push(number);
    }
    return node;
  };
  for (const interaction of interactions) add(interaction);

  return {
    interactions: nodes,
    concepts,
    categories,
    owners,
    ownerNumber: (interaction) => ownerBy[interaction] ?? -1,
    categoryNumber: (interaction) => categoryBy[interaction] ?? -1,
    conceptsOf: (interaction) => conceptsBy[interaction] ?? [],
    interactionsOf: (concept) => interactionsBy[concept] ?? [],
    conceptNumber: (key) => conceptNumbers.get(key),
    interactionNumber: (event) => numbers.get(event),
    read,
    add,
  };
}

import type { Subgraph, SubgraphNode } from "./subgraph.js";

/** The part of a neighbourhood that is drawn. */
interface PicturePart extends Subgraph {
  /** How many are drawn of how many, e.g. `the latest 72 of 312 events`. Empty where all is drawn. */
  readonly left: readonly string[];
}

/**
 * As much of a neighbourhood as stays legible: the latest events, and of the concepts in communities those that most of
 * them hold. Concepts in no community stand everywhere or hardly anywhere; they are drawn only where there are no others.
 */
export function picturePart({ nodes, edges }: Subgraph): PicturePart {
  const of = (kind: SubgraphNode["kind"]) => nodes.filter((node) => node.kind === kind);
  const events = of("interaction").slice(-EVENTS);
  const shown = new Set(events.map(({ id }) => id));
  const held = new Map<string, number>();
  for (const { source, target } of edges) if (shown.has(source)) held.set(target, (held.get(target) ?? 0) + 1);
  const count = ({ id }: SubgraphNode): number => held.get(id) ?? 0;
  const shared = of("concept").filter((concept) => count(concept) > 0);
  const grouped = shared.filter(({ community }) => community !== undefined);
  const telling = grouped.length > 0 ? grouped : shared;
  const concepts = telling.toSorted((a, b) => count(b) - count(a)).slice(0, CONCEPTS); // stable: ties in order of mention
  const categories = of("category").filter((category) => count(category) > 0);
  const kept = [...of("user"), ...events, ...categories, ...concepts];
  const ids = new Set(kept.map(({ id }) => id));
  return {
    nodes: kept,
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
    left: [
      ...partOf("the latest", events.length, of("interaction").length, "events"),
      ...partOf("the most shared", concepts.length, of("concept").length, "concepts"),
    ],
  };
}

const EVENTS = 72;
const CONCEPTS = 60;

const partOf = (which: string, drawn: number, all: number, noun: string): string[] =>
  drawn === all ? [] : [`${which} ${drawn} of ${all} ${noun}`];

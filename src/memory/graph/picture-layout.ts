import type { Subgraph, SubgraphNode } from "./subgraph.js";

export interface Position {
  readonly x: number;
  readonly y: number;
  /** Degrees, clockwise from the right. */
  readonly angle: number;
}

/**
 * The user in the middle, around it rings of categories, events and concepts. Events stand beside others of their category,
 * concepts beside others of their community, so that what belongs together lies together. By node id.
 */
export function ringPositions({ nodes, edges }: Subgraph): ReadonlyMap<string, Position> {
  const positions = new Map<string, Position>();
  const neighbours = neighboursOf(edges);
  const of = (kind: SubgraphNode["kind"]) => nodes.filter((node) => node.kind === kind);
  for (const { id } of of("user")) positions.set(id, positionOn(0, 0));
  placeEvents(of("interaction"), of("category"), neighbours, positions);
  const concepts = byCommunity(of("concept"), neighbours, positions);
  for (const [index, { id }] of concepts.entries())
    positions.set(id, positionOn(RADII.concept, index / concepts.length));
  return positions;
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

const RADII = { category: 105, interaction: 265, concept: 365 } as const;
/** The least share of the circle that a category gets, so that labels of rare ones do not run into each other. */
const LEAST_SHARE = 1 / 24;

/** `turn`: share of the full circle. */
function positionOn(radius: number, turn: number): Position {
  const radians = 2 * Math.PI * turn;
  return {
    x: rounded(radius * Math.cos(radians)),
    y: rounded(radius * Math.sin(radians)),
    angle: rounded(360 * turn),
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

function neighboursOf(edges: Subgraph["edges"]): Neighbours {
  const found = new Map<string, string[]>();
  const add = (from: string, to: string) => {
    const known = found.get(from);
    if (known === undefined) found.set(from, [to]);
    else known.push(to);
  };
  for (const { source, target } of edges) {
    add(source, target);
    add(target, source);
  }
  return found;
}

/** Each category has a sector as wide as its events are many; events without one share a sector of their own. */
function placeEvents(
  events: readonly SubgraphNode[],
  categories: readonly SubgraphNode[],
  neighbours: Neighbours,
  positions: Map<string, Position>,
): void {
  const sectors = categories.map(({ id }) => ({
    id,
    members: events.filter((event) => neighbours.get(id)?.includes(event.id)),
  }));
  const placed = new Set(sectors.flatMap(({ members }) => members));
  const rest = events.filter((event) => !placed.has(event));
  const all = [...sectors, { id: undefined, members: rest }]
    .filter(({ members }) => members.length > 0)
    .sort((a, b) => b.members.length - a.members.length);
  const widths = all.map(({ members }) => Math.max(members.length, LEAST_SHARE * events.length));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let start = 0;
  for (const [sector, { id, members }] of all.entries()) {
    const width = (widths[sector] ?? 0) / total;
    if (id !== undefined) positions.set(id, positionOn(RADII.category, start + width / 2));
    for (const [index, event] of members.entries())
      positions.set(event.id, positionOn(RADII.interaction, start + (width * (index + 0.5)) / members.length));
    start += width;
  }
}

/** Communities in the order of the directions in which their events lie, and so their concepts. */
function byCommunity(
  concepts: readonly SubgraphNode[],
  neighbours: Neighbours,
  positions: ReadonlyMap<string, Position>,
): SubgraphNode[] {
  const directionOf = (members: readonly SubgraphNode[]): number => {
    const around = members.flatMap(({ id }) => neighbours.get(id) ?? []).flatMap((id) => positions.get(id) ?? []);
    const angle = Math.atan2(sum(around.map(({ y }) => y)), sum(around.map(({ x }) => x)));
    return angle < 0 ? angle + 2 * Math.PI : angle;
  };
  const groups = new Map<number | undefined, SubgraphNode[]>();
  for (const concept of concepts) groups.set(concept.community, [...(groups.get(concept.community) ?? []), concept]);
  const sorted = (members: readonly SubgraphNode[]) =>
    members.toSorted((a, b) => directionOf([a]) - directionOf([b]) || (a.id < b.id ? -1 : 1));
  return [...groups.values()].toSorted((a, b) => directionOf(a) - directionOf(b)).flatMap(sorted);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

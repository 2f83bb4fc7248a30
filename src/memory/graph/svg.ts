import { type Subgraph, type SubgraphEdge, type SubgraphNode, xml } from "./subgraph.js";

/**
 * A picture of a user's neighbourhood: the user in the middle, categories, events and concepts on rings around, concepts
 * coloured by community. Large ones are drawn in part, and say so. Same graph, same picture.
 */
export function graphSvg(subgraph: Subgraph, title: string): string {
  const part = picturePart(subgraph);
  const positions = ringPositions(part);
  const colours = communityColours(part.nodes);
  const byId = new Map(part.nodes.map((node) => [node.id, node]));
  const lines = part.edges.map((edge) => line(edge, positions, colours.of(byId.get(edge.target))));
  const shapes = part.nodes.map((node) => shape(node, positions.get(node.id) ?? CENTRE, colours.of(node)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF + FOOT}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${xml(title)}</title>`,
    `<rect x="${-HALF}" y="${-HALF}" width="${2 * HALF}" height="${2 * HALF + FOOT}" fill="#fff"/>`,
    `<g stroke-opacity="0.4">${lines.join("")}</g>`,
    ...shapes,
    ...caption(title, part.left, colours.legend),
    "</svg>",
    "",
  ].join("\n");
}

const CENTRE: Position = { x: 0, y: 0, angle: 0 };
const HALF = 540;
/** Room for the caption. */
const FOOT = 80;
const GREY = "#999";
/** Okabe and Ito's palette, which colour-blind readers can tell apart, without the colours that white or text swallow. */
const COMMUNITY_FILLS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/** A white seam keeps text legible across lines. */
const SEAM = 'stroke="#fff" stroke-width="3" paint-order="stroke"';

interface Colours {
  of(node: SubgraphNode | undefined): string;
  readonly legend: readonly { readonly fill: string; readonly text: string }[];
}

/** The communities with most concepts here get a colour each. */
function communityColours(nodes: readonly SubgraphNode[]): Colours {
  const groups = new Map<number, string[]>();
  for (const { community, label } of nodes)
    if (community !== undefined) groups.set(community, [...(groups.get(community) ?? []), label]);
  const largest = [...groups]
    .sort(([a, x], [b, y]) => y.length - x.length || a - b)
    .slice(0, COMMUNITY_FILLS.length)
    .map(([community, labels], index) => ({ community, labels, fill: COMMUNITY_FILLS[index] ?? GREY }));
  const fills = new Map(largest.map(({ community, fill }) => [community, fill]));
  return {
    of: (node) => fills.get(node?.community ?? 0) ?? GREY,
    legend: largest.map(({ community, labels, fill }) => ({
      fill,
      text: cut(`${community}: ${labels.slice(0, 3).join(", ")}`, LEGEND_CHARS),
    })),
  };
}

function line({ source, target }: SubgraphEdge, positions: ReadonlyMap<string, Position>, stroke: string): string {
  const [from, to] = [positions.get(source) ?? CENTRE, positions.get(target) ?? CENTRE];
  return `<line x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}" stroke="${stroke}"/>`;
}

function shape(node: SubgraphNode, position: Position, fill: string): string {
  return drawings[node.kind](node, position, fill);
}

/** Events are too many to be named: their text shows when pointed at. */
const drawings: Readonly<
  Record<SubgraphNode["kind"], (node: SubgraphNode, position: Position, fill: string) => string>
> = {
  user: (node, position) =>
    `${circle(node, position, 12, "#222")}<text y="-18" text-anchor="middle" font-weight="bold" ${SEAM}>${xml(node.label)}</text>`,
  category: (node, position) =>
    `${circle(node, position, 7, "#222")}${radialText(node, position, ' font-weight="bold"')}`,
  interaction: (node, position) => circle(node, position, 4, "#555"),
  concept: (node, position, fill) => `${circle(node, position, 6, fill)}${radialText(node, position, "")}`,
};

const circle = ({ label }: SubgraphNode, { x, y }: Position, radius: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"><title>${xml(label)}</title></circle>`;

/** Outwards from its dot, never upside down. */
function radialText({ label }: SubgraphNode, { x, y, angle }: Position, style: string): string {
  const flipped = angle > 90 && angle < 270;
  const turn = `transform="translate(${x} ${y}) rotate(${flipped ? angle - 180 : angle})"`;
  const text = cut(label, LABEL_CHARS);
  return `<text ${turn} x="${flipped ? -11 : 11}" dy="4" text-anchor="${flipped ? "end" : "start"}"${style} ${SEAM}>${xml(text)}</text>`;
}

const LABEL_CHARS = 22;
/** What a third of the width holds. */
const LEGEND_CHARS = 44;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

function caption(title: string, left: readonly string[], legend: Colours["legend"]): string[] {
  const caption = [title, ...left].join(" · ");
  const third = (2 * HALF - 40) / 3;
  const entries = legend.map(({ fill, text }, index) => {
    const [x, y] = [20 - HALF + (index % 3) * third, HALF + 30 + 22 * Math.floor(index / 3)];
    return `<rect x="${x}" y="${y - 10}" width="11" height="11" fill="${fill}"/><text x="${x + 17}" y="${y}">${xml(text)}</text>`;
  });
  return [`<text x="${20 - HALF}" y="${HALF + 4}" font-weight="bold">${xml(caption)}</text>`, ...entries];
}

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

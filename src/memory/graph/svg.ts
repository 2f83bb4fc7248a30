import { xml } from "./gexf.js";
import { type Position, ringPositions } from "./picture-layout.js";
import type { Subgraph, SubgraphEdge, SubgraphNode } from "./subgraph.js";

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

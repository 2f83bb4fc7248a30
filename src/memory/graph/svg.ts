import type { Subgraph, SubgraphNode } from "./subgraph.js";
import { xml } from "./xml.js";

/**
 * A picture of a user's neighbourhood: the user in the middle, categories, events and concepts on rings around, concepts
 * coloured by community. Same graph, same picture.
 */
export function graphSvg({ nodes, edges }: Subgraph, title: string): string {
  const places = new Map<string, Place>();
  for (const kind of KINDS) {
    const ring = nodes.filter((node) => node.kind === kind);
    for (const [index, { id }] of ring.entries()) places.set(id, placeOn(RADII[kind], index, ring.length));
  }
  const lines = edges.flatMap(({ source, target }) => {
    const [from, to] = [places.get(source), places.get(target)];
    if (from === undefined || to === undefined) return [];
    return `<line x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/>`;
  });
  const dots = nodes.map((node) => dot(node, places.get(node.id) ?? { x: 0, y: 0, angle: 0 }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}" font-family="sans-serif" font-size="11" role="img">`,
    `<title>${xml(title)}</title>`,
    `<rect x="${-HALF}" y="${-HALF}" width="${2 * HALF}" height="${2 * HALF}" fill="#fff"/>`,
    `<g stroke="#999" stroke-opacity="0.35">${lines.join("")}</g>`,
    ...dots,
    "</svg>",
    "",
  ].join("\n");
}

// --- internal ---

interface Place {
  readonly x: number;
  readonly y: number;
  /** Degrees. */
  readonly angle: number;
}

const HALF = 560;
const KINDS = ["user", "category", "interaction", "concept"] as const;
const RADII: Readonly<Record<SubgraphNode["kind"], number>> = {
  user: 0,
  category: 110,
  interaction: 250,
  concept: 380,
};
const SIZES: Readonly<Record<SubgraphNode["kind"], number>> = { user: 12, category: 8, interaction: 4, concept: 5 };
const FILLS: Readonly<Record<SubgraphNode["kind"], string>> = {
  user: "#222",
  category: "#d55e00",
  interaction: "#56b4e9",
  concept: "#999",
};
/** Okabe and Ito's palette, which colour-blind readers can tell apart. */
const COMMUNITY_FILLS = ["#0072b2", "#009e73", "#cc79a7", "#e69f00", "#f0e442", "#000"];

function placeOn(radius: number, index: number, count: number): Place {
  const turn = (2 * Math.PI * index) / count;
  return {
    x: rounded(radius * Math.cos(turn)),
    y: rounded(radius * Math.sin(turn)),
    angle: rounded((turn * 180) / Math.PI),
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Events are too many to be named: their text shows when pointed at. */
function dot({ kind, label, community }: SubgraphNode, { x, y, angle }: Place): string {
  const fill = community === undefined ? FILLS[kind] : COMMUNITY_FILLS[(community - 1) % COMMUNITY_FILLS.length];
  const circle = `<circle cx="${x}" cy="${y}" r="${SIZES[kind]}" fill="${fill}"><title>${xml(label)}</title></circle>`;
  if (kind === "interaction") return circle;
  if (kind !== "concept")
    return `${circle}<text x="${x}" y="${y - SIZES[kind] - 3}" text-anchor="middle">${xml(label)}</text>`;
  const flipped = angle > 90 && angle < 270;
  const turn = `transform="translate(${x} ${y}) rotate(${flipped ? angle - 180 : angle})"`;
  return `${circle}<text ${turn} x="${flipped ? -9 : 9}" dy="4" text-anchor="${flipped ? "end" : "start"}">${xml(label)}</text>`;
}

import type { Event } from "../../types/index.js";
import { brief } from "./report.js";
import type { TopicGraph } from "./shared-graph.js";

const EVENTS = 72;
const CONCEPTS = 60;
const CHARS = 80;
const LABEL_CHARS = 22;
const RADII = { category: 105, event: 265, concept: 365 } as const;
const HALF = 540;
const GREY = "#999";
/** Okabe and Ito's colours without black and yellow (Color Universal Design, 2008). */
const FILLS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/**
 * Draws a user's part of the graph as SVG: the user in the middle, around it the categories of the latest events, these events,
 * and the concepts that most of them hold, coloured by community.
 */
export function neighbourhoodSvg(user: string, history: readonly Event[], topics: TopicGraph): string {
  const { graph, category } = topics;
  const events = history
    .slice(-EVENTS)
    .map((event) => ({
      text: brief(event, CHARS),
      category: category(event) ?? "",
      concepts: graph.read(event.document),
    }))
    .sort((a, b) => (a.category < b.category ? -1 : Number(a.category > b.category))); // stable: in order of time
  const categories = [...new Set(events.map((event) => event.category))].filter((name) => name !== "");
  const concepts = sharedConcepts(
    events.flatMap((event) => event.concepts),
    topics,
  );
  const places = {
    category: ring(RADII.category, categories),
    event: ring(RADII.event, events),
    concept: ring(
      RADII.concept,
      concepts.map(({ key }) => key),
    ),
  };
  const lines = events.flatMap((event) => {
    const from = places.event.get(event) ?? CENTRE;
    const ends = [places.category.get(event.category), ...event.concepts.map(({ key }) => places.concept.get(key))];
    return [CENTRE, ...ends].flatMap((to) => (to === undefined ? [] : line(from, to)));
  });
  const title = `The graph around user ${user}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${xml(title)}</title>`,
    `<rect x="${-HALF}" y="${-HALF}" width="${2 * HALF}" height="${2 * HALF}" fill="#fff"/>`,
    `<g stroke="${GREY}" stroke-opacity="0.4">${lines.join("")}</g>`,
    ...events.map((event) => circle(places.event.get(event), event.text, 4, "#555")),
    ...categories.map((name) => labelled(places.category.get(name), name, 7, "#222")),
    ...concepts.map(({ key, label, fill }) => labelled(places.concept.get(key), label, 6, fill)),
    labelled(CENTRE, user, 12, "#222"),
    `<text x="${20 - HALF}" y="${HALF - 20}" font-weight="bold">${xml(`${title}: ${events.length} of ${history.length} events`)}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the concepts that at least two mentions name, the most frequent ones, sorted by community. */
function sharedConcepts(
  mentions: readonly { readonly key: string; readonly label: string }[],
  { graph, communities }: TopicGraph,
) {
  const counts = new Map<string, number>();
  for (const { key } of mentions) counts.set(key, (counts.get(key) ?? 0) + 1);
  const labels = new Map(mentions.map(({ key, label }) => [key, label]));
  const communityOf = (key: string): number | undefined => {
    const number = graph.conceptNumber(key);
    return number === undefined ? undefined : communities.ofConcept(number)?.id;
  };
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([, a], [, b]) => b - a)
    .slice(0, CONCEPTS)
    .map(([key]) => ({ key, label: labels.get(key) ?? key, community: communityOf(key) }))
    .sort((a, b) => (a.community ?? Number.MAX_VALUE) - (b.community ?? Number.MAX_VALUE))
    .map((concept) => ({
      ...concept,
      fill: concept.community === undefined ? GREY : (FILLS[concept.community % FILLS.length] ?? GREY),
    }));
}

interface Place {
  readonly x: number;
  readonly y: number;
  /** Degrees, clockwise from the right. */
  readonly angle: number;
}

const CENTRE: Place = { x: 0, y: 0, angle: 0 };

/** Places things evenly on a circle. */
function ring<T>(radius: number, things: readonly T[]): ReadonlyMap<T, Place> {
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  return new Map(
    things.map((thing, index) => {
      const turn = index / things.length;
      const [x, y] = [radius * Math.cos(2 * Math.PI * turn), radius * Math.sin(2 * Math.PI * turn)];
      return [thing, { x: rounded(x), y: rounded(y), angle: rounded(360 * turn) }];
    }),
  );
}

const line = (from: Place, to: Place): string => `<line x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/>`;

const circle = ({ x, y }: Place = CENTRE, text: string, radius: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"><title>${xml(text)}</title></circle>`;

/** Draws a circle with its text, which runs outwards and is never upside down. */
function labelled(place: Place = CENTRE, text: string, radius: number, fill: string): string {
  const { x, y, angle } = place;
  const isFlipped = angle > 90 && angle < 270;
  const turn = `transform="translate(${x} ${y}) rotate(${isFlipped ? angle - 180 : angle})"`;
  const start = `x="${isFlipped ? -radius - 5 : radius + 5}" dy="4" text-anchor="${isFlipped ? "end" : "start"}"`;
  const label = text.length <= LABEL_CHARS ? text : `${text.slice(0, LABEL_CHARS - 1)}…`;
  return `${circle(place, text, radius, fill)}<text ${turn} ${start} stroke="#fff" stroke-width="3" paint-order="stroke">${xml(label)}</text>`;
}

/** Escapes text for XML. Characters that XML 1.0 forbids, lone surrogates among them, become U+FFFD. */
function xml(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

import { seeded } from "../../random/seeded.js";
import { armLabel } from "../../results/arms.js";
import { html } from "../html.js";
import { axisOf } from "./axis.js";
import { type Chart, type ChartInput, fileSafe, marked } from "./chart.js";
import { label, legend, type Picture, seriesDot } from "./svg.js";
import { tsne } from "./tsne.js";

/** Fewest points of which a map says anything. */
const MIN_MAPPED = 5;

/**
 * Exact t-SNE of the final personas and the initial template in the plane, perplexity min(30, (M - 1) / 3) for M points; one an arm.
 * Source: METHODS 7.7, PersonaAgent Fig. 2.
 */
export async function personaMap({ personas, seed }: ChartInput): Promise<Chart[]> {
  const sets = await personas();
  return sets.flatMap(({ arm, names, vectors, encoder }): Chart[] => {
    if (vectors.length < MIN_MAPPED) return [];
    const perplexity = Math.min(30, (vectors.length - 1) / 3);
    const { points, divergence } = tsne(vectors, { perplexity, random: seeded(`${seed}/persona-map`) });
    const { task, dataset } = arm;
    const note = [
      `Exact t-SNE of ${names.length} final personas and of what all first ones share, encoder ${encoder},`,
      `perplexity ${Number(perplexity.toFixed(2))}, divergence ${divergence.toFixed(3)}.`,
      "Near points are alike; directions and distances between groups mean nothing.",
    ];
    return [
      {
        ...{ ...marked(note.join(" "), [arm]), task, dataset },
        name: `persona-map-${fileSafe(task)}-${fileSafe(armLabel(arm))}`,
        title: `Map of personas: ${task}, ${armLabel(arm)}`,
        picture: drawing(points, names),
      },
    ];
  });
}

const [WIDTH, HEIGHT, MARGIN] = [390, 310, 30];
/** With more points than this only the template bears its name. */
const MOST_NAMED = 40;
/** The series of the legend. */
const [PERSONA, TEMPLATE] = ["final persona", "initial template"];

function drawing(points: readonly (readonly [number, number])[], names: readonly string[]): Picture {
  const axis = (d: 0 | 1, range: readonly [number, number]) =>
    axisOf({ values: points.map((point) => point[d]), range, title: "", format: String });
  const [x, y] = [axis(0, [MARGIN, WIDTH - MARGIN]), axis(1, [HEIGHT - MARGIN, MARGIN])];
  const marks = points.map((point, p) => {
    const [left, top, name] = [x.at(point[0]), y.at(point[1]), names[p] ?? TEMPLATE];
    const isNamed = p === names.length || names.length <= MOST_NAMED;
    const text = isNamed ? label(left, top - 11, name, { anchor: "middle" }) : undefined;
    return html`${seriesDot([left, top], p === names.length ? 1 : 0, { says: name })}${text}`;
  });
  const key = legend([PERSONA, TEMPLATE], [MARGIN, HEIGHT], WIDTH);
  const size = html`width="${WIDTH - 1}" height="${HEIGHT - 1}"`;
  const frame = html`<rect class="grid" x=".5" y=".5" ${size} fill="none" stroke="currentColor"/>`;
  return { width: WIDTH, height: HEIGHT + key.height + 4, body: html`${frame}${marks}${key.body}` };
}

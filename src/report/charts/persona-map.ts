import { seeded } from "../../random/seeded.js";
import { armLabel } from "../../results/arms.js";
import { html } from "../markup.js";
import { noteMark } from "../simulated.js";
import { linearAxis } from "./axis.js";
import { type Chart, type ChartMaterial, fileSafe, type PersonaSet } from "./chart.js";
import { dot, label, legend, type Picture } from "./svg.js";
import { tsne } from "./tsne.js";

/** Fewest points of which a map says anything. */
const MIN_MAPPED = 5;

/**
 * Exact t-SNE of the final personas and the initial template in the plane, perplexity min(30, (M - 1) / 3) for M points; one an arm.
 * Source: METHODS 7.7, PersonaAgent Fig. 2.
 */
export async function personaMap({ personas, seed }: ChartMaterial): Promise<Chart[]> {
  const sets = await personas();
  return sets.flatMap((set): Chart[] => {
    const { arm, names, vectors, encoder } = set;
    if (vectors.length < MIN_MAPPED) return [];
    const perplexity = Math.min(30, (vectors.length - 1) / 3);
    const map = tsne(vectors, { perplexity, random: seeded(`${seed}/persona-map`) });
    const { task, dataset } = arm;
    const note = `Exact t-SNE of ${names.length} final personas and of what all first ones share, encoder ${encoder}, perplexity ${Number(perplexity.toFixed(2))}, divergence ${map.divergence.toFixed(3)}. Near points are alike; directions and distances between groups mean nothing.${noteMark([arm])}`;
    return [
      {
        name: `persona-map-${fileSafe(task)}-${fileSafe(armLabel(arm))}`,
        title: `Map of personas: ${task}, ${armLabel(arm)}`,
        ...{ note, simulated: arm.simulated, task, dataset, picture: drawing(map.points, set) },
      },
    ];
  });
}

const [WIDTH, HEIGHT, MARGIN] = [390, 310, 30];
/** With more points than this only the template bears its name. */
const MOST_NAMED = 40;
const KINDS = ["final persona", "initial template"];

function drawing(points: readonly (readonly [number, number])[], { names }: PersonaSet): Picture {
  const axis = (d: 0 | 1, range: readonly [number, number]) =>
    linearAxis({ values: points.map((point) => point[d]), range, title: "", format: String });
  const [x, y] = [axis(0, [MARGIN, WIDTH - MARGIN]), axis(1, [HEIGHT - MARGIN, MARGIN])];
  const marks = points.map((point, p) => {
    const [left, top, name] = [x.at(point[0]), y.at(point[1]), names[p]];
    const isNamed = name === undefined || names.length <= MOST_NAMED;
    const text = isNamed ? label(left, top - 11, name ?? KINDS[1]!, { anchor: "middle" }) : undefined;
    return html`${dot(left, top, name === undefined ? TEMPLATE : 0, { says: name ?? KINDS[1]! })}${text}`;
  });
  const key = legend(KINDS, { x: MARGIN, y: HEIGHT, width: WIDTH });
  const frame = html`<rect class="grid" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="none" stroke="currentColor"/>`;
  return { width: WIDTH, height: HEIGHT + key.height + 4, body: html`${frame}${marks}${key.body}` };
}

/** Series of the template, as in the legend. */
const TEMPLATE = 1;

import { armLabel } from "../../results/arms.js";
import { meanOf } from "../../results/samples.js";
import { jaccard, medianOf, wordSetsOf } from "../../text/jaccard.js";
import { html } from "../html.js";
import { type Chart, type ChartInput, fileSafe, marked } from "./chart.js";
import { label, type Picture } from "./svg.js";

/** Heatmap of the Jaccard similarities of the final personas, one an arm. Source: METHODS 7.7, PersonaAgent Fig. 5. */
export async function personaSimilarity({ personas }: ChartInput): Promise<Chart[]> {
  const sets = await personas();
  return sets.flatMap(({ arm, texts }): Chart[] => {
    const words = wordSetsOf(texts);
    const rows = words.map((one) => words.map((other) => jaccard(one, other)));
    const pairs = rows.flatMap((row, r) => row.slice(0, r));
    if (pairs.length === 0) return [];
    const [middle, most] = [medianOf(pairs), Math.max(...pairs)];
    const found = { mean: meanOf(pairs), median: middle, largest: most };
    const told = Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(3)}`);
    const note = `Shared words of each two of ${texts.length} final personas over all words of both; of pairs: ${told.join(", ")}.`;
    const { task, dataset } = arm;
    return [
      {
        ...{ ...marked(note, [arm]), task, dataset },
        name: `persona-similarity-${fileSafe(task)}-${fileSafe(armLabel(arm))}`,
        title: `Similarity of personas: ${task}, ${armLabel(arm)}`,
        picture: drawing(rows, told.join(", ")),
      },
    ];
  });
}

const [WIDTH, TOP] = [390, 24];

function drawing(rows: readonly (readonly number[])[], told: string): Picture {
  const size = WIDTH / rows.length;
  const cells = rows.map((row, r) =>
    row.map((value, c) => {
      const place = html`x="${(c * size).toFixed(2)}" y="${(TOP + r * size).toFixed(2)}"`;
      const side = size.toFixed(2);
      const shade = value.toFixed(3);
      return html`<rect class="s0" ${place} width="${side}" height="${side}" fill="currentColor" fill-opacity="${shade}"/>`;
    }),
  );
  return { width: WIDTH, height: TOP + WIDTH, body: html`${label(0, 8, told, { kind: "muted" })}${cells}` };
}

import { personaMap as mapOf } from "../personas/tsne.js";
import { noteMark } from "../simulated.js";
import { fileSafe } from "./arms.js";
import type { Chart, ChartMaterial, PersonaSet } from "./chart.js";
import { palette, quantitative, sentinel, specOf } from "./theme.js";

/** The mark of personas that the embedded model wrote. */
function personaMark({ personas }: PersonaSet, { summaries }: ChartMaterial): string {
  const cells = new Set(personas.map(({ cell }) => cell));
  return noteMark(summaries.filter((summary) => summary.cells.some((cell) => cells.has(cell))));
}

/** t-SNE map of the final personas with the initial template marked; one per arm whose personas are embedded. */
export function personaMap(material: ChartMaterial): Chart[] {
  return material.personas.flatMap((set) => {
    const map = mapOf(set.vectors ?? [], material.seed);
    if (map === undefined) return [];
    const values = map.points.map(([x, y], i) => {
      const unit = set.personas[i]?.unit;
      return { x: round(x), y: round(y), unit: unit ?? TEMPLATE, kind: unit === undefined ? TEMPLATE : PERSONA };
    });
    const hidden = { axis: null, scale: { zero: false, nice: false, padding: 24 } };
    const kinds = { field: "kind", type: "nominal", title: null };
    const domain = [PERSONA, TEMPLATE];
    return [
      {
        name: `persona-map-${fileSafe(set.task)}-${fileSafe(set.arm)}`,
        title: `Map of personas: ${set.task}, ${set.arm}`,
        note: `Exact t-SNE of ${set.personas.length} final personas and the initial template, encoder ${set.encoder ?? "unknown"}, perplexity ${Number(map.perplexity.toFixed(2))}, started from the principal components; divergence ${map.divergence.toFixed(3)}. Near points are alike; directions and distances between groups mean nothing.${personaMark(set, material)}`,
        section: "persona",
        spec: specOf({
          width: 420,
          height: 340,
          data: { values },
          view: { stroke: sentinel.grid },
          encoding: { x: quantitative("x", hidden), y: quantitative("y", hidden) },
          layer: [
            {
              mark: { type: "point", filled: true, opacity: 0.8 },
              encoding: {
                color: {
                  ...kinds,
                  scale: { domain, range: [palette[0], palette[5]] },
                  legend: { orient: "bottom" },
                },
                shape: { ...kinds, scale: { domain, range: ["circle", "diamond"] } },
                size: { condition: { test: `datum.kind === '${TEMPLATE}'`, value: 180 }, value: 55 },
              },
            },
            {
              transform: [{ filter: values.length > NAMED ? `datum.kind === '${TEMPLATE}'` : "true" }],
              mark: { type: "text", dy: -11, fontSize: 10 },
              encoding: { text: { field: "unit" } },
            },
          ],
        }),
      },
    ];
  });
}

const PERSONA = "final persona";
const TEMPLATE = "initial template";

/** With more points than this only the template bears its name. */
const NAMED = 40;

/** Enough for a picture, and the same on every machine. */
const round = (value: number): number => Number(value.toPrecision(6));

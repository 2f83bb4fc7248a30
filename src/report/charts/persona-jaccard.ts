import { nounOf } from "../../text/count.js";
import { jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { noteMark } from "../simulated.js";
import { fileSafe } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial, PersonaSet } from "./material.js";
import { heat, specOf } from "./theme.js";

/** How alike the final personas of users are, each pair once; one heat map per arm. */
export function personaJaccard(material: ChartMaterial): Chart[] {
  return material.personas.flatMap((set) => {
    if (set.personas.length < 2) return [];
    const texts = set.personas.map(({ persona }) => persona);
    const report = jaccardReport(texts, set.template);
    const shown = evenly(set.personas, SHOWN);
    const matrix = jaccardMatrix(shown.map(({ persona }) => persona));
    const values = matrix.flatMap((row, i) =>
      row.slice(0, i).map((similarity, j) => ({
        a: shown[i]?.unit ?? "",
        b: shown[j]?.unit ?? "",
        similarity: Number(similarity.toFixed(4)),
      })),
    );
    const labels = shown.length <= LABELLED;
    const axis = { title: null, labels, ticks: false, domain: false, labelFontSize: 9 } as const;
    const names = shown.map(({ unit }) => unit);
    const size = Math.max(5, Math.min(22, Math.floor(460 / shown.length)));
    const part =
      shown.length < set.personas.length ? ` ${shown.length} of ${set.personas.length} personas are shown.` : "";
    return [
      {
        name: `persona-jaccard-${fileSafe(set.task)}-${fileSafe(set.arm)}`,
        title: `Words that personas share: ${set.task}, ${set.arm}`,
        note: `Jaccard similarity of the word sets of ${report.texts} final personas (${report.pairs} ${nounOf(report.pairs, "pair")}): ${spreadText(report.all)}. Without the words of the initial template: ${spreadText(report.withoutTemplate)}.${part}${personaMark(set, material)}`,
        section: "persona",
        arm: set.arm,
        spec: specOf({
          width: size * (shown.length - 1),
          height: size * (shown.length - 1),
          data: { values },
          mark: { type: "rect" },
          encoding: {
            x: {
              field: "b",
              type: "nominal",
              scale: { domain: names.slice(0, -1) },
              axis: { ...axis, labelAngle: -90 },
            },
            y: { field: "a", type: "nominal", scale: { domain: names.slice(1) }, axis },
            color: {
              field: "similarity",
              type: "quantitative",
              scale: { scheme: heat, domain: [0, 1] },
              title: "Jaccard",
            },
          },
        }),
      },
    ];
  });
}

/** The mark of personas that the embedded model wrote. */
export function personaMark({ personas }: PersonaSet, { summaries }: ChartMaterial): string {
  const cells = new Set(personas.map(({ cell }) => cell));
  return noteMark(summaries.filter((summary) => summary.cells.some((cell) => cells.has(cell))));
}

/** Personas in a picture: 4,950 pairs. */
const SHOWN = 100;
const LABELLED = 50;

function evenly<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}

import { nounOf } from "../../text/count.js";
import { jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { personaMap as mapOf } from "../personas/tsne.js";
import { noteMark } from "../simulated.js";
import { fileSafe } from "./arms.js";
import type { Chart, ChartMaterial, PersonaSet } from "./chart.js";
import { heat, palette, quantitative, sentinel, specOf } from "./theme.js";

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
            color: quantitative("similarity", { scale: { scheme: heat, domain: [0, 1] }, title: "Jaccard" }),
          },
        }),
      },
    ];
  });
}

/** The mark of personas that the embedded model wrote. */
function personaMark({ personas }: PersonaSet, { summaries }: ChartMaterial): string {
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

import { compareIfAny, TOO_NARROW } from "../compare/compare.js";
import { type Arm, armsByTask, sampleText, simulatedMark, taskKey } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { palette, sentinel, specOf, step } from "./theme.js";

/** What taking a part away does: the paired difference of each ablation to the full method; one chart a task. */
export function ablation(material: ChartMaterial): Chart[] {
  const { sweep } = material;
  const full = sweep?.axes.find(({ knob }) => knob === "method")?.base;
  if (full === undefined) return [];
  return armsByTask(material).flatMap(({ fact, arms }) => {
    const reference = arms.find(({ summary }) => summary.method === full);
    if (reference === undefined) return [];
    const values = arms.flatMap((arm) => (arm === reference ? [] : differenceTo(reference, arm, material)));
    if (values.length === 0) return [];
    const y = { field: "arm", type: "nominal", sort: null, title: null } as const;
    const { name, better } = reference.headline;
    const title = `change in ${name} (left is worse)`;
    const scale = { zero: true, nice: false, reverse: better === "lower", padding: 12 } as const;
    return [
      {
        name: `ablation-${taskKey(material, fact)}`,
        title: `Ablation of ${full}: ${fact.title}`,
        note: `Difference to the full method on the same questions; line: 95 % interval over users, ${TOO_NARROW}. Left of the zero line: worse without that part. Full method: ${reference.headline.strict.toFixed(3)}. ${sampleText(arms)}${simulatedMark(arms)}`,
        section: "sweep",
        spec: specOf({
          width: 400,
          height: step(26),
          data: { values },
          layer: [
            {
              data: { values: [{ zero: 0 }] },
              mark: { type: "rule", strokeDash: [4, 4], color: sentinel.muted },
              encoding: { x: { field: "zero", type: "quantitative" } },
            },
            {
              transform: [{ filter: "isValid(datum.low)" }],
              mark: { type: "rule", strokeWidth: 2, color: palette[5] },
              encoding: { y, x: { field: "low", type: "quantitative", scale, title }, x2: { field: "high" } },
            },
            {
              mark: { type: "point", filled: true, size: 70, opacity: 1, color: palette[5] },
              encoding: { y, x: { field: "difference", type: "quantitative", scale, title } },
            },
          ],
        }),
      },
    ];
  });
}

function differenceTo(full: Arm, part: Arm, material: ChartMaterial) {
  const { task, seed } = material;
  const metrics = task(full.summary.task).metrics.slice(0, 1);
  const metric = compareIfAny({ a: full.rows, b: part.rows, metrics, seed })?.metrics[0];
  if (metric === undefined) return [];
  const { difference, overUsers } = metric;
  return [
    { arm: part.label, difference, low: overUsers?.interval.low ?? null, high: overUsers?.interval.high ?? null },
  ];
}

import { comparedPairs } from "../../results/gains.js";
import { armsByTask, sampleText, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { dashedAt, dotsWithIntervals, palette, specOf, step } from "./theme.js";

/** What taking a part away does: the paired difference of each ablation to the full method; one chart a task. */
export function ablation(material: ChartMaterial): Chart[] {
  const full = material.sweep?.axes.find(({ knob }) => knob === "method")?.base;
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
    const whole = arms.find(({ summary }) => summary.method === full);
    if (whole === undefined) return [];
    const parts = arms.filter((arm) => arm !== whole);
    const pairs = parts.map(({ label, summary }) => ({ label, arm: summary, reference: whole.summary }));
    const values = comparedPairs(pairs, material).map(({ label, comparison: { metrics } }) => {
      const { gain, interval } = metrics[0]!; // every task has one
      return { arm: label, gain, low: interval?.low ?? null, high: interval?.high ?? null };
    });
    if (values.length === 0) return [];
    const { name, strict } = whole.headline;
    const along = {
      scale: { zero: true, nice: false, padding: 12 },
      title: `gain in ${name} (left is worse)`,
    };
    return [
      {
        name: `ablation-${key}`,
        title: `Ablation of ${full}: ${fact.title}`,
        note: `Difference to the full method on the same questions; line: 95 % interval over users. Left of the zero line: worse without that part. Full method: ${strict.toFixed(3)}. ${sampleText(arms)}${simulatedMark(arms)}`,
        section: "sweep",
        spec: specOf({
          width: 400,
          height: step(26),
          data: { values },
          layer: [dashedAt("zero", 0), ...dotsWithIntervals("gain", palette[5], along)],
        }),
      },
    ];
  });
}

import { comparedPairs, inFamilies } from "../../results/gains.js";
import type { Summary } from "../../results/summary.js";
import { pLegend } from "../tables/arm-columns.js";
import { formatScore } from "../tables/format.js";
import { armsByTask, type Chart, type ChartMaterial, sampleText } from "./chart.js";
import { gainRows } from "./gains.js";

/** What taking a part away does: the paired difference of each ablation to the full method; one chart a task. */
export function ablation(material: ChartMaterial): Chart[] {
  const full =
    material.sweep?.kind === "ablation" ? material.sweep.axes.find(({ knob }) => knob === "method")?.base : undefined;
  return armsByTask(material).flatMap(({ arms, of }): Chart[] => {
    const whole = arms.find(({ summary }) => summary.method === full);
    if (whole === undefined) return [];
    const parts = arms.filter((arm) => arm !== whole && arm.summary.model === whole.summary.model);
    const pairs = parts.map(({ summary }) => ({ arm: summary, reference: whole.summary }));
    const found = inFamilies(comparedPairs(pairs, material));
    const comparisonOf = (summary: Summary) => found.find(({ arm }) => arm === summary)?.comparison;
    const picture = gainRows(parts, comparisonOf);
    if (picture === undefined) return [];
    const legend = pLegend(
      comparisonOf,
      parts.map(({ summary }) => summary),
    ).join("");
    const note = `Difference to the full method (${formatScore(whole.score)}) on the questions that both answered; left of the line: worse without that part; line: 95 % interval over users. ${legend}. ${sampleText(arms)}`;
    return [of({ name: "ablation-TASK", title: `Ablation of ${full}`, note, picture })];
  });
}

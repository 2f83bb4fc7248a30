import { comparedPairs, inFamilies } from "../../results/gains.js";
import type { Summary } from "../../results/summary.js";
import { fullMethod } from "../sweep.js";
import { formatScore } from "../tables/format.js";
import { armsByTask, type Chart, type ChartMaterial } from "./chart.js";
import { gainNote, gainRows } from "./gains.js";

/** What taking a part away does: the paired difference of each ablation to the full method; one chart a task. */
export function ablation(material: ChartMaterial): Chart[] {
  const full = fullMethod(material.sweep);
  return armsByTask(material).flatMap(({ arms, of }): Chart[] => {
    const whole = arms.find(({ summary }) => summary.method === full);
    if (whole === undefined) return [];
    const parts = arms.filter((arm) => arm !== whole && arm.summary.model === whole.summary.model);
    const pairs = parts.map(({ summary }) => ({ arm: summary, reference: whole.summary }));
    const found = inFamilies(comparedPairs(pairs, material));
    const comparisonOf = (summary: Summary) => found.find(({ arm }) => arm === summary)?.comparison;
    const picture = gainRows(parts, comparisonOf);
    if (picture === undefined) return [];
    const difference = `Difference to the full method (${formatScore(whole.score)}) on the questions that both answered`;
    const note = `${difference}; left of the line: worse without that part. ${gainNote(parts, comparisonOf)}`;
    return [of({ name: "ablation-TASK", title: `Ablation of ${full}`, note, picture })];
  });
}

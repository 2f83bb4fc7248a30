import { nounOf } from "../../text/count.js";
import { armsByTask, simulatedMark, taskKey } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { specOf, step } from "./theme.js";

/** What became of the questions: answered, unreadable, failed; one chart a task. */
export function outcomes(material: ChartMaterial): Chart[] {
  return armsByTask(material).map(({ fact, arms }) => {
    const values = arms.flatMap(({ label, rows }) =>
      kinds.map((kind, order) => ({
        arm: label,
        kind: kind.name,
        order,
        share: rows.filter((row) => kindOf(row) === kind.name).length / rows.length,
      })),
    );
    const failed = arms.reduce((sum, { summary }) => sum + summary.counts.failed, 0);
    const unparsed = arms.reduce((sum, { summary }) => sum + summary.counts.unparsed, 0);
    const questions = arms.reduce((sum, { summary }) => sum + summary.counts.questions, 0);
    return {
      name: `outcomes-${taskKey(material, fact)}`,
      title: `What became of the questions: ${fact.title}`,
      note: `Shares of all questions asked. Of ${questions} ${nounOf(questions, "reply", "replies")} of all arms, ${unparsed} ${nounOf(unparsed, "was", "were")} unreadable by the official rules and ${failed} failed; failed ones are in no score.${simulatedMark(arms)}`,
      section: "tasks",
      spec: specOf({
        width: 420,
        height: step(22),
        data: { values },
        mark: { type: "bar" },
        encoding: {
          y: { field: "arm", type: "nominal", sort: null, title: null },
          x: {
            field: "share",
            type: "quantitative",
            axis: { format: "%" },
            scale: { domain: [0, 1] },
            title: "share of questions",
          },
          order: { field: "order" },
          color: {
            field: "kind",
            type: "nominal",
            title: null,
            sort: null,
            scale: { domain: kinds.map(({ name }) => name), range: kinds.map(({ color }) => color) },
            legend: { orient: "bottom" },
          },
        },
      }),
    };
  });
}

const kinds = [
  { name: "answered", color: "#0072b2" },
  { name: "unparsed, readable leniently", color: "#e69f00" },
  { name: "unparsed", color: "#d55e00" },
  { name: "failed", color: "#882255" },
] as const;

function kindOf({ outcome }: ChartMaterial["rows"][number]): (typeof kinds)[number]["name"] {
  if (outcome.kind !== "unparsed") return outcome.kind;
  return outcome.lenient === undefined ? "unparsed" : "unparsed, readable leniently";
}

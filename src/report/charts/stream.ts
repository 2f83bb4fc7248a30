import { armsByTask, metricTitle, sampleText, simulatedMark, taskKey } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { specOf } from "./theme.js";

/** Does an arm get better while it sees more of its users? Quarters of each user's stream (`--online`). */
export function stream(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, arms }) => {
    const streamed = arms.filter(({ summary }) => summary.stream !== undefined);
    const [first] = streamed;
    if (first === undefined) return [];
    const values = streamed.flatMap(({ label, summary }) =>
      (summary.stream ?? []).flatMap((score, q) =>
        score === undefined ? [] : [{ arm: label, quarter: q + 1, score }],
      ),
    );
    return [
      {
        name: `stream-${taskKey(material, fact)}`,
        title: `Along the stream of questions: ${fact.title}`,
        note: `Score over the quarters of each user's questions in order of time; later questions see more answered ones. ${sampleText(streamed)}${simulatedMark(streamed)}`,
        section: "tasks",
        spec: specOf({
          width: 380,
          height: 220,
          data: { values },
          mark: { type: "line", point: { size: 50 } },
          encoding: {
            x: { field: "quarter", type: "ordinal", title: "quarter of the stream", axis: { labelAngle: 0 } },
            y: {
              field: "score",
              type: "quantitative",
              title: metricTitle(first.headline),
              scale: { zero: false, nice: true },
            },
            color: { field: "arm", type: "nominal", sort: null, title: null },
          },
        }),
      },
    ];
  });
}

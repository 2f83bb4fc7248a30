import { armsByTask, metricTitle, sampleText, simulatedMark, taskKey } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { SCORE_FORMAT, scoreScale } from "./score-axis.js";
import { palette, sentinel, specOf, step } from "./theme.js";

/** Each arm's headline score with its 95 % interval, and the majority label as a dashed line; one chart a task. */
export function overview(material: ChartMaterial): Chart[] {
  return armsByTask(material).map(({ fact, arms }) => {
    const [first] = arms;
    const metric = first?.headline;
    const floor = metric === undefined ? undefined : fact.floor?.values[metric.name];
    const values = arms.map(({ label, headline }) => ({
      arm: label,
      score: headline.strict,
      low: headline.interval?.low ?? null,
      high: headline.interval?.high ?? null,
    }));
    const y = { field: "arm", type: "nominal", sort: null, title: null } as const;
    const scale = scoreScale(
      [...values.flatMap(({ score, low, high }) => [score, low ?? score, high ?? score]), floor ?? null],
      { nice: false, padding: 14 },
    );
    const axis = { format: SCORE_FORMAT } as const;
    const title = metric === undefined ? "" : metricTitle(metric);
    return {
      name: `overview-${taskKey(material, fact)}`,
      title: fact.title,
      note: `Dot: score by the official reading; line: 95 % interval for users drawn like these${values.some(({ low }) => low === null) ? " (none below 10 users or without spread)" : ""}.${floor === undefined ? "" : " Dashed: each user's most frequent label."} ${sampleText(arms)}${simulatedMark(arms)}`,
      section: "overview",
      spec: specOf({
        width: 420,
        height: step(24),
        data: { values },
        layer: [
          ...(floor === undefined
            ? []
            : [
                {
                  data: { values: [{ floor }] },
                  mark: { type: "rule", strokeDash: [4, 4], color: sentinel.muted },
                  encoding: { x: { field: "floor", type: "quantitative" } },
                } as const,
              ]),
          {
            transform: [{ filter: "isValid(datum.low)" }],
            mark: { type: "rule", strokeWidth: 2, color: palette[0] },
            encoding: { y, x: { field: "low", type: "quantitative", scale, title, axis }, x2: { field: "high" } },
          },
          {
            mark: { type: "point", filled: true, size: 70, opacity: 1, color: palette[0] },
            encoding: { y, x: { field: "score", type: "quantitative", scale, title, axis } },
          },
        ],
      }),
    };
  });
}

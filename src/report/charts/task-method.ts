import { armsByTask, sampleText, simulatedMark } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { heat, specOf, step } from "./theme.js";

/** All tasks and arms at a glance: the score in each field, shaded from the worst to the best of its task. */
export function taskMethod(material: ChartMaterial): Chart[] {
  const tasks = armsByTask(material);
  const all = tasks.flatMap(({ arms }) => arms);
  if (tasks.length < 2 || new Set(all.map(({ label }) => label)).size < 2) return [];
  const values = tasks.flatMap(({ fact, arms }) => {
    const goodness = arms.map(({ headline }) => (headline.better === "higher" ? headline.strict : -headline.strict));
    const [worst, best] = [Math.min(...goodness), Math.max(...goodness)];
    return arms.map(({ label, headline }, i) => ({
      task: `${fact.task} (${headline.name}${headline.better === "lower" ? ", lower is better" : ""})`,
      arm: label,
      score: headline.strict,
      place: best === worst ? 1 : ((goodness[i] ?? worst) - worst) / (best - worst),
    }));
  });
  const x = {
    field: "task",
    type: "nominal",
    sort: null,
    title: null,
    axis: { orient: "top", labelAngle: 0, domain: false, ticks: false },
  } as const;
  const y = { field: "arm", type: "nominal", sort: null, title: null, axis: { domain: false, ticks: false } } as const;
  return [
    {
      name: "task-method",
      title: "Tasks and methods",
      note: `Headline score of each task; the darker, the nearer to the best of its task. Shades of different tasks are not comparable. ${sampleText(all)}${simulatedMark(all)}`,
      section: "overview",
      spec: specOf({
        width: step(150),
        height: step(26),
        data: { values },
        encoding: { x, y },
        layer: [
          {
            mark: { type: "rect", stroke: "#ffffff" },
            encoding: {
              color: {
                field: "place",
                type: "quantitative",
                scale: { scheme: heat, domain: [-0.15, 1.15] },
                legend: null,
              },
            },
          },
          {
            mark: { type: "text" },
            encoding: {
              text: { field: "score", type: "quantitative", format: ".3f" },
              color: { condition: { test: "datum.place > 0.6", value: "#ffffff" }, value: "#000000" },
            },
          },
        ],
      }),
    },
  ];
}

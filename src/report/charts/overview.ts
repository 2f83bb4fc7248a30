import { nounOf } from "../../text/count.js";
import { armsByTask, metricTitle, sampleText, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import {
  dashedAt,
  dotsWithIntervals,
  named,
  palette,
  quantitative,
  SCORE_FORMAT,
  scoreScale,
  shadedFields,
  specOf,
  step,
  tableAxis,
} from "./theme.js";

/** Each arm's headline score with its 95 % interval, and the best answers without a model as a dashed line; one chart a task. */
export function overview(material: ChartMaterial): Chart[] {
  return armsByTask(material).map(({ fact, key, arms }) => {
    const [first] = arms;
    const metric = first?.headline;
    const floor = metric === undefined ? undefined : fact.floor?.values[metric.name];
    const values = arms.map(({ label, headline }) => ({
      arm: label,
      score: headline.strict,
      low: headline.interval?.low ?? null,
      high: headline.interval?.high ?? null,
    }));
    const ends = values.flatMap(({ score, low, high }) => [score, low ?? score, high ?? score]);
    const along = {
      scale: scoreScale([...ends, floor ?? null], { nice: false, padding: 14 }),
      title: metric === undefined ? "" : metricTitle(metric),
      axis: { format: SCORE_FORMAT },
    };
    return {
      name: `overview-${key}`,
      title: fact.title,
      note: `Dot: score by the official reading; line: 95 % interval for users drawn like these${values.some(({ low }) => low === null) ? " (none below 10 users or without spread)" : ""}.${floor === undefined ? "" : ` Dashed: the ${fact.floor?.name}.`} ${sampleText(arms)}${simulatedMark(arms)}`,
      section: "overview",
      spec: specOf({
        width: 420,
        height: step(24),
        data: { values },
        layer: [
          ...(floor === undefined ? [] : [dashedAt("floor", floor)]),
          ...dotsWithIntervals("score", palette[0], along),
        ],
      }),
    };
  });
}

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
        encoding: {
          x: named("task", { axis: { orient: "top", labelAngle: 0, ...tableAxis } }),
          y: named("arm", { axis: tableAxis }),
        },
        layer: shadedFields(
          { field: "place", domain: [-0.15, 1.15], dark: 0.6 },
          quantitative("score", { format: ".3f" }),
        ),
      }),
    },
  ];
}

/** What became of the questions: answered, unreadable, failed; one chart a task where not all were answered. */
export function outcomes(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
    const failed = arms.reduce((sum, { summary }) => sum + summary.counts.failed, 0);
    const unparsed = arms.reduce((sum, { summary }) => sum + summary.counts.unparsed, 0);
    if (failed + unparsed === 0) return [];
    const values = arms.flatMap(({ label, rows }) =>
      kinds.map((kind, order) => ({
        arm: label,
        kind: kind.name,
        order,
        share: rows.filter((row) => kindOf(row) === kind.name).length / rows.length,
      })),
    );
    const questions = arms.reduce((sum, { summary }) => sum + summary.counts.questions, 0);
    return [
      {
        name: `outcomes-${key}`,
        title: `What became of the questions: ${fact.title}`,
        note: `Shares of all questions asked. Of ${questions} ${nounOf(questions, "reply", "replies")} of all arms, ${unparsed} ${nounOf(unparsed, "was", "were")} unreadable by the official rules and ${failed} failed; failed ones are in no score.${simulatedMark(arms)}`,
        section: "tasks",
        spec: specOf({
          width: 420,
          height: step(22),
          data: { values },
          mark: { type: "bar" },
          encoding: {
            y: named("arm"),
            x: quantitative("share", {
              axis: { format: "%" },
              scale: { domain: [0, 1] },
              title: "share of questions",
            }),
            order: { field: "order" },
            color: named("kind", {
              scale: { domain: kinds.map(({ name }) => name), range: kinds.map(({ color }) => color) },
              legend: { orient: "bottom" },
            }),
          },
        }),
      },
    ];
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

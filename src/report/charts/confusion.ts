import { isScored, strictText } from "../../results/pairs.js";
import type { Json, Task } from "../../types/index.js";
import { type Arm, armsByTask, fileSafe, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { shadedFields, specOf, step, tableAxis } from "./theme.js";

/** Gold labels against predicted ones, with a column for unreadable replies; one chart per task with labels and arm. */
export function confusion(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }) => {
    const task = material.task(fact.task);
    if (task.labels.length < 2) return [];
    return arms.flatMap((arm): Chart[] => {
      const fields = fieldsOf(task, arm);
      if (fields.length === 0) return [];
      const shown = task.labels.filter((label) =>
        fields.some(({ gold, predicted }) => gold === label || predicted === label),
      );
      const extra = fields.some(({ predicted }) => predicted === UNPARSED) ? [UNPARSED] : [];
      const scored = fields.reduce((sum, { count }) => sum + count, 0);
      const size = shown.length > 10 ? 24 : 34;
      return [
        {
          name: `confusion-${key}-${fileSafe(arm.label)}`,
          title: `Labels and readings: ${fact.title}, ${arm.label}`,
          note: `Rows: the user's label; columns: the reading of the reply. Number: answers; shade: share of the row. n = ${scored}.${simulatedMark([arm])}`,
          section: "tasks",
          group: `Labels and readings: ${fact.title}`,
          spec: matrix(fields, shown, [...shown, ...extra], size),
        },
      ];
    });
  });
}

const UNPARSED = "(unparsed)";

interface Field {
  readonly gold: string;
  readonly predicted: string;
  readonly count: number;
  /** Of the answers with this gold label. */
  readonly share: number;
}

function fieldsOf({ strict, labels }: Task, { rows }: Arm): Field[] {
  const counts = new Map<string, Map<string, number>>();
  for (const row of rows.filter(isScored)) {
    const gold = labelOf(row.gold, labels);
    const reading = strict(strictText(row));
    const predicted =
      reading.kind === "unparsed" || row.outcome.kind === "unparsed" ? UNPARSED : labelOf(reading.answer, labels);
    const line = counts.get(gold) ?? new Map<string, number>();
    counts.set(gold, line.set(predicted, (line.get(predicted) ?? 0) + 1));
  }
  return [...counts].flatMap(([gold, line]) => {
    const total = [...line.values()].reduce((sum, count) => sum + count, 0);
    return [...line].map(([predicted, count]) => ({ gold, predicted, count, share: count / total }));
  });
}

/** Readings may keep a label's surroundings (`4.0`, case): the label that it stands for. */
function labelOf(answer: string, labels: readonly string[]): string {
  const folded = answer.trim().toLowerCase();
  const exact = labels.find((label) => label.toLowerCase() === folded);
  if (exact !== undefined) return exact;
  const number = Number(folded);
  return labels.find((label) => folded !== "" && Number(label) === number) ?? UNPARSED;
}

function matrix(fields: readonly Field[], golds: readonly string[], predictions: readonly string[], size: number) {
  const present = new Set(fields.map(({ gold }) => gold));
  const labelAngle = predictions.some((label) => label.length > 3) ? -45 : 0;
  const axisOf = (field: string, title: string, labels: readonly string[], axis: Json): Json => ({
    ...{ field, type: "nominal", scale: { domain: labels }, title, axis },
  });
  const top = { orient: "top", labelAngle, ...tableAxis };
  return specOf({
    width: step(size),
    height: step(size),
    data: { values: fields.map((field) => ({ ...field })) },
    encoding: {
      x: axisOf("predicted", "read from the reply", predictions, top),
      y: axisOf(
        "gold",
        "user's label",
        golds.filter((label) => present.has(label)),
        tableAxis,
      ),
    },
    layer: shadedFields(
      { field: "share", domain: [0, 1], dark: 0.55 },
      { field: "count", type: "quantitative" },
      size > 30 ? 11 : 10,
    ),
  });
}

import { rowsByArm } from "../../results/gains.js";
import { isScored, strictText } from "../../results/pairs.js";
import type { Row, Task } from "../../types/index.js";
import { html } from "../markup.js";
import { armsByTask, type Chart, type ChartMaterial, fileSafe } from "./chart.js";
import { label, type Picture, textWidth } from "./svg.js";
import { shadeOf } from "./theme.js";

/** Gold labels against predicted ones, with a column for unreadable replies; one chart a task with labels and arm. */
export function confusion(material: ChartMaterial): Chart[] {
  const rowsOf = rowsByArm(material.rows);
  return armsByTask(material).flatMap(({ fact, arms, of }) => {
    const task = material.task(fact.task);
    if (task.labels.length < 2) return [];
    return arms.flatMap((arm): Chart[] => {
      const counts = countsOf(task, rowsOf(arm.summary));
      if (counts.size === 0) return [];
      const note = `Rows: the user's label; columns: what was read from the reply. Number: answers; shade: share of the row. ${arm.summary.counts.scored} answers.`;
      const name = `confusion-TASK-${fileSafe(arm.label)}`;
      return [of({ name, title: `Labels of ${arm.label}`, note, picture: drawing(task.labels, counts) })];
    });
  });
}

const UNPARSED = "(unparsed)";

type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Answers by gold label and predicted label. */
function countsOf({ strict, labels }: Task, rows: readonly Row[]): Counts {
  const counts = new Map<string, Map<string, number>>();
  for (const row of rows.filter(isScored)) {
    const gold = labelOf(row.gold, labels);
    const reading = strict(strictText(row));
    const isUnparsed = reading.kind === "unparsed" || row.outcome.kind === "unparsed";
    const predicted = isUnparsed ? UNPARSED : labelOf(reading.answer, labels);
    const ofGold = counts.get(gold) ?? new Map<string, number>();
    counts.set(gold, ofGold.set(predicted, (ofGold.get(predicted) ?? 0) + 1));
  }
  return counts;
}

/** The label that a reading stands for: readings may keep case, or a form like `4.0`. */
function labelOf(answer: string, labels: readonly string[]): string {
  const folded = answer.trim().toLowerCase();
  const exact = labels.find((one) => one.toLowerCase() === folded);
  return exact ?? labels.find((one) => folded !== "" && Number(one) === Number(folded)) ?? UNPARSED;
}

function drawing(labels: readonly string[], counts: Counts): Picture {
  const golds = [...labels, UNPARSED].filter((one) => counts.has(one));
  const predicted = [...labels, UNPARSED].filter(
    (one) => (counts.has(one) && one !== UNPARSED) || [...counts.values()].some((line) => line.has(one)),
  );
  const size = predicted.length > 10 ? 24 : 34;
  const widest = (names: readonly string[]): number => Math.max(...names.map(textWidth));
  const [left, top] = [widest(golds) + 12, 18 + widest(predicted) * SLOPE + 8];
  const fields = golds.flatMap((gold, g) => {
    const line = counts.get(gold)!; // of the golds that there are
    const total = [...line.values()].reduce((sum, count) => sum + count, 0);
    return predicted.map((one, p) => {
      const [x, y, count] = [left + p * size, top + g * size, line.get(one) ?? 0];
      const text = count === 0 ? undefined : label(x + size / 2, y + size / 2, String(count), { anchor: "middle" });
      const shade = count === 0 ? "0" : shadeOf(count / total).toFixed(3);
      return html`<rect class="s0" x="${x}" y="${y}" width="${size - 1}" height="${size - 1}" fill="currentColor" fill-opacity="${shade}"><title>${gold}, read as ${one}: ${count}</title></rect>${text}`;
    });
  });
  const rows = golds.map((gold, g) => label(left - 6, top + (g + 0.5) * size, gold, { anchor: "end" }));
  const columns = predicted.map((one, p) => label(left + (p + 0.5) * size, top - 8, one, { turn: -45 }));
  return {
    width: left + predicted.length * size + widest(predicted) * SLOPE + 8,
    height: top + golds.length * size + 8,
    body: html`${label(left, 8, "read from the reply", { kind: "muted" })}${label(0, 8, "label", { kind: "muted" })}${rows}${columns}${fields}`,
  };
}

/** Height of a text at 45 degrees, of its length. */
const SLOPE = Math.SQRT1_2;

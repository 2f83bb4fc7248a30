import { isScored, strictText } from "../../results/answers.js";
import { rowsByArm } from "../../results/compare.js";
import { groupBy } from "../../results/samples.js";
import type { Row, Task } from "../../types/index.js";
import { html } from "../html.js";
import { armsByTask, type Chart, type ChartInput, fileSafe } from "./chart.js";
import { label, type Picture, shadeOf, textWidth } from "./svg.js";

/** Gold labels against predicted ones and unreadable replies; one chart a task with labels and arm. */
export function confusion(input: ChartInput): Chart[] {
  const rowsOf = rowsByArm(input.rows);
  return armsByTask(input).flatMap(({ fact, arms, complete }) => {
    const task = input.task(fact.task);
    if (task.labels.length < 2) return [];
    return arms.flatMap((arm): Chart[] => {
      const read = rowsOf(arm.summary)
        .filter(isScored)
        .map((row) => readingOf(row, task));
      if (read.length === 0) return [];
      const note = `Rows: the user's label; columns: what was read from the reply. Number: answers; shade: share of the row. ${read.length} answers.`;
      const name = `confusion-TASK-${fileSafe(arm.label)}`;
      return [complete({ name, title: `Labels of ${arm.label}`, note, picture: drawing(task.labels, read) })];
    });
  });
}

const UNPARSED = "(unparsed)";

interface Read {
  readonly gold: string;
  readonly predicted: string;
}

function readingOf(row: Row, { strict, labels }: Task): Read {
  const reading = strict(strictText(row));
  const isUnparsed = reading.kind === "unparsed" || row.outcome.kind === "unparsed";
  return { gold: labelOf(row.gold ?? "", labels), predicted: isUnparsed ? UNPARSED : labelOf(reading.answer, labels) };
}

/** The label that a reading stands for: readings may keep case, or a form like `4.0`. */
function labelOf(answer: string, labels: readonly string[]): string {
  const folded = answer.trim().toLowerCase();
  const exact = labels.find((one) => one.toLowerCase() === folded);
  return exact ?? labels.find((one) => folded !== "" && Number(one) === Number(folded)) ?? UNPARSED;
}

/** Height of a text at 45 degrees, of its length. */
const SLOPE = Math.SQRT1_2;

function drawing(labels: readonly string[], read: readonly Read[]): Picture {
  const lines = groupBy(read, ({ gold }) => gold);
  const golds = [...labels, UNPARSED].filter((one) => lines.has(one));
  const isSeen = (one: string): boolean => read.some(({ predicted }) => predicted === one);
  const columns = [...labels, UNPARSED].filter((one) => isSeen(one) || (lines.has(one) && one !== UNPARSED));
  const size = columns.length > 10 ? 24 : 34;
  const [widest, deepest] = [golds, columns].map((names) => Math.max(...names.map(textWidth))) as [number, number];
  const [left, top] = [widest + 12, 26 + deepest * SLOPE];
  const fields = golds.flatMap((gold, g) => {
    const line = lines.get(gold)!; // of the golds that there are
    return columns.map((one, p) => {
      const [x, y] = [left + p * size, top + g * size];
      const count = line.filter(({ predicted }) => predicted === one).length;
      const shade = count === 0 ? "0" : shadeOf(count / line.length).toFixed(3);
      const place = html`x="${x}" y="${y}" width="${size - 1}" height="${size - 1}"`;
      const text = count === 0 ? undefined : label(x + size / 2, y + size / 2, String(count), { anchor: "middle" });
      const tip = html`<title>${gold}, read as ${one}: ${count}</title>`;
      return html`<rect class="s0" ${place} fill="currentColor" fill-opacity="${shade}">${tip}</rect>${text}`;
    });
  });
  const rowTitles = golds.map((gold, g) => label(left - 6, top + (g + 0.5) * size, gold, { anchor: "end" }));
  const titles = columns.map((one, p) => label(left + (p + 0.5) * size, top - 8, one, { turn: -45 }));
  const heads = [label(left, 8, "read from the reply", { kind: "muted" }), label(0, 8, "label", { kind: "muted" })];
  return {
    width: left + columns.length * size + deepest * SLOPE + 8,
    height: top + golds.length * size + 8,
    body: html`${heads}${rowTitles}${titles}${fields}`,
  };
}

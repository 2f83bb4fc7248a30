import { countOf } from "../../text/count.js";
import { armLabel } from "../arms.js";
import { dash } from "../table.js";
import { formatScore, formatUsd } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import type { RunLine } from "./material.js";

/** A line a run: its state, what it has spent, and the best score of each task. */
export function renderRuns(lines: readonly RunLine[]): string {
  const named = lines.some(({ name }) => name !== undefined);
  const columns = [
    { title: "run", align: "left" },
    ...(named ? ([{ title: "name", align: "left" }] as const) : []),
    { title: "state", align: "left" },
    { title: "arms", align: "right" },
    { title: "questions", align: "right" },
    { title: "spent", align: "right" },
    { title: "best score", align: "left" },
  ] as const;
  const rows = lines.map((line) => [
    line.run,
    ...(named ? [line.name ?? dash] : []),
    stateOf(line),
    line.arms === 0 ? dash : String(line.arms),
    questionsOf(line),
    spentOf(line),
    line.scores.length === 0
      ? dash
      : line.scores
          .map((score) => `${score.task} ${score.metric} ${formatScore(score.score)} (${armLabel(score)})`)
          .join(", "),
  ]);
  const notes = lines.flatMap(({ run, why }) => (why === undefined ? [] : [`${run}: ${why}`]));
  return [countOf(lines.length, "run"), renderText({ columns, rows }), ...notes].join("\n");
}

/** `done, 2 failed`, `not ended`, with a mark where the numbers are of the embedded model. */
export function stateOf({ state, failed = 0, simulated = false }: RunLine): string {
  return [state, ...(failed > 0 ? [`${failed} failed`] : []), ...(simulated ? ["SIMULATED"] : [])].join(", ");
}

/** Of a run that has not had all its questions, with how many there are. */
export function questionsOf({ questions, planned = 0 }: RunLine): string {
  if (questions === undefined) return dash;
  return questions < planned ? `${questions}/${planned}` : String(questions);
}

/** `$0.12`, with a mark where some arms have no price. */
export const spentOf = ({ usd, unpriced }: RunLine): string =>
  usd === undefined ? dash : `${formatUsd(usd)}${unpriced === undefined ? "" : " and more"}`;

import { type ScoredRow, strictText } from "../../report/pairs.js";
import { sha256 } from "../../text/content-id.js";
import type { Cell, Metric, Task } from "../../types/index.js";
import { dataOfRun } from "../common/run-data.js";
import type { StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { metricsOf, scoreAlone } from "./flat-rows.js";

/** The text of every question, by task and id. */
export async function questionTexts(
  folder: StoredRun,
  cells: readonly Cell[],
  publication: { readonly run: string; readonly data?: string | undefined },
  io: Io,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const task of new Set(cells.map((cell) => cell.task))) {
    const { units } = await dataOfRun(folder, task, publication, io);
    for (const { examples } of units)
      for (const { question } of examples) texts.set(`${task} ${question.id}`, question.text);
  }
  return texts;
}

/** The largest value of a metric from 0; undefined where none is known. */
export const mostOf = (metric: Metric | undefined): number | undefined =>
  metric?.most ?? (metric?.labels === undefined ? undefined : 1);

/** A line for each scored question and metric that a question has by itself. `headOf`: what ties it to the metric's result. */
export function samplesOf(
  task: Task,
  rows: readonly ScoredRow[],
  questions: ReadonlyMap<string, string>,
  headOf: (metric: string) => object,
): string {
  const lines = metricsOf([task]).flatMap((metric) =>
    rows.map((row) => {
      const { outcome, spend, spendUnknown, gold } = row;
      const raw = questions.get(`${task.name} ${row.question}`) ?? "";
      const score = scoreAlone(metric, row) ?? 0; // scored rows alone
      const sumOf = (side: "in" | "out") => Object.values(spend).reduce((sum, one) => sum + one[side], 0);
      const [input_tokens, output_tokens] = [sumOf("in"), sumOf("out")];
      const read = { turn_idx: 0, source: "output.raw", extracted_value: strictText(row), extraction_method: "custom" };
      return {
        schema_version: "instance_level_eval_0.3.0",
        ...headOf(metric.name),
        sample_id: row.question,
        sample_hash: sampleHash(raw, [gold]),
        interaction_type: "single_turn",
        input: { raw, reference: [gold] },
        output: { raw: outcome.kind === "failed" ? [] : [outcome.reply] },
        answer_attribution: outcome.kind === "answered" ? [{ ...read, is_terminal: true }] : [],
        evaluation: { score, is_correct: score === (metric.better === "lower" ? 0 : (mostOf(metric) ?? 1)) },
        ...(spendUnknown === true
          ? {}
          : { token_usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens } }),
        metadata: { user: row.user, unit: row.unit, outcome: outcome.kind },
      };
    }),
  );
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** SHA-256 of question and golds as Python's `json.dumps` writes them: sorted, compact, ASCII alone. */
export const sampleHash = (raw: string, reference: readonly string[]): string =>
  sha256(
    JSON.stringify({ raw, reference }).replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );

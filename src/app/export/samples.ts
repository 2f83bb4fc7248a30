import { strictText } from "../../report/pairs.js";
import { sha256 } from "../../text/content-id.js";
import type { Cell } from "../../types/index.js";
import { dataOfRun } from "../common/run-data.js";
import type { StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type About, evaluationName, mostOf, resultId } from "./exported-cell.js";
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

/** A line for each scored question and metric that a question has by itself. */
export function samplesOf(
  { cell, task, scored, evaluation, model }: About,
  questions: ReadonlyMap<string, string>,
): object[] {
  return metricsOf([task]).flatMap((metric) =>
    scored.map((row) => {
      const raw = questions.get(`${cell.task} ${row.question}`) ?? "";
      const score = scoreAlone(metric, row) ?? 0; // scored rows alone
      const spend = Object.values(row.spend);
      const sumOf = (side: "in" | "out") => spend.reduce((sum, one) => sum + one[side], 0);
      const tokens = { input_tokens: sumOf("in"), output_tokens: sumOf("out") };
      const reply = row.outcome.kind === "failed" ? "" : row.outcome.reply;
      return {
        schema_version: SCHEMA,
        evaluation_id: evaluation,
        model_id: model.id,
        evaluation_name: evaluationName(cell),
        evaluation_result_id: resultId(cell, metric.name),
        sample_id: row.question,
        sample_hash: sampleHash(raw, [row.gold]),
        interaction_type: "single_turn",
        input: { raw, reference: [row.gold] },
        output: { raw: [reply] },
        answer_attribution:
          row.outcome.kind === "answered"
            ? [
                {
                  ...{ turn_idx: 0, source: "output.raw", extracted_value: strictText(row) },
                  ...{ extraction_method: "custom", is_terminal: true },
                },
              ]
            : [],
        evaluation: { score, is_correct: score === (metric.better === "lower" ? 0 : (mostOf(metric) ?? 1)) },
        ...(row.spendUnknown === true
          ? {}
          : { token_usage: { ...tokens, total_tokens: tokens.input_tokens + tokens.output_tokens } }),
        metadata: { user: row.user, unit: row.unit, outcome: row.outcome.kind },
      };
    }),
  );
}

/** SHA-256 of question and golds as Python's `json.dumps` writes them: sorted, compact, ASCII alone. */
export const sampleHash = (raw: string, reference: readonly string[]): string =>
  sha256(
    JSON.stringify({ raw, reference }).replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );

const SCHEMA = "instance_level_eval_0.3.0";

import { fileURLToPath } from "node:url";
import { UsageError } from "../../errors.js";
import { notesOf } from "../../notes/note.js";
import type { Choice } from "../../results/selections.js";
import { timingsOf } from "../../run/calls.js";
import type { StoredRun } from "../../run/stored-run.js";
import type { Cell } from "../../types/index.js";
import { type HumanLabels, labelOf, readLabels } from "./labels.js";
import { armName } from "./material.js";

/** What an arm of a run chose for the questions that have labels. */
export interface ArmChoices {
  /** Its name among the arms of the run. */
  readonly name: string;
  readonly cell: Cell;
  readonly choices: readonly Choice[];
}

/** The labels of the file, or those of the built-in data. */
export const labelsOf = (file: string | undefined, cwd: string): HumanLabels =>
  readLabels(file ?? fileURLToPath(DEMO_LABELS), cwd);

const DEMO_LABELS = new URL("../../../datasets/demo/profile-questions/people.json", import.meta.url);

/** The choices of every arm that made some, first repeats alone, in the order of the plan. */
export function choicesOf(folder: StoredRun, known: HumanLabels): ArmChoices[] {
  const { cells } = folder.manifest.plan;
  const rows = new Map(folder.rows.map((row) => [keyOf(row), row]));
  const seconds = new Map([...timingsOf(folder.path)].map(({ ms, ...of }) => [keyOf(of), ms / 1000] as const));
  const made = folder.traces.flatMap((trace) => {
    const { question } = trace;
    const cell = folder.cell(trace.cell);
    const [events] = notesOf(trace.notes, "retrieved");
    if (cell === undefined || question === undefined || events === undefined || cell.repeat > 0) return [];
    const key = keyOf(trace);
    return [
      {
        cell,
        key,
        question,
        events,
        utilities: notesOf(trace.notes, "utilities")[0],
        spend: rows.get(key)?.spend ?? {},
      },
    ];
  });
  const shown = new Map(made.map(({ key, events }) => [key, events.length]));
  const promptOf = ({ task, model }: Cell, question: string): string => [task, model, question].join("\t");
  const plain = new Map<string, number>();
  for (const row of folder.rows) {
    const [cell, { answer }] = [folder.cell(row.cell), row.spend];
    if (cell === undefined || answer === undefined || (shown.get(keyOf(row)) ?? 0) > 0) continue;
    const prompt = promptOf(cell, row.question);
    plain.set(prompt, Math.min(answer.in, plain.get(prompt) ?? Number.POSITIVE_INFINITY)); // a method that retrieves nothing may still show more
  }
  return cells.flatMap((cell) => {
    const choices = made.flatMap(({ key, question, events, utilities, spend, ...one }): Choice[] => {
      const label = labelOf(question, known);
      if (one.cell !== cell || label === undefined) return [];
      const plainTokens = plain.get(promptOf(cell, question));
      return [{ question, label, events, utilities, spend, plainTokens, seconds: seconds.get(key) }];
    });
    return choices.length === 0 ? [] : [{ name: armName(cell, cells), cell, choices }];
  });
}

/** Throws UsageError where nothing was chosen for a question with labels. */
export function refuseUnlabelled(run: string, labels: string | undefined, arms: readonly ArmChoices[]): void {
  if (arms.length === 0)
    throw new UsageError(
      `${run}: no question has both labels${labels === undefined ? "" : ` in ${labels}`} and a record of what was chosen; are these the labels of this run's questions? (--labels FILE)`,
    );
}

const keyOf = ({ cell, question }: { readonly cell: string; readonly question?: string | undefined }): string =>
  `${cell}\t${question}`;

import { UsageError } from "../../errors.js";
import { notesOf, type UtilitiesNote } from "../../notes/note.js";
import { armLabel, settingsApart } from "../../results/arms.js";
import type { Choice } from "../../results/selections.js";
import { timingsOf } from "../../run/calls.js";
import type { Io } from "../../run/io.js";
import { openRunFolder, type StoredRun } from "../../run/stored-run.js";
import type { Cell, Row } from "../../types/index.js";
import { type HumanLabels, labelOf } from "./labels.js";

/** A question of a run and the utilities that were measured for it. */
export interface Measured {
  readonly cell: Cell;
  readonly user: string;
  readonly question: string;
  readonly utilities: UtilitiesNote;
}

export interface MeasuredRun {
  readonly folder: StoredRun;
  readonly measured: readonly Measured[];
}

const keyOf = ({ cell, question }: { readonly cell: string; readonly question?: string | undefined }): string =>
  `${cell}\t${question}`;

/** Returns the utilities that RUMS measured in a run, first repeats alone, in file order. Throws UsageError where it measured none. */
export function measuredRun(run: string, io: Pick<Io, "cwd">): MeasuredRun {
  const folder = openRunFolder(run, io.cwd);
  const rows = new Map(folder.rows.map((row) => [keyOf(row), row]));
  const measured = folder.traces.flatMap((trace): Measured[] => {
    const [cell, row] = [folder.cell(trace.cell), rows.get(keyOf(trace))];
    const [utilities] = notesOf(trace.notes, "utilities");
    if (cell === undefined || utilities === undefined || row === undefined || cell.repeat > 0) return [];
    return [{ cell, user: row.user, question: row.question, utilities }];
  });
  if (measured.length > 0) return { folder, measured };
  throw new UsageError(`${run}: RUMS measured nothing here; make a run with --method rums, or with --set select=rums`);
}

/**
 * Returns a method's name, with its selector where it has one by option, and with the settings that tell it from other arms of both:
 * `rag select=rums (rums.tokens=100)`.
 */
export function armName(cell: Cell, cells: readonly Cell[]): string {
  const { task, method, options } = cell;
  const withSelector = `${method}${options.select === undefined ? "" : ` select=${options.select}`}`;
  const peers = cells.filter(
    (other) => other.task === task && other.method === method && other.options.select === options.select,
  );
  const settings = (of: Cell): Cell["options"] => ({ model: of.model, ...of.options });
  return armLabel({ method: withSelector, variant: settingsApart(settings(cell), peers.map(settings)) });
}

/** Groups by task and arm, in the order of the plan. */
export function byArm({ folder, measured }: MeasuredRun): Map<string, Measured[]> {
  const { cells } = folder.manifest.plan;
  const nameOf = (cell: Cell): string => `${cell.task}, ${armName(cell, cells)}`;
  const groups = new Map<string, Measured[]>(cells.map((cell) => [nameOf(cell), []]));
  for (const one of measured) groups.get(nameOf(one.cell))?.push(one);
  return new Map([...groups].filter(([, group]) => group.length > 0));
}

/** Whether a row's answer is its gold; undefined where that cannot be told. */
export function isRight({ outcome, gold }: Row): boolean | undefined {
  if (gold === undefined || outcome.kind === "failed") return undefined;
  return outcome.kind === "answered" && (outcome.lenient ?? outcome.reply.trim()) === gold;
}

/** What an arm of a run chose for the questions that have labels. */
interface ArmChoices {
  /** Its name among the arms of the run. */
  readonly name: string;
  readonly cell: Cell;
  readonly choices: readonly Choice[];
}

/** Returns the choices of every arm that made some, first repeats alone, in the order of the plan. */
export function choicesOf(folder: StoredRun, known: HumanLabels): ArmChoices[] {
  const { cells } = folder.manifest.plan;
  const rows = new Map(folder.rows.map((row) => [keyOf(row), row]));
  const seconds = new Map([...timingsOf(folder.path)].map(({ ms, ...of }) => [keyOf(of), ms / 1000] as const));
  const made = folder.traces.flatMap(({ cell, question, notes }) => {
    const [events] = notesOf(notes, "retrieved");
    return question === undefined || events === undefined ? [] : [{ cell, question, notes, events }];
  });
  const shown = new Map(made.map((one) => [keyOf(one), one.events.length]));
  const promptOf = ({ task, model }: Cell, question: string): string => [task, model, question].join("\t");
  const plain = new Map<string, number>();
  for (const row of folder.rows) {
    const [cell, { answer }] = [folder.cell(row.cell), row.spend];
    if (cell === undefined || answer === undefined || (shown.get(keyOf(row)) ?? 0) > 0) continue;
    const prompt = promptOf(cell, row.question);
    plain.set(prompt, Math.min(answer.in, plain.get(prompt) ?? Number.POSITIVE_INFINITY)); // a method that retrieves nothing may still show more
  }
  return cells.flatMap((cell) => {
    const choices = made.flatMap(({ question, notes, events, ...of }): Choice[] => {
      const label = labelOf(question, known);
      if (of.cell !== cell.id || cell.repeat > 0 || label === undefined) return [];
      const key = keyOf({ ...of, question });
      const [utilities] = notesOf(notes, "utilities");
      const plainTokens = plain.get(promptOf(cell, question));
      const spend = rows.get(key)?.spend ?? {};
      return [{ question, label, events, utilities, spend, plainTokens, seconds: seconds.get(key) }];
    });
    return choices.length === 0 ? [] : [{ name: armName(cell, cells), cell, choices }];
  });
}

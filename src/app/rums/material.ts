import { UsageError } from "../../errors.js";
import { notesOf, type UtilitiesNote } from "../../notes/note.js";
import { armLabel, settingsApart } from "../../results/arms.js";
import type { Io } from "../../run/io.js";
import { openRunFolder, type StoredRun } from "../../run/stored-run.js";
import type { Cell, Row } from "../../types/index.js";

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

/** The utilities that RUMS measured in a run, in file order. Throws UsageError where it measured none. */
export function measuredRun(run: string, io: Pick<Io, "cwd">): MeasuredRun {
  const folder = openRunFolder(run, io.cwd);
  const rows = new Map(folder.rows.map((row) => [keyOf(row), row]));
  const measured = folder.traces.flatMap((trace): Measured[] => {
    const cell = folder.cell(trace.cell);
    const [utilities] = notesOf(trace.notes, "utilities");
    const row = trace.question === undefined ? undefined : rows.get(`${trace.cell}\t${trace.question}`);
    if (cell === undefined || utilities === undefined || row === undefined || cell.repeat > 0) return [];
    return [{ cell, user: row.user, question: row.question, utilities }];
  });
  if (measured.length === 0)
    throw new UsageError(
      `${run}: RUMS measured nothing here; make a run with --method rums, or with --set select=rums`,
    );
  return { folder, measured };
}

/**
 * A method, with its selector where it has one by option, and with the settings that tell it from other arms of both:
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

/** Groups of one task and arm, in the order of the plan. */
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

const keyOf = ({ cell, question }: Row): string => `${cell}\t${question}`;

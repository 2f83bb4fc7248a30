import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import { paperTable } from "../../report/papers/index.js";
import type { PaperTable } from "../../report/papers/paper.js";
import { besidePaper, type Reproduced } from "../../report/reproduce/beside-paper.js";
import { derivePublished, type PublishedTask } from "../../report/reproduce/published.js";
import { renderPublished } from "../../report/reproduce/published-text.js";
import { type StandIn, withStandIns } from "../../report/reproduce/stand-ins.js";
import { renderReproduced, viewsFor } from "../../report/reproduce/text.js";
import { tasks } from "../../tasks/index.js";
import type { Io } from "../io.js";
import { labelsOf } from "../rums/choices.js";
import { ownRuns } from "./arms.js";

export { papers, paperTables, renderPaper } from "../../report/papers/index.js";
export type { Reproduced } from "../../report/reproduce/beside-paper.js";
export type { StandIn } from "../../report/reproduce/stand-ins.js";

export interface ReproduceSettings {
  /** Id of a published table or figure, e.g. `personaagent/T2`. */
  readonly table: string;
  /** Run folders, or folders of runs. */
  readonly runs: readonly string[];
  /** Own methods that stand where the paper has another. */
  readonly as?: readonly StandIn[];
  /** Only this task. */
  readonly task?: string | undefined;
  /** What people said of the questions, for tables about that; absent: the labels of the built-in data. */
  readonly labels?: string | undefined;
}

/**
 * A published table filled by own runs, beside its values where these are real. Only reads. Throws UsageError on a table that is not
 * known, and, with the command that makes one, where no run is named.
 */
export async function reproduce(
  { table: name, runs, as = [], task, labels }: ReproduceSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<Reproduced> {
  const whole = paperTable(name, "reproduce");
  const table = task === undefined ? whole : onlyTask(whole, task);
  if (runs.length === 0) throw new UsageError(howToRun(whole));
  const { arms, unreal } = ownRuns(runs, whole.labelled === undefined ? undefined : labelsOf(labels, io.cwd), io);
  if (whole.labelled === true && arms.length > 0 && arms.every(({ choices }) => choices === undefined))
    throw new UsageError(
      `reproduce ${name}: no question of these runs has labels; name what people said of them: --labels FILE`,
    );
  return besidePaper(withStandIns(table, as, arms), arms, unreal);
}

export const reproducedForms = ["text", "markdown", "latex", "json"] as const;
export type ReproducedForm = (typeof reproducedForms)[number];

/** JSON names every value; what does not exist is null. */
export function renderReproducedAs(reproduced: Reproduced, form: ReproducedForm): string {
  if (form !== "json") return renderReproduced(reproduced, form);
  const { table, unreal, arms, lines, claims, remarks } = reproduced;
  const { name, title, source, caveats, notes, views } = table;
  const runs = [...new Set(arms.map(({ run }) => run))];
  const commands = viewsFor(views, arms);
  return jsonOf({ table: name, title, source, unreal, runs, lines, claims, remarks, caveats, notes, commands });
}

interface Published {
  readonly table: PaperTable;
  readonly derived: readonly PublishedTask[];
}

/**
 * Arithmetic on the published values alone; no data, key or model. `task`: only this one. `size`: questions behind its values instead
 * of the derived ones. Throws UsageError on unknown names, and on a size of no single task.
 */
export function published(name: string, task?: string, size?: number): Published {
  const whole = paperTable(name, "reproduce");
  const table = task === undefined ? whole : onlyTask(whole, task);
  return size === undefined ? { table, derived: derivePublished(table) } : atSize(table, size);
}

/** `against`: only pairs with this method, as the paper names it. Throws UsageError on what the form cannot show. */
export function renderPublishedAs(
  { table, derived }: Published,
  form: ReproducedForm,
  against: string | undefined,
): string {
  const { name, title, source, caveats, rows, claims } = table;
  const methods = rows.map(({ method }) => method);
  const named = methods.find((method) => method.toLowerCase() === against?.toLowerCase());
  if (against !== undefined && named === undefined)
    throw new UsageError(`--against ${against}: not in ${name}${choices(against, methods, "its methods")}`);
  if (form === "latex")
    throw new UsageError("--format latex: works with --run; for published values: --format markdown");
  if (form === "json" && against !== undefined)
    throw new UsageError(`--against ${against}: works with --format text and markdown; JSON has every pair`);
  if (form !== "json") return renderPublished(table, derived, { form, against: named });
  const sentences = claims.map(({ text, source }) => ({ text, source }));
  return jsonOf({ table: name, title, source, derived: true, tasks: derived, claims: sentences, caveats });
}

/** Beyond this, a printed share of three digits no longer tells the hits. */
const LARGEST_SIZE = 999;

function atSize(table: PaperTable, size: number): Published {
  const known = [...new Set(table.columns.map(({ task }) => task))].filter((task) => table.samples[task] !== undefined);
  const [task, ...more] = known;
  if (task === undefined || more.length > 0)
    throw new UsageError(
      `--n ${size}: the size of one task's test set; add --task${task === undefined ? "" : `, one of ${known.join(", ")}`}`,
    );
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_SIZE)
    throw new UsageError(`--n ${size}: give a whole number of questions from 1 to ${LARGEST_SIZE}`);
  return { table, derived: derivePublished({ ...table, samples: { [task]: size } }, true) };
}

function howToRun({ name, make, columns }: PaperTable): string {
  const published =
    columns.length === 0
      ? ""
      : `; what its published values imply by themselves: lamp-eval reproduce ${name} --published-only`;
  const config = /--config configs\/(.*)\.yaml/.exec(make)?.[1];
  const shipped = config === undefined ? "" : ` (outside a checkout --preset ${config} is the same)`;
  return `reproduce ${name}: name your run with --run DIR; to make one: lamp-eval ${make} --model PROVIDER/ID --data DIR${shipped}${published}`;
}

function onlyTask(table: PaperTable, name: string): PaperTable {
  const task = tasks.get(name, "--task").name;
  const kept = table.columns.flatMap((column, c) => (column.task === task ? [c] : []));
  if (kept.length === 0) {
    const known = [...new Set(table.columns.map((column) => column.task))];
    throw new UsageError(
      `--task ${name}: no values of it in ${table.name}${known.length === 0 ? "" : `; its tasks: ${known.join(", ")}`}`,
    );
  }
  return {
    ...table,
    columns: kept.map((c) => table.columns[c]!), // an index of the columns
    rows: table.rows.map((row) => ({ ...row, printed: kept.map((c) => row.printed[c]!) })),
  };
}

/** What does not exist is written as null, never left out. */
const jsonOf = (value: object): string => JSON.stringify(value, (_key, part: unknown) => part ?? null, 2);

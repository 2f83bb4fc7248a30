import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import type { PaperTable } from "../../report/papers/paper.js";
import { besidePaper, type Reproduced } from "../../report/reproduce/beside.js";
import { derivePublished, type PublishedTask } from "../../report/reproduce/published.js";
import { renderPublished } from "../../report/reproduce/published-text.js";
import { type StandIn, withStandIn } from "../../report/reproduce/stand-ins.js";
import { renderReproduced, viewsFor } from "../../report/reproduce/text.js";
import type { Io } from "../../run/io.js";
import { readPreset } from "../../run/plan/config.js";
import { tasks } from "../../tasks/index.js";
import { labelsOf } from "../rums/choices.js";
import { ownRuns } from "./arms.js";
import { tableNamed } from "./papers.js";

export type { Reproduced } from "../../report/reproduce/beside.js";
export type { StandIn } from "../../report/reproduce/stand-ins.js";

export interface ReproduceSettings {
  /** A published table or figure: `personaagent/T2`, or of a paper in a YAML file `paper.yaml/T2`. */
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

/** Fills a published table with own runs. Only reads. Throws UsageError on an unknown table, and where no run is named. */
export async function reproduce(
  { table: name, runs, as = [], task, labels }: ReproduceSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<Reproduced> {
  const whole = tableNamed(name, io.cwd);
  if (runs.length === 0) throw new UsageError(howToRun(whole));
  const { arms, unreal } = ownRuns(runs, whole.labelled ? labelsOf(labels, io.cwd) : undefined, io);
  if (whole.labelled && arms.length > 0 && arms.every((arm) => arm.choices === undefined))
    throw new UsageError(
      `reproduce ${name}: no question of these runs has labels; name what people said of them: --labels FILE`,
    );
  const table = as.reduce((before, one) => withStandIn(before, one, arms), onlyTask(whole, task));
  return besidePaper({ ...table, presetOf: (of) => presetFor(whole, of) }, arms, unreal);
}

function presetFor({ preset, name }: PaperTable, task: string) {
  const layers = preset === undefined ? [] : readPreset(preset, `${name}: preset`, tasks);
  return Object.assign({}, ...layers.flatMap(({ set, perTask }) => [set, perTask?.[task]]));
}

export const reproducedForms = ["text", "markdown", "latex", "json"] as const;
export type ReproducedForm = (typeof reproducedForms)[number];

/** Prints a filled table. JSON names every value; what does not exist is null. */
export function renderReproducedAs(reproduced: Reproduced, form: ReproducedForm): string {
  if (form !== "json") return renderReproduced(reproduced, form);
  const { table, arms, ...found } = reproduced;
  const { name, title, source, caveats, notes } = table;
  const runs = [...new Set(arms.map(({ run }) => run))];
  return jsonOf({
    table: name,
    title,
    source,
    runs,
    unreal: undefined,
    ...found,
    caveats,
    notes,
    commands: viewsFor(table, arms),
  });
}

interface Published {
  readonly table: PaperTable;
  readonly derived: readonly PublishedTask[];
}

/** Derives what published values imply. `size`: questions behind one task's values, instead of the derived number. */
export function published(whole: PaperTable, task?: string, size?: number): Published {
  const table = onlyTask(whole, task);
  if (size === undefined) return { table, derived: derivePublished(table) };
  const [known, ...more] = Object.keys(table.sizes).filter((one) =>
    table.columns.some((column) => column.task === one),
  );
  if (known === undefined || more.length > 0) {
    const all = [known ?? [], more].flat().join(", ");
    throw new UsageError(
      `--n ${size}: the size of one task's test set; add --task${all === "" ? "" : `, one of ${all}`}`,
    );
  }
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_SIZE)
    throw new UsageError(`--n ${size}: give a whole number of questions from 1 to ${LARGEST_SIZE}`);
  return {
    table,
    derived: derivePublished({ ...table, sizes: { [known]: { n: size, stated: false, alsoFits: [] } } }, true),
  };
}

/** Beyond this, a printed share of three digits no longer tells the hits. */
const LARGEST_SIZE = 999;

/** Prints what is derived. `against`: only pairs with this row. Throws UsageError on what the form cannot show. */
export function renderPublishedAs({ table, derived }: Published, form: ReproducedForm, against?: string): string {
  const { name, title, source, caveats } = table;
  const labels = table.rows.map(({ label }) => label);
  const named = labels.find((label) => label.toLowerCase() === against?.toLowerCase());
  if (against !== undefined && named === undefined)
    throw new UsageError(`--against ${against}: not in ${name}${choices(against, labels, "its methods")}`);
  if (form === "latex")
    throw new UsageError("--format latex: works with --run; for published values: --format markdown");
  if (form === "json" && against !== undefined)
    throw new UsageError(`--against ${against}: works with --format text and markdown; JSON has every pair`);
  if (form !== "json") return renderPublished(table, derived, { form, against: named });
  const claims = table.claims.map((claim) => ({ text: claim.text, source: claim.source }));
  return jsonOf({ table: name, title, source, derived: true, tasks: derived, claims, caveats });
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

/** The columns of one task, with their values; the whole table where none is named. */
function onlyTask(table: PaperTable, name: string | undefined): PaperTable {
  if (name === undefined) return table;
  const task = tasks.get(name, "--task").name;
  const known = [...new Set(table.columns.map((column) => column.task))];
  if (!known.includes(task))
    throw new UsageError(
      `--task ${name}: no values of it in ${table.name}${known.length === 0 ? "" : `; its tasks: ${known.join(", ")}`}`,
    );
  const isKept = (_: unknown, at: number) => table.columns[at]?.task === task;
  const rows = table.rows.map((row) => ({ ...row, values: row.values.filter(isKept) }));
  return { ...table, columns: table.columns.filter(isKept), rows };
}

/** What does not exist is written as null, never left out. */
const jsonOf = (value: object): string => JSON.stringify(value, (_key, part: unknown) => part ?? null, 2);

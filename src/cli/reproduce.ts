import { Command, InvalidArgumentError, Option } from "commander";
import { ownArms } from "../app/reproduce/arms.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { renderReproducedLatex } from "../report/reproduce/latex.js";
import type { PaperTable } from "../report/reproduce/paper-tables.js";
import { paperTable, paperTables } from "../report/reproduce/papers/index.js";
import { derivePublished } from "../report/reproduce/published.js";
import { renderPublished } from "../report/reproduce/published-text.js";
import { type Reproduced, reproduce } from "../report/reproduce/reproduced.js";
import { type StandIn, withStandIns } from "../report/reproduce/stand-ins.js";
import { renderReproduced, viewsFor } from "../report/reproduce/text.js";
import { tasks } from "../tasks/index.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly run?: readonly string[];
  readonly as?: readonly StandIn[];
  readonly publishedOnly?: boolean;
  readonly task?: string;
  readonly against?: string;
  readonly format: (typeof forms)[number];
  readonly json?: boolean;
}

/** `lamp-eval reproduce 000/T2`: own runs beside a published table, or what that table implies by itself. Only reads. */
export function reproduceCommand(io: Terminal): Command {
  return new Command("reproduce")
    .argument("<table>", `published table or figure: ${paperTables.names.join(", ")}`)
    .option("--run <dir>", "run folder, or a folder of runs; repeatable", (dir: string, sofar: string[] = []) => [
      ...sofar,
      dir,
    ])
    .option(
      "--as <paper=own>",
      "what the paper calls PAPER is the method OWN of the runs, e.g. PersonaAgent=mine of lamp-eval import; repeatable",
      standIn,
    )
    .option("--published-only", "arithmetic on the published values alone; no data, key or model")
    .option("--task <name>", "only this task")
    .option("--against <method>", "with --published-only: only pairs with this method, as the paper names it")
    .addOption(
      new Option("--format <form>", "text, markdown, latex (with --run) or json").choices(forms).default("text"),
    )
    .option("--json", "as --format json")
    .action((name: string, flags: Flags) => {
      const whole = paperTable(name, "reproduce");
      const table = flags.task === undefined ? whole : onlyTask(whole, flags.task);
      const format = flags.json === true ? "json" : flags.format;
      if (flags.publishedOnly === true && flags.run !== undefined)
        throw new UsageError("--published-only takes no --run: it is about the published values alone");
      if (flags.publishedOnly === true && flags.as !== undefined)
        throw new UsageError("--published-only takes no --as: it is about the published values alone");
      if (flags.publishedOnly === true) return io.out(published(table, format, flags.against));
      if (flags.against !== undefined)
        throw new UsageError(`--against ${flags.against}: works with --published-only; own methods: lamp-eval compare`);
      if (flags.run === undefined) throw new UsageError(howToRun(whole));
      const arms = ownArms(flags.run, io.cwd);
      io.out(beside(reproduce(withStandIns(table, flags.as ?? [], arms), arms), format));
    });
}

// --- internal ---

const forms = ["text", "markdown", "latex", "json"] as const;

function standIn(pair: string, sofar: readonly StandIn[] = []): readonly StandIn[] {
  const equals = pair.lastIndexOf("=");
  const [method, own] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  if (equals < 1 || own === "")
    throw new InvalidArgumentError("expected the paper's method = the run's, e.g. PersonaAgent=mine.");
  return [...sofar, { method, own }];
}

function howToRun({ name, make, columns }: PaperTable): string {
  const published =
    columns.length === 0
      ? ""
      : `; what its published values imply by themselves: lamp-eval reproduce ${name} --published-only`;
  const config = /--config configs\/(.*)\.yaml/.exec(make)?.[1];
  const shipped = config === undefined ? "" : ` (outside a checkout --preset paper-${config} is the same)`;
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

function published(table: PaperTable, format: Flags["format"], against: string | undefined): string {
  const { name, title, source, caveats, rows, claims } = table;
  const methods = rows.map(({ method }) => method);
  const named = methods.find((method) => method.toLowerCase() === against?.toLowerCase());
  if (against !== undefined && named === undefined)
    throw new UsageError(
      `--against ${against}: not in ${name}${suggest(against, methods)}; its methods: ${methods.join(", ")}`,
    );
  if (format === "latex")
    throw new UsageError("--format latex: works with --run; for published values: --format markdown");
  if (format === "json" && against !== undefined)
    throw new UsageError(`--against ${against}: works with --format text and markdown; JSON has every pair`);
  const derived = derivePublished(table);
  if (format !== "json") return renderPublished(table, derived, { form: format, against: named });
  const said = claims.map(({ text, source }) => ({ text, source }));
  return JSON.stringify(
    { table: name, title, source, derived: true, tasks: derived, claims: said, caveats },
    orNull,
    2,
  );
}

function beside(reproduced: Reproduced, format: Flags["format"]): string {
  if (format === "latex") return renderReproducedLatex(reproduced);
  if (format !== "json") return renderReproduced(reproduced, format);
  const { table, arms, lines, claims, remarks } = reproduced;
  const { name, title, source, caveats, notes, views } = table;
  const runs = [...new Set(arms.map(({ run }) => run))];
  const commands = viewsFor(views, arms);
  return JSON.stringify(
    { table: name, title, source, runs, lines, claims, remarks, caveats, notes, commands },
    orNull,
    2,
  );
}

/** What does not exist is written as null, never left out. */
const orNull = (_key: string, value: unknown): unknown => value ?? null;

import { Command, InvalidArgumentError, Option } from "commander";
import { isPaper, paperIds, paperNamed, renderPaper, tableNamed } from "../app/reproduce/papers.js";
import {
  published,
  type ReproducedForm,
  renderPublishedAs,
  renderReproducedAs,
  reproduce,
  reproducedForms,
  type StandIn,
} from "../app/reproduce/reproduce.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly run?: readonly string[];
  readonly as?: readonly StandIn[];
  readonly publishedOnly?: boolean;
  readonly task?: string;
  readonly labels?: string;
  readonly against?: string;
  readonly n?: SetSize;
  readonly format: ReproducedForm;
  readonly json?: boolean;
}

/** `lamp-eval reproduce personaagent/T2`: own runs beside a published table, or what that table implies by itself. Only reads. */
export const reproduceCommand = (io: Terminal): Command =>
  new Command("reproduce")
    .argument(
      "<table>",
      `PAPER/TABLE, as personaagent/T2; a paper, for a list of its tables: ${paperIds().join(", ")}; or your own file: paper.yaml, paper.yaml/T1`,
    )
    .option("--run <dir>", "run folder, or a folder of runs; repeatable", collected)
    .option(
      "--as <paper=own>",
      "what the paper calls PAPER is the method OWN of the runs, e.g. PersonaAgent=mine of lamp-eval import; repeatable",
      standIn,
    )
    .option("--labels <file>", "what people said of the questions, for tables of rums (default: of the built-in data)")
    .option("--published-only", "arithmetic on the published values alone; no data, key or model")
    .option("--task <name>", "only this task")
    .option("--against <method>", "with --published-only: only pairs with this method, as the paper names it")
    .option(
      "--n <questions>",
      "with --published-only and --task: the size of the test set instead of the derived one; or TASK=N for both",
      sizeOf,
    )
    .addOption(
      new Option("--format <form>", "text, markdown, latex (with --run) or json")
        .choices(reproducedForms)
        .default("text"),
    )
    .option("--json", "as --format json")
    .action(async (table: string, flags: Flags) => io.out(await printed(table, flags, io)));

async function printed(table: string, flags: Flags, io: Terminal): Promise<string> {
  if (isPaper(table)) return renderPaper(paperNamed(table, io.cwd));
  const { run: runs = [], as = [], task, labels, against, n } = flags;
  const form = flags.json === true ? "json" : flags.format;
  if (flags.publishedOnly === true) {
    const given = (["run", "as"] as const).find((name) => flags[name] !== undefined);
    if (given !== undefined)
      throw new UsageError(`--published-only takes no --${given}: it is about the published values alone`);
    if (task !== undefined && n?.task !== undefined && n.task !== task)
      throw new UsageError(`--n ${n.given}: of another task than --task ${task}`);
    return renderPublishedAs(published(tableNamed(table, io.cwd), task ?? n?.task, n?.size), form, against);
  }
  if (n !== undefined) throw new UsageError(`--n ${n.given}: works with --published-only`);
  if (against !== undefined)
    throw new UsageError(`--against ${against}: works with --published-only; own methods: lamp-eval compare`);
  return renderReproducedAs(await reproduce({ table, runs, as, task, labels }, io), form);
}

const collected = (dir: string, sofar: readonly string[] = []): readonly string[] => [...sofar, dir];

/** A number of questions, with the task as in `lamp1=246`. */
interface SetSize {
  readonly given: string;
  readonly size: number;
  readonly task?: string | undefined;
}

function sizeOf(given: string): SetSize {
  const [, task, digits] = /^(?:\s*([^=\s]+)\s*=)?\s*(\d{1,9})\s*$/.exec(given) ?? [];
  if (digits === undefined)
    throw new UsageError(`--n ${given}: expected a number of questions, as in --task lamp1 --n 246 or --n lamp1=246`);
  return { given, size: Number(digits), task };
}

function standIn(pair: string, sofar: readonly StandIn[] = []): readonly StandIn[] {
  const equals = pair.lastIndexOf("=");
  const [method, own] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  if (equals < 1 || own === "")
    throw new InvalidArgumentError("expected the paper's method = the run's, e.g. PersonaAgent=mine.");
  return [...sofar, { method, own }];
}

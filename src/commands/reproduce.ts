import { readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { notesOf } from "../notes/note.js";
import { choices } from "../registry/registry.js";
import { sameFiles } from "../report/join.js";
import { measuredIn, summariesOf, tasksOfRun } from "../report/load.js";
import { besidePaper, type Reproduced, SIMULATED } from "../report/papers/beside.js";
import { LARGEST_SIZE } from "../report/papers/implied.js";
import type { OwnArm } from "../report/papers/own-arm.js";
import { onlyTask, type Paper, type PaperTable, paperOf, renderPaper } from "../report/papers/paper.js";
import { derivePublished, renderPublished } from "../report/papers/published.js";
import { renderReproduced, viewsFor } from "../report/papers/text.js";
import { armsOf, ofArm } from "../results/arms.js";
import { scoresOf } from "../results/judge-scores.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { readJudgements } from "../run/judgements.js";
import { parsed, readPreset } from "../run/plan/config.js";
import { withControl } from "../run/plan/controls.js";
import { allOptions } from "../run/plan/options.js";
import { refusePart } from "../run/plan/part.js";
import { configSettings } from "../run/plan/settings.js";
import { openRunFolder, runsIn, type StoredRun } from "../run/stored-run.js";
import { tasks } from "../tasks/index.js";
import { sha256 } from "../text/content-id.js";
import type { Cell, Trace } from "../types/index.js";
import { type HumanLabels, readLabels } from "./rums/labels.js";
import { choicesOf } from "./rums/material.js";
import type { Terminal } from "./terminal.js";

const forms = ["text", "markdown", "latex", "json"] as const;
type Form = (typeof forms)[number];

interface Flags {
  readonly run?: readonly string[];
  readonly publishedOnly?: boolean;
  readonly task?: string;
  readonly labels?: string;
  readonly n?: number;
  readonly format: Form;
}

/** `lamp-eval reproduce personaagent/T2`: own runs beside a published table, or what that table implies by itself. Only reads. */
export const reproduceCommand = (io: Terminal): Command =>
  new Command("reproduce")
    .argument(
      "<table>",
      `PAPER/TABLE, or a paper (${paperIds().join(", ")}, your own paper.yaml) for a list of its tables`,
    )
    .option("--run <dir>", "run folder, or a folder of runs; repeatable", (dir: string, sofar: string[] = []) => [
      ...sofar,
      dir,
    ])
    .option("--labels <file>", "what people said of the questions, for tables of rums (default: of the built-in data)")
    .option("--published-only", "arithmetic on the published values alone; no data, key or model")
    .option("--task <name>", "only this task")
    .option(
      "--n <questions>",
      "with --published-only and --task: the size of the test set, not the derived one",
      Number,
    )
    .addOption(
      new Option("--format <form>", "text, markdown, latex (with --run) or json").choices(forms).default("text"),
    )
    .action((table: string, flags: Flags) => io.out(printed(table, flags, io)));

function printed(name: string, { run: runs = [], publishedOnly, n, format, ...flags }: Flags, io: Terminal): string {
  if (!isTable(name)) return renderPaper(paperNamed(name, io.cwd));
  if (publishedOnly !== true) {
    if (n !== undefined) throw new UsageError(`--n ${n}: works with --published-only`);
    return renderReproducedAs(reproduce({ table: name, runs, ...flags }, io), format);
  }
  if (runs.length > 0) throw new UsageError("--published-only takes no --run: it is about the published values alone");
  const whole = tableNamed(name, io.cwd);
  const table = withSize(onlyTask(whole, flags.task), n);
  const derived = derivePublished(table);
  if (format === "latex")
    throw new UsageError("--format latex: works with --run; for published values: --format markdown");
  if (format !== "json") return renderPublished(table, derived, format);
  const { title, source, caveats, claims } = table;
  const said = claims.map((claim) => ({ text: claim.text, source: claim.source }));
  return jsonOf({ table: table.name, title, source, derived: true, tasks: derived, claims: said, caveats });
}

/** The table with `n` questions behind the values of its one task. Throws UsageError where it has several. */
function withSize(table: PaperTable, n: number | undefined): PaperTable {
  if (n === undefined) return table;
  const of = [...new Set(table.columns.map(({ task }) => task))];
  if (of.length !== 1)
    throw new UsageError(`--n ${n}: the size of one task's test set; add --task, one of ${of.join(", ")}`);
  if (!Number.isInteger(n) || n < 1 || n > LARGEST_SIZE)
    throw new UsageError(`--n ${n}: give a whole number of questions from 1 to ${LARGEST_SIZE}`);
  return { ...table, sizeOf: (task) => ({ ...table.sizeOf(task), n, origin: "given" }) };
}

export interface ReproduceSettings {
  /** A published table or figure: `personaagent/T2`, or of a paper in a YAML file `paper.yaml/T2`. */
  readonly table: string;
  /** Run folders, or folders of runs. */
  readonly runs: readonly string[];
  /** Only this task. */
  readonly task?: string | undefined;
  /** What people said of the questions, for tables about that; absent: the labels of the built-in data. */
  readonly labels?: string | undefined;
}

/** Fills a published table with own runs. Only reads. Throws UsageError on an unknown table, and where no run is named. */
export function reproduce({ table: name, runs, task, labels }: ReproduceSettings, io: ReadingIo): Reproduced {
  const whole = tableNamed(name, io.cwd);
  if (whole.valuesOnly !== undefined)
    throw new UsageError(`${name}: ${whole.valuesOnly}; its values: --published-only`);
  if (runs.length === 0)
    throw new UsageError(
      `${name}: name your run with --run DIR; to make one: lamp-eval ${whole.make} --model PROVIDER/ID --data DIR`,
    );
  const { arms, unreal } = ownRuns(runs, whole.labelled ? readLabels(labels, io.cwd) : undefined, io);
  if (whole.labelled && arms.length > 0 && arms.every((arm) => arm.choices === undefined))
    throw new UsageError(`${name}: no question of these runs has labels; name what people said of them: --labels FILE`);
  return besidePaper({ ...onlyTask(whole, task), presetOf: (of) => presetFor(whole, of) }, arms, unreal);
}

/** Prints a filled table. JSON names every value; what does not exist is null. */
export function renderReproducedAs(reproduced: Reproduced, form: Form): string {
  if (form !== "json") return renderReproduced(reproduced, form);
  const { table, arms, unreal, ...found } = reproduced;
  const { name, title, source, caveats, notes } = table;
  const runs = [...new Set(arms.map(({ run }) => run))];
  return jsonOf({
    table: name,
    title,
    source,
    runs,
    unreal,
    ...found,
    caveats,
    notes,
    commands: viewsFor(table, arms),
  });
}

/** What does not exist is written as null, never left out. */
const jsonOf = (value: object): string => JSON.stringify(value, (_key, part: unknown) => part ?? null, 2);

const folder = fileURLToPath(new URL("../../datasets/papers/", import.meta.url));
const read = new Map<string, Paper>();

/** Returns the ids of the papers of the package, one a YAML file in datasets/papers. */
const paperIds = (): string[] =>
  readdirSync(folder)
    .map((file) => basename(file, ".yaml"))
    .sort();

/** Returns all of them, each read when it is first asked for. */
export const papers = (): readonly Paper[] => paperIds().map((id) => paperNamed(id, "."));

/** Finds a paper by its id, or reads it from a YAML file. Throws UsageError on an unknown id and on a file that is no paper. */
export function paperNamed(name: string, cwd: string): Paper {
  if (isFile(name)) return paperOf(name, parsed(resolve(cwd, name), name));
  const id = name.toLowerCase();
  if (!paperIds().includes(id))
    throw new UsageError(`reproduce ${name}: no such paper${choices(id, paperIds(), "papers")}`);
  const paper = read.get(id) ?? paperOf(id, parsed(join(folder, `${id}.yaml`), id));
  read.set(id, paper);
  return paper;
}

/** Finds a table by `PAPER/TABLE` or `FILE.yaml/TABLE`. Throws UsageError with the reason where no run can produce it. */
export function tableNamed(name: string, cwd: string): PaperTable {
  const slash = name.lastIndexOf("/");
  const [paper, part] = [paperNamed(name.slice(0, slash), cwd), name.slice(slash + 1).toLowerCase()];
  const isNamed = (of: string): boolean => of.slice(of.lastIndexOf("/") + 1).toLowerCase() === part;
  const table = paper.tables.find((one) => isNamed(one.name));
  if (table !== undefined) return table;
  const why = Object.entries(paper.absent).find(([one]) => isNamed(one))?.[1];
  const names = paper.tables.map((one) => one.name);
  if (why !== undefined) throw new UsageError(`reproduce ${name}: ${why}; tables: ${names.join(", ")}`);
  throw new UsageError(`reproduce ${name}: no such table${choices(name, names, "tables")}`);
}

/** Whether the argument names a table, not a paper. */
const isTable = (name: string): boolean => !isFile(name) && name.includes("/");

const isFile = (name: string): boolean => /\.ya?ml$/i.test(name);

function presetFor({ preset, name }: PaperTable, task: string) {
  const layers = preset === undefined ? [] : readPreset(preset, `${name}: preset`, tasks);
  return Object.assign({}, ...layers.flatMap(({ set, perTask }) => [set, perTask?.[task]]));
}

type ReadingIo = Pick<Io, "cwd" | "catalogue" | "tell">;
interface OpenRun {
  readonly name: string;
  readonly folder: StoredRun;
  readonly tasks: Catalogue["tasks"];
}

/** Reads the arms of some runs. Throws UsageError on real runs among others, and on runs of different data for one task. */
function ownRuns(names: readonly string[], labels: HumanLabels | undefined, io: ReadingIo) {
  const inFolder = (name: string): string[] => {
    const inside = runsIn(resolve(io.cwd, name));
    return inside.length > 0 ? inside.map((run) => relative(io.cwd, run)) : [name];
  };
  const runs = names.flatMap(inFolder).map((name): OpenRun => {
    const folder = openRunFolder(name, io.cwd);
    return { name, folder, tasks: tasksOfRun(folder.manifest, catalogueOf(io), name) };
  });
  const data = runs.flatMap(({ name, folder }) => folder.manifest.plan.data.map((one) => ({ ...one, name })));
  for (const { name, folder } of runs) refusePart(name, folder.manifest);
  for (const { name, task, files } of data) {
    const before = data.find((one) => one.task === task);
    if (before !== undefined && !sameFiles(before.files, files))
      throw new UsageError(`${before.name} and ${name}: different data on ${task}; name runs of the same files`);
  }
  const demo = demoHashes();
  const unreal = runs.map((run) => ({ name: run.name, why: whyUnreal(run, demo) }));
  const [first, real] = [unreal.find(({ why }) => why !== undefined), unreal.find(({ why }) => why === undefined)];
  if (first !== undefined && real !== undefined)
    throw new UsageError(`${first.name}: ${first.why}, ${real.name} is real: no table holds both; name them apart`);
  return { arms: runs.flatMap((run) => armsIn(run, labels, catalogueOf(io))), unreal: first?.why };
}

function armsIn({ name, folder, tasks }: OpenRun, labels: HumanLabels | undefined, catalogue: Catalogue): OwnArm[] {
  const { manifest, path } = folder;
  const measured = measuredIn(path);
  const timings = [...measured.timings];
  const chosen = labels === undefined ? [] : choicesOf(folder, labels);
  const judges = readJudgements(path);
  return armsOf(manifest.plan.cells).flatMap((cells): OwnArm[] => {
    const [rows, units] = [ofArm(folder.rows, cells), ofArm(measured.units, cells)];
    const [summary] = summariesOf(manifest, { cells, rows, units, timings: ofArm(timings, cells) }, tasks);
    const [cell] = cells;
    if (summary === undefined || cell === undefined) return [];
    const data = manifest.plan.data.find((one) => one.task === cell.task && one.name === cell.dataset);
    return [
      {
        ...{ run: name, finished: manifest.finishedAt !== undefined, cell, summary, rows, units },
        settings: ownSettings(cell, cells.length, catalogue),
        data: { name: cell.dataset, files: data?.files.map((file) => file.name) ?? [] },
        personas: ofArm(folder.traces, cells).flatMap(personaOf),
        choices: chosen.find((one) => one.cell.id === cell.id)?.choices,
        verdicts: judges.flatMap(({ judgements }) => {
          const own = ofArm(judgements, cells);
          const against = folder.cell(own[0]?.against?.cell ?? "");
          return against === undefined ? [] : [{ against, verdicts: own }];
        }),
        judged: judgedArm(judges, cells),
      },
    ];
  });
}

/** What the first judge that scores single replies says of an arm; undefined where none does. */
function judgedArm(judges: ReturnType<typeof readJudgements>, cells: readonly Cell[]): OwnArm["judged"] {
  const [first] = judges.filter(({ facts }) => facts.against === undefined);
  if (first === undefined) return undefined;
  const own = ofArm(first.judgements, cells);
  const [score] = scoresOf(own, cells, first.facts);
  const verdicts = own.flatMap(({ position: turn, judged }) =>
    judged.kind === "judged" ? { turn, value: judged.value } : [],
  );
  return score?.mean === undefined ? undefined : { mean: score.mean, interval: score.interval, verdicts };
}

function personaOf(trace: Trace): OwnArm["personas"] {
  const versions = trace.question === undefined ? notesOf(trace.notes, "persona") : [];
  const [first, last] = [versions[0], versions.at(-1)];
  return first === undefined || last === undefined ? [] : [{ text: last.persona, initial: first.persona }];
}

/** Why a run's numbers mean nothing beside a paper's; undefined where they do. */
function whyUnreal({ folder: { manifest, rows, path } }: OpenRun, demo: ReadonlySet<string>): string | undefined {
  const isSimulated = manifest.simulated || rows.some((row) => row.simulated === true);
  if (isSimulated || readJudgements(path).some((one) => one.facts.simulated)) return SIMULATED;
  const isDemo = manifest.plan.data.some(({ files }) => files.some((file) => demo.has(file.sha256)));
  return isDemo ? "built-in demo data (synthetic), no published values" : undefined;
}

/** SHA-256 of the data files that ship with the package. */
function demoHashes(): ReadonlySet<string> {
  const demo = fileURLToPath(new URL("../../datasets/demo/", import.meta.url));
  const files = readdirSync(demo, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return new Set(files.map((file) => sha256(readText(join(demo, file)))));
}

/** What an arm of so many repeats ran with, beside the program's defaults. Of imported predictions the seed made nothing. */
function ownSettings(cell: Cell, repeats: number, catalogue: Catalogue): OwnArm["settings"] {
  const table = allOptions(catalogue);
  const held = Object.entries(withControl(cell)).map(([name, value]) => {
    const option = table[name];
    if (option !== undefined) return [name, { value, usual: option.canonical(name, option.default) }] as const;
    return [name, name === "online" ? { value, usual: configSettings.online.default } : { value }] as const;
  });
  return {
    ...Object.fromEntries(held),
    repeats: { value: repeats, usual: configSettings.repeats.default },
    ...("import.files" in cell.options ? {} : { seed: { value: cell.seed, usual: configSettings.seed.default } }),
  };
}

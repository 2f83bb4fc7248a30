import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { type HumanLabels, readLabels } from "../data/profile-questions/labels.js";
import { readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { notesOf } from "../notes/note.js";
import { catalogueOf } from "../plan/catalogue.js";
import { parsed } from "../plan/config.js";
import { judgementsOf } from "../record/judgements.js";
import type { ReadingIo } from "../record/stored-run.js";
import { choices as suggestion } from "../registry/registry.js";
import { type JoinedResults, joinResults } from "../report/join.js";
import { besidePaper, type Reproduced, SIMULATED } from "../report/papers/beside.js";
import type { OwnArm } from "../report/papers/own-arm.js";
import { onlyTask, type Paper, type PaperTable, paperOf, renderPaper } from "../report/papers/paper.js";
import { derivePublished, renderPublished } from "../report/papers/published.js";
import { renderReproduced, viewsFor } from "../report/papers/text.js";
import { ofArm } from "../results/arms.js";
import { scoresOf } from "../results/judge-scores.js";
import { sha256 } from "../text/content-id.js";
import type { ArmSpec, JudgedRun, Trace } from "../types/index.js";
import { gather } from "./flags.js";
import { choicesOf } from "./rums-run.js";
import type { CommandIo } from "./terminal.js";

const forms = ["text", "markdown", "latex", "json"] as const;
type Form = (typeof forms)[number];

interface Flags {
  readonly run?: readonly string[];
  readonly publishedOnly?: boolean;
  readonly task?: string;
  readonly labels?: string;
  readonly format: Form;
}

/** `lamp-eval reproduce personaagent/T2`: own runs beside a published table, or what that table implies by itself. Only reads. */
export const reproduceCommand = (io: CommandIo): Command =>
  new Command("reproduce")
    .argument(
      "<table>",
      `PAPER/TABLE, or a paper (${paperIds().join(", ")}, your own paper.yaml) for a list of its tables`,
    )
    .option("--run <dir>", "run folder, or a folder of runs; repeatable", gather)
    .option("--labels <file>", "what people said of the questions, for tables of rums (default: of the built-in data)")
    .option("--published-only", "arithmetic on the published values alone; no data, key or model")
    .option("--task <name>", "only this task")
    .addOption(
      new Option("--format <form>", "text, markdown, latex (with --run) or json").choices(forms).default("text"),
    )
    .action((table: string, flags: Flags) => io.out(printed(table, flags, io)));

function printed(name: string, { run: runs = [], publishedOnly, format, ...flags }: Flags, io: CommandIo): string {
  if (isPaperFile(name) || !name.includes("/")) return renderPaper(paperNamed(name, io.cwd));
  if (publishedOnly !== true) return renderReproducedAs(reproduce({ table: name, runs, ...flags }, io), format);
  if (runs.length > 0) throw new UsageError("--published-only takes no --run: it is about the published values alone");
  if (format === "latex")
    throw new UsageError("--format latex: works with --run; for published values: --format markdown");
  const table = onlyTask(tableNamed(name, io.cwd), flags.task);
  const derived = derivePublished(table);
  if (format !== "json") return renderPublished(table, derived, format);
  const { title, source, caveats } = table;
  return jsonOf({ table: table.name, title, source, derived: true, tasks: derived, caveats });
}

export interface ReproduceSettings {
  /** A published table or figure: `personaagent/T2`, or of a paper in a YAML file `paper.yaml/T2`. */
  readonly table: string;
  /** Run folders, or folders of runs. */
  readonly runs: readonly string[];
  /** Only this task. */
  readonly task?: string | undefined;
  /** Labels of the questions by people, for tables about that; absent: the labels of the built-in data. */
  readonly labels?: string | undefined;
}

/** Fills a published table with own runs. Only reads. Throws UsageError on an unknown table, and where no run is named. */
export function reproduce({ table: name, runs, task, labels }: ReproduceSettings, io: ReadingIo): Reproduced {
  const table = tableNamed(name, io.cwd);
  if (table.valuesOnly !== undefined)
    throw new UsageError(`${name}: ${table.valuesOnly}; its values: --published-only`);
  if (runs.length === 0) {
    const make = `lamp-eval ${table.make} --model PROVIDER/ID --data DIR`;
    throw new UsageError(`${name}: name your run with --run DIR; to make one: ${make}`);
  }
  const joined = joinResults(io.runs.all(runs), catalogueOf(io), { equal: false });
  const whyAlone = whyNotComparable(joined);
  const known = table.labelled ? readLabels(labels, io.cwd) : undefined;
  const arms = joined.runs.flatMap((run) => armsIn(run, joined, known));
  if (known !== undefined && arms.length > 0 && arms.every((arm) => arm.choices === undefined))
    throw new UsageError(`${name}: no question of these runs has labels; name what people said of them: --labels FILE`);
  return besidePaper(onlyTask(table, task), arms, whyAlone);
}

/** Prints a filled table. JSON names every value; what does not exist is null. */
export function renderReproducedAs(reproduced: Reproduced, form: Form): string {
  if (form !== "json") return renderReproduced(reproduced, form);
  const { table, arms, whyAlone, ...found } = reproduced;
  const { name, title, source, caveats, notes } = table;
  const runs = [...new Set(arms.map(({ run }) => run))];
  const commands = viewsFor(table, arms);
  return jsonOf({ table: name, title, source, runs, whyAlone, ...found, caveats, notes, commands });
}

/** Writes null for what does not exist: never left out. */
const jsonOf = (value: object): string => JSON.stringify(value, (_key, part: unknown) => part ?? null, 2);

const papersFolder = fileURLToPath(new URL("../../datasets/papers", import.meta.url));

/** Returns the ids of the papers of the package, one a YAML file in datasets/papers. */
const paperIds = (): string[] =>
  readdirSync(papersFolder)
    .map((file) => basename(file, ".yaml"))
    .sort();

export const papers = (): readonly Paper[] => paperIds().map((id) => paperNamed(id, "."));

const isPaperFile = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Finds a paper by its id, or reads it from a YAML file. Throws UsageError on an unknown id and on a file that is no paper. */
export function paperNamed(name: string, cwd: string): Paper {
  if (isPaperFile(name)) return paperOf(name, parsed(resolve(cwd, name), name));
  const id = name.toLowerCase();
  if (!paperIds().includes(id))
    throw new UsageError(`reproduce ${name}: no such paper${suggestion(id, paperIds(), "papers")}`);
  return paperOf(id, parsed(join(papersFolder, `${id}.yaml`), id));
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
  throw new UsageError(`reproduce ${name}: no such table${suggestion(name, names, "tables")}`);
}

function armsIn(run: JoinedResults["runs"][number], joined: JoinedResults, labels: HumanLabels | undefined): OwnArm[] {
  const { manifest, records, stored } = run;
  const chosen = labels === undefined ? [] : choicesOf(stored, labels);
  const judges = judgementsOf(stored);
  const traces = [...stored.traces()];
  return joined.summaries.flatMap((summary): OwnArm[] => {
    const arms = run.specs.filter(({ id }) => summary.arms.includes(id));
    const [arm] = arms;
    if (arm === undefined) return [];
    /** As the run itself calls them: an arm of several runs is called ID@2 here. */
    const own = arms.map((one) => ({ ...one, id: one.id.replace(/@\d+$/, "") }));
    const data = manifest.identity.data.find((one) => one.task === arm.task);
    return [
      {
        ...{ run: run.name, finished: manifest.finishedAt !== undefined, spec: arm, summary },
        rows: ofArm([...records.rows], arms),
        data: { name: arm.dataset, files: data?.files.map((file) => file.name) ?? [] },
        personas: ofArm(traces, own).flatMap(personasIn),
        choices: chosen.find((one) => own.some(({ id }) => id === one.spec.id))?.choices,
        verdicts: judges.flatMap(({ judgements }) => {
          const verdicts = ofArm(judgements, own);
          const against = stored.arm(verdicts[0]?.against?.arm ?? "");
          return against === undefined ? [] : [{ against, verdicts }];
        }),
        judged: judgedArm(judges, own),
      },
    ];
  });
}

/** Returns the first and the last persona of the user whose preparation this is; none where it made none. */
function personasIn({ question, notes }: Trace): OwnArm["personas"] {
  const versions = question === undefined ? notesOf(notes, "persona") : [];
  const [first, last] = [versions[0], versions.at(-1)];
  return first === undefined || last === undefined ? [] : [{ text: last.persona, initial: first.persona }];
}

/** Returns what the first judge that scores single replies says of an arm; undefined where none does. */
function judgedArm(judges: readonly JudgedRun[], arms: readonly ArmSpec[]): OwnArm["judged"] {
  const first = judges.find(({ facts }) => facts.against === undefined);
  if (first === undefined) return undefined;
  const own = ofArm(first.judgements, arms);
  const [score] = scoresOf(own, arms, first.facts);
  const verdicts = own.flatMap(({ position: turn, judged }) =>
    judged.kind === "judged" ? { turn, value: judged.value } : [],
  );
  return score?.mean === undefined ? undefined : { mean: score.mean, interval: score.interval, verdicts };
}

/** Returns why these runs' numbers mean nothing beside a paper's; undefined where they do. Throws UsageError on a mixture. */
function whyNotComparable({ runs: joined }: JoinedResults): string | undefined {
  const demo = demoHashes();
  const reasons = joined.map(({ stored, manifest, summaries }) => {
    const isJudgeSimulated = judgementsOf(stored).some(({ facts }) => facts.simulated);
    if (isJudgeSimulated || summaries.some(({ simulated }) => simulated)) return SIMULATED;
    const files = manifest.identity.data.flatMap((data) => data.files);
    return files.some(({ sha256: hash }) => demo.has(hash)) ? DEMO : undefined;
  });
  const unreal = reasons.findIndex((why) => why !== undefined);
  const real = reasons.indexOf(undefined);
  if (unreal < 0 || real < 0) return reasons[unreal];
  const mixed = `${joined[unreal]!.name}: ${reasons[unreal]}, ${joined[real]!.name} is real`;
  throw new UsageError(`${mixed}: no table holds both; name them apart`);
}

const DEMO = "built-in demo data (synthetic), no published values";

/** SHA-256 of the data files that ship with the package. */
function demoHashes(): ReadonlySet<string> {
  const demo = fileURLToPath(new URL("../../datasets/demo", import.meta.url));
  const files = readdirSync(demo, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return new Set(files.map((file) => sha256(readText(join(demo, file)))));
}

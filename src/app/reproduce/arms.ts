import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { armsOf, ofArm } from "../../report/arms.js";
import { scoresOf } from "../../report/judgements/scores.js";
import { ruleOf } from "../../report/judgements/text.js";
import { pairVerdicts } from "../../report/judgements/win-rates.js";
import { personaVersions } from "../../report/personas/persona.js";
import { SIMULATED } from "../../report/reproduce/beside.js";
import type { OwnArm } from "../../report/reproduce/own-arm.js";
import { sameFiles } from "../../report/same-files.js";
import { withControl } from "../../run/plan/controls.js";
import { refusePart } from "../../run/plan/part.js";
import { runFiles } from "../../run/run-files.js";
import { sha256 } from "../../text/content-id.js";
import type { Cell, Trace } from "../../types/index.js";
import { type Catalogue, catalogueOf } from "../catalogue.js";
import { allOptions } from "../common/all-options.js";
import { readJudgements } from "../common/judgements.js";
import { openKnown } from "../common/known-part.js";
import type { StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type KnownTasks, measuredIn, summariesOf } from "../report/results.js";
import { choicesOf } from "../rums/choices.js";
import type { HumanLabels } from "../rums/labels.js";
import { configSettings } from "../run/settings.js";

/** The arms of some runs, and why their numbers are not to be set beside a paper's, where they are not. */
export interface OwnRuns {
  readonly arms: readonly OwnArm[];
  readonly unreal?: string;
}

/**
 * The arms of some run folders, or of folders of runs. `labels`: what people said, where the table is about that. Throws UsageError on
 * real runs among SIMULATED ones or those of the built-in data, and on runs of different data for one task.
 */
export function ownRuns(
  names: readonly string[],
  labels: HumanLabels | undefined,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): OwnRuns {
  const { cwd } = io;
  const runs = names.flatMap((name) => runsIn(name, cwd)).map((name) => ({ name, ...openKnown(name, io) }));
  const demo = demoHashes();
  const dataOfTask = new Map<string, { readonly run: string; readonly files: DataFiles }>();
  for (const { name, folder } of runs) {
    refusePart(name, folder.manifest);
    for (const { task, files } of folder.manifest.plan.data) {
      const before = dataOfTask.get(task) ?? { run: name, files };
      dataOfTask.set(task, before);
      if (!sameFiles(before.files, files))
        throw new UsageError(`${before.run} and ${name}: different data on ${task}; name runs of the same files`);
    }
  }
  const catalogue = catalogueOf(io);
  const arms = runs.flatMap(({ name, folder, tasks }) => armsIn(name, folder, { tasks, catalogue, labels }));
  const unreal = runs.map(({ name, folder }) => ({ name, why: whyUnreal(folder, demo) }));
  const [first, real] = [unreal.find(({ why }) => why !== undefined), unreal.find(({ why }) => why === undefined)];
  if (first?.why === undefined) return { arms };
  if (real !== undefined)
    throw new UsageError(`${first.name}: ${first.why}, ${real.name} is real: no table holds both; name them apart`);
  return { arms, unreal: first.why };
}

type DataFiles = StoredRun["manifest"]["plan"]["data"][number]["files"];

/** A folder without a log may hold runs: then these. */
function runsIn(name: string, cwd: string): string[] {
  const path = resolve(cwd, name);
  if (existsSync(join(path, runFiles.log)) || !existsSync(path)) return [name];
  const inside = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(path, entry.name, runFiles.log)))
    .map((entry) => join(name, entry.name))
    .sort();
  return inside.length === 0 ? [name] : inside;
}

function armsIn(
  run: string,
  folder: StoredRun,
  known: { readonly tasks: KnownTasks; readonly catalogue: Catalogue; readonly labels: HumanLabels | undefined },
): OwnArm[] {
  const { manifest, path } = folder;
  const measuredHere = measuredIn(path);
  const [units, timings] = [measuredHere.units, [...measuredHere.timings]];
  const chosen = known.labels === undefined ? [] : choicesOf(folder, known.labels);
  const judges = readJudgements(path);
  return armsOf(manifest.plan.cells).flatMap((cells) => {
    const rows = ofArm(folder.rows, cells);
    const measured = { units: ofArm(units, cells), timings: ofArm(timings, cells) };
    const [summary] = summariesOf(manifest, { cells, rows, ...measured }, known.tasks);
    const [cell] = cells;
    if (summary === undefined || cell === undefined) return [];
    const finished = manifest.finishedAt !== undefined;
    const personas = ofArm(folder.traces, cells).flatMap(personaOf);
    const judged = judgedArm(judges, cells);
    const choices = chosen.find((one) => one.cell.id === cell.id)?.choices;
    const data = dataOf(manifest, cell);
    const settings = ownSettings(cell, cells.length, known.catalogue);
    const arm = { run, finished, cell, settings, summary, rows, units: measured.units, data, personas };
    return [
      {
        ...arm,
        verdicts: verdictsOf(judges, cells),
        ...(judged === undefined ? {} : { judged }),
        ...(choices === undefined ? {} : { choices }),
      },
    ];
  });
}

type Judges = ReturnType<typeof readJudgements>;

/** Verdicts on its answers against other arms', by those arms as they were named. */
const verdictsOf = (judges: Judges, cells: readonly Cell[]): NonNullable<OwnArm["verdicts"]> =>
  Object.fromEntries(
    judges.flatMap(({ facts, judgements }) =>
      facts.against === undefined ? [] : [[facts.against, pairVerdicts(ofArm(judgements, cells))]],
    ),
  );

/** What the cell ran on, as the manifest has it. */
const dataOf = ({ plan }: StoredRun["manifest"], { task, dataset }: Cell): OwnArm["data"] => ({
  name: dataset,
  files: plan.data.find((one) => one.task === task && one.name === dataset)?.files.map(({ name }) => name) ?? [],
});

/** What the first judge that scores single replies says of an arm; undefined where none does. */
function judgedArm(judges: Judges, cells: readonly Cell[]): OwnArm["judged"] {
  const [first] = judges.filter(({ facts }) => facts.against === undefined);
  if (first === undefined) return undefined;
  const rule = { onParseFail: ruleOf(first.facts), range: first.facts.range, seed: cells[0]?.seed ?? 0 };
  const [score] = scoresOf(ofArm(first.judgements, cells), cells, rule);
  return score?.mean === undefined ? undefined : { mean: score.mean, interval: score.interval };
}

function personaOf(trace: Trace): OwnArm["personas"] {
  const versions = trace.question === undefined ? personaVersions(trace) : [];
  const [first, last] = [versions[0], versions.at(-1)];
  return first === undefined || last === undefined ? [] : [{ text: last.persona, initial: first.persona }];
}

/** Why a run's numbers mean nothing beside a paper's; undefined where they do. */
function whyUnreal({ manifest, rows, path }: StoredRun, demo: ReadonlySet<string>): string | undefined {
  const isSimulated =
    manifest.simulated ||
    rows.some(({ simulated }) => simulated === true) ||
    readJudgements(path).some(({ facts }) => facts.simulated);
  if (isSimulated) return SIMULATED;
  const isDemo = manifest.plan.data.some(({ files }) => files.some((file) => demo.has(file.sha256)));
  return isDemo ? "built-in demo data (synthetic), no published values" : undefined;
}

/** SHA-256 of the data files that ship with the package. */
function demoHashes(): ReadonlySet<string> {
  const folder = fileURLToPath(new URL("../../../datasets/demo/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return new Set(files.map((file) => sha256(readText(join(folder, file)))));
}

/** What an arm of so many repeats ran with, beside the program's defaults. Of imported predictions the seed made nothing. */
function ownSettings(cell: Cell, repeats: number, catalogue: Catalogue): OwnArm["settings"] {
  const table = allOptions(catalogue);
  const held = Object.entries(withControl(cell)).map(([name, value]) => {
    const option = table[name];
    if (option !== undefined) return [name, { value, usual: option.canonical(name, option.default) }] as const;
    return [name, name === ONLINE ? { value, usual: configSettings.online.default } : { value }] as const;
  });
  return {
    ...Object.fromEntries(held),
    repeats: { value: repeats, usual: configSettings.repeats.default },
    ...(IMPORTED in cell.options ? {} : { seed: { value: cell.seed, usual: configSettings.seed.default } }),
  };
}

/** A flag of the command line, which a cell holds where it is given. */
const ONLINE = "online";

/** The id of imported predictions, which a cell of a run has not. */
const IMPORTED = "import.files";

import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { scoresOf } from "../../report/judgements/scores.js";
import { ruleOf } from "../../report/judgements/text.js";
import { pairVerdicts } from "../../report/judgements/win-rates.js";
import { openKnown } from "../../report/known-part.js";
import { personaVersions } from "../../report/personas/persona.js";
import { SIMULATED } from "../../report/reproduce/beside.js";
import type { OwnArm } from "../../report/reproduce/own-arm.js";
import { sameFiles } from "../../report/same-files.js";
import { armsOf, ofArm } from "../../results/arms.js";
import { type Catalogue, catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { withControl } from "../../run/plan/controls.js";
import { allOptions } from "../../run/plan/options.js";
import { refusePart } from "../../run/plan/part.js";
import { configSettings } from "../../run/plan/settings.js";
import { sha256 } from "../../text/content-id.js";
import type { Cell, Trace } from "../../types/index.js";
import { readJudgements } from "../common/judgements.js";
import { measuredIn, summariesOf } from "../report/results.js";
import { holdsRuns, runsIn } from "../report/runs.js";
import { choicesOf } from "../rums/choices.js";
import type { HumanLabels } from "../rums/labels.js";

/** The arms of some runs, and why their numbers are not to be set beside a paper's, where they are not. */
export interface OwnRuns {
  readonly arms: readonly OwnArm[];
  readonly unreal?: string;
}

type OpenRun = ReturnType<typeof openKnown> & { readonly name: string };

/**
 * Reads the arms of some run folders, or of folders of runs. `labels`: what people said, where the table is about that. Throws
 * UsageError on real runs among others, and on runs of different data for one task.
 */
export function ownRuns(
  names: readonly string[],
  labels: HumanLabels | undefined,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): OwnRuns {
  const inFolder = (name: string): string[] => {
    const folder = resolve(io.cwd, name);
    return holdsRuns(folder) ? runsIn(folder).map((path) => relative(io.cwd, path)) : [name];
  };
  const runs = names.flatMap(inFolder).map((name): OpenRun => ({ name, ...openKnown(name, io) }));
  refuseOtherData(runs);
  const arms = runs.flatMap((run) => armsIn(run, labels, catalogueOf(io)));
  const demo = demoHashes();
  const unreal = runs.map((run) => ({ name: run.name, why: whyUnreal(run, demo) }));
  const [first, real] = [unreal.find(({ why }) => why !== undefined), unreal.find(({ why }) => why === undefined)];
  if (first?.why === undefined) return { arms };
  if (real !== undefined)
    throw new UsageError(`${first.name}: ${first.why}, ${real.name} is real: no table holds both; name them apart`);
  return { arms, unreal: first.why };
}

function refuseOtherData(runs: readonly OpenRun[]): void {
  const all = runs.flatMap(({ name, folder }) => folder.manifest.plan.data.map((data) => ({ ...data, name })));
  for (const { name, folder } of runs) refusePart(name, folder.manifest);
  for (const { name, task, files } of all) {
    const before = all.find((one) => one.task === task);
    if (before !== undefined && !sameFiles(before.files, files))
      throw new UsageError(`${before.name} and ${name}: different data on ${task}; name runs of the same files`);
  }
}

function armsIn({ name, folder, tasks }: OpenRun, labels: HumanLabels | undefined, catalogue: Catalogue): OwnArm[] {
  const { manifest, path } = folder;
  const measured = measuredIn(path);
  const timings = [...measured.timings];
  const chosen = labels === undefined ? [] : choicesOf(folder, labels);
  const judges = readJudgements(path);
  return armsOf(manifest.plan.cells).flatMap((cells) => {
    const [rows, units] = [ofArm(folder.rows, cells), ofArm(measured.units, cells)];
    const [summary] = summariesOf(manifest, { cells, rows, units, timings: ofArm(timings, cells) }, tasks);
    const [cell] = cells;
    if (summary === undefined || cell === undefined) return [];
    const { task, dataset } = cell;
    const data = manifest.plan.data.find((one) => one.task === task && one.name === dataset);
    return [
      {
        ...{ run: name, finished: manifest.finishedAt !== undefined, cell, summary, rows, units },
        settings: ownSettings(cell, cells.length, catalogue),
        data: { name: dataset, files: data?.files.map((file) => file.name) ?? [] },
        personas: ofArm(folder.traces, cells).flatMap(personaOf),
        choices: chosen.find((one) => one.cell.id === cell.id)?.choices,
        verdicts: verdictsOf(judges, cells),
        judged: judgedArm(judges, cells),
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
function whyUnreal({ folder: { manifest, rows, path } }: OpenRun, demo: ReadonlySet<string>): string | undefined {
  const isSimulated =
    manifest.simulated ||
    rows.some((row) => row.simulated === true) ||
    readJudgements(path).some((one) => one.facts.simulated);
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
    // A flag of the command line, which a cell holds where it is given.
    return [name, name === "online" ? { value, usual: configSettings.online.default } : { value }] as const;
  });
  return {
    ...Object.fromEntries(held),
    repeats: { value: repeats, usual: configSettings.repeats.default },
    ...("import.files" in cell.options ? {} : { seed: { value: cell.seed, usual: configSettings.seed.default } }),
  };
}

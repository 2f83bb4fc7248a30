import { join, relative, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import type { KnownQuestion } from "../../report/verify.js";
import {
  type Manifest,
  type RunPlan,
  readManifest,
  refuseChangedPlan,
  runName,
  writeManifest,
} from "../../run/manifest.js";
import { lockOutFolder } from "../../run/out-folder.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { RunRows, requestsByCell } from "../../run/rows.js";
import { atWork, refuseBrokenSeals, sealRun, withoutKept } from "../../run/seals.js";
import { contentId } from "../../text/content-id.js";
import { countOf } from "../../text/count.js";
import { pyStrip } from "../../text/python.js";
import type { Task } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { writable } from "../common/command-line.js";
import { timestamp } from "../common/timestamp.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { pluginFacts, refuseChangedPlugins } from "../plugins/plugins.js";
import { writeResults } from "../report/results.js";
import { planData, questionsOf, taskFacts } from "../run/data/data-facts.js";
import { importRows, type Predictions } from "./predictions.js";
import { type ImportSettings, type Source, sourceOf } from "./source.js";

interface ImportResult {
  readonly ended: "done" | "failures";
  /** The run folder, absolute. */
  readonly folder: string;
  readonly text: string;
  /** What a person should read below the table: what is missing, and where everything is. */
  readonly remarks: readonly string[];
}

/**
 * Makes a run folder out of predictions; report, compare and gate read it as any other. Throws UsageError on files, names
 * and data that do not fit together.
 */
export async function importRun(settings: ImportSettings, io: Io): Promise<ImportResult> {
  const { out, maxFailed = 0, argv = [] } = settings;
  const catalogue = catalogueOf(io);
  const { name, loaded, predictions, simulated, seed, whole } = await sourceOf(settings, catalogue, io);
  const { task } = loaded;
  const questions = questionsOf(loaded);
  for (const file of predictions) await refuseForeignIds(file, new Set(questions.keys()), { loaded, whole }, io);
  const plan = planOf(name, loaded, predictions, seed);
  const folder = resolve(io.cwd, out ?? join("results", runName(plan)));
  const release = lockOutFolder(folder);
  try {
    write(folder, plan, { loaded, predictions, simulated }, { argv, io });
  } finally {
    release();
  }
  const { terminal } = writeResults(folder, catalogue);
  const scored = [...questions.values()].filter(({ gold }) => gold !== undefined).length;
  const missing = predictions.flatMap((file) => missingIn(file, questions, { gold: true })).length;
  const share = missing / Math.max(1, scored * predictions.length);
  const failed = share > maxFailed;
  return {
    ended: failed ? "failures" : "done",
    folder,
    text: terminal,
    remarks: [
      ...predictions.flatMap((file) => remarksOf(file, questions, task)),
      `everything is in ${relative(io.cwd, folder) || "."}`,
      ...(failed
        ? [
            `${(share * 100).toFixed(1)} % of the questions have no prediction, more than --max-failed ${maxFailed}; the run is written all the same`,
          ]
        : []),
    ],
  };
}

/** Ids outside a selection (--users, --limit) are left out; ids that the data do not have at all are refused. */
async function refuseForeignIds(
  { name, outputs }: Predictions,
  asked: ReadonlySet<string>,
  { loaded, whole }: Pick<Source, "loaded" | "whole">,
  io: Io,
): Promise<void> {
  const foreign = [...outputs.keys()].filter((id) => !asked.has(id));
  if (foreign.length === 0) return;
  const all = questionsOf(await whole());
  const unknown = foreign.filter((id) => !all.has(id));
  if (unknown.length > 0)
    throw new UsageError(
      `${name}: ${unknown.length} of ${countOf(outputs.size, "id")} ${unknown.length === 1 ? "is no question" : "are no questions"} of ${loaded.dataset.name} (first ${JSON.stringify(unknown[0])}); give the --data that the predictions answer`,
    );
  io.tell(
    `${name}: ${countOf(foreign.length, "prediction")} ${foreign.length === 1 ? "is" : "are"} outside the chosen users and questions and ${foreign.length === 1 ? "is" : "are"} left out`,
  );
}

function planOf(name: string, loaded: LoadedTask, predictions: readonly Predictions[], seed: number): RunPlan {
  const files = predictions.map(({ file }) => file);
  const cells = files.map((_, repeat) => {
    const content = {
      task: loaded.task.name,
      dataset: loaded.dataset.name,
      method: name,
      model: "imported",
      options: {
        ...loaded.dataOptions,
        "import.files": contentId(files.map(({ sha256 }) => sha256)).slice(0, 12),
      },
      seed,
      repeat,
    };
    return { id: contentId(content).slice(0, 12), ...content };
  });
  return { version: version(), cells, data: [planData(loaded)], imported: files, notApplied: [] };
}

type Origin = { readonly argv: readonly string[]; readonly io: Io };
type Questions = ReadonlyMap<string, KnownQuestion>;

interface Imported {
  readonly loaded: LoadedTask;
  readonly predictions: readonly Predictions[];
  readonly simulated: boolean;
}

function write(folder: string, plan: RunPlan, imported: Imported, origin: Origin): void {
  const { loaded, predictions, simulated } = imported;
  const old = readManifest(folder);
  let working: Manifest | undefined;
  if (old !== undefined) {
    refuseChangedPlugins(folder, old.plugins, catalogueOf(origin.io));
    refuseChangedPlan(folder, old.plan, plan);
    const broken = refuseBrokenSeals(folder, relative(origin.io.cwd, folder) || ".", old, { mend: true });
    working = atWork(old, broken);
    writeManifest(folder, working);
  }
  const rows = new RunRows(folder);
  for (const [repeat, { name, outputs }] of predictions.entries()) {
    const { id: cell, task, method } = plan.cells[repeat]!; // one cell a file
    for (const row of importRows({ cell, loaded, outputs, source: name, simulated })) {
      rows.row({ ...row, task, method });
      rows.trace({
        cell,
        unit: row.unit,
        question: row.question,
        requests: [],
        notes: [{ kind: "imported", data: name }],
      });
    }
    for (const { id: unit, user } of loaded.units)
      rows.unit({ cell, user: user.id, unit, historySize: user.history.length, spend: {}, incidents: {} });
  }
  if (working !== undefined) writeManifest(folder, withoutKept(working));
  rows.finish();
  const made = manifestOf(folder, plan, imported, origin);
  writeManifest(folder, { ...made, ...sealRun(folder, working ?? made, made.startedAt) });
}

function manifestOf(
  folder: string,
  plan: RunPlan,
  { loaded, predictions, simulated }: Imported,
  { argv, io }: Origin,
): Manifest {
  const now = timestamp(io);
  const source = `imported from ${predictions.map(({ file }) => file.name).join(", ")}: calls, tokens and cost are unknown`;
  return {
    format: 1,
    plan,
    simulated,
    ...pluginFacts(catalogueOf(io)),
    tasks: [taskFacts(loaded, { more: [source], unfit: [] })],
    argv: writable(argv, io.env),
    startedAt: now,
    node: io.node,
    finishedAt: now,
    answeredBy: [],
    requests: requestsByCell(folder),
  };
}

/** Questions with a gold, or those without one, that the file has no prediction for. */
const missingIn = ({ outputs }: Predictions, questions: Questions, { gold: hasGold }: { gold: boolean }): string[] =>
  [...questions].flatMap(([id, { gold }]) =>
    (gold !== undefined) === hasGold && outputs.get(id) === undefined ? [id] : [],
  );

/** What the table does not tell of a file: questions without a prediction, and empty texts, which are read and score 0. */
function remarksOf(file: Predictions, questions: Questions, { kind }: Task): string[] {
  const { name, outputs } = file;
  const have = (count: number): string => (count === 1 ? "has" : "have");
  const [failed, unscored] = [missingIn(file, questions, { gold: true }), missingIn(file, questions, { gold: false })];
  const scored = [...questions.values()].filter(({ gold }) => gold !== undefined).length;
  const empty = [...outputs.values()].filter((output) => output !== undefined && pyStrip(output) === "").length;
  const remarks: readonly (readonly [number, string])[] = [
    [
      failed.length,
      `${failed.length} of ${countOf(scored, "question")} ${have(failed.length)} no prediction (first ${JSON.stringify(failed[0])}): counted as failed, not scored`,
    ],
    [
      unscored.length,
      `${countOf(unscored.length, "question")} without gold ${have(unscored.length)} no prediction (first ${JSON.stringify(unscored[0])}): listed with an empty answer, not scored`,
    ],
    [
      kind === "text" ? empty : 0,
      `${empty} of ${countOf(outputs.size, "prediction")} ${empty === 1 ? "is an empty text" : "are empty texts"}: scored 0, as the official scorer does`,
    ],
  ];
  return remarks.flatMap(([count, remark]) => (count === 0 ? [] : [`${name}: ${remark}`]));
}

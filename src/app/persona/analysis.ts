import { resolve } from "node:path";
import { openEmbedder } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import type { Chart, ChartKind, PersonaSet } from "../../report/charts/index.js";
import { personaJaccard, personaMap } from "../../report/charts/personas.js";
import { jaccardReport, type Spread } from "../../report/personas/jaccard.js";
import { MIN_MAPPED } from "../../report/personas/tsne.js";
import { dash } from "../../report/table.js";
import { formatScore } from "../../report/tables/format.js";
import { renderText } from "../../report/tables/text.js";
import type { Embedder } from "../../types/index.js";
import { refuseAbsent } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { chartMaterial } from "../report/chart-material.js";
import { type SavedFigures, saveCharts } from "../report/figures.js";
import { readResults, referenceMethod } from "../report/results.js";

export interface AnalysisSettings {
  readonly run: string;
  /** Whether a map is drawn of the personas, and a matrix of the words they share. */
  readonly map?: boolean | undefined;
  readonly jaccard?: boolean | undefined;
  /** Embedder of the map, `provider/model-id`. Default: the run's own, or the embedded one where that costs. */
  readonly encoder?: string;
  /** Only this method. */
  readonly method?: string;
}

interface PersonaAnalysis {
  /** The final personas of every arm; undefined where nobody asked how alike they are. */
  readonly alike: readonly PersonaSet[] | undefined;
  readonly charts: readonly Chart[];
  readonly figures: SavedFigures;
}

/**
 * How alike the final personas of a run are; draws the pictures that were asked for into its figures folder. Tells which
 * arms have too few personas for a picture. Throws UsageError where the run kept none, or no arm has enough.
 */
export async function analysePersonas(settings: AnalysisSettings, io: Io): Promise<PersonaAnalysis> {
  const { run, map, jaccard, method } = settings;
  const folder = resolve(io.cwd, run);
  const results = readResults(folder, io);
  const methods = results.summaries.map((summary) => summary.method);
  refuseAbsent(run, "--method", method, methods);
  const chosen = results.summaries.filter((summary) => method === undefined || summary.method === method);
  const encoder = await encoderOf(settings, io);
  const { personas, ...material } = await chartMaterial(
    folder,
    { ...results, summaries: chosen },
    { over: referenceMethod, ...(encoder === undefined ? {} : { encoder }) },
  );
  if (personas.length === 0)
    throw new UsageError(`${run}: no personas in this run; they come from persona-agent and its ablations`);
  const kinds = pictures.filter(({ flag }) => (flag === "--map" ? map : jaccard) === true);
  for (const kind of kinds) refuseFew(run, kind, personas, io);
  const charts = kinds.flatMap(({ draw }) => draw({ ...material, personas }));
  return { alike: jaccard === true ? personas : undefined, charts, figures: await saveCharts(folder, charts) };
}

/** Shares of words that personas have in common, as a table. */
export function renderJaccard(sets: readonly PersonaSet[]): string {
  const numbers = (spread: Spread | undefined): string[] =>
    spread === undefined
      ? [dash, dash, dash]
      : [spread.mean, spread.median, spread.max].map((value) => formatScore(value));
  const columns = ["task", "method", "words", "users", "pairs", "mean", "median", "largest"].map(
    (title, c) => ({ title, align: c < 3 ? "left" : "right" }) as const,
  );
  const rows = sets.flatMap(({ task, arm, personas, template }) => {
    const report = jaccardReport(
      personas.map(({ persona }) => persona),
      template,
    );
    const counts = [String(report.texts), String(report.pairs)];
    return [
      [task, arm, "all", ...counts, ...numbers(report.all)],
      [task, arm, "without the template's", ...counts, ...numbers(report.withoutTemplate)],
    ];
  });
  return renderText({ columns, rows });
}

const encoderOf = async ({ encoder }: AnalysisSettings, { env, cwd, clock }: Io): Promise<Embedder | undefined> =>
  encoder === undefined ? undefined : openEmbedder(encoder, { env, cwd, clock });

interface PictureKind {
  readonly flag: string;
  readonly draw: ChartKind;
  /** Fewest personas of an arm that there is a picture of. */
  readonly least: number;
}

const pictures: readonly PictureKind[] = [
  { flag: "--map", draw: personaMap, least: MIN_MAPPED - 1 }, // the template is a point too
  { flag: "--jaccard", draw: personaJaccard, least: 2 },
];

/** Throws UsageError where no arm has personas enough for the picture; says which arms have none. */
function refuseFew(run: string, { flag, least }: PictureKind, sets: readonly PersonaSet[], io: Io): void {
  const few = sets.filter(({ personas }) => personas.length < least);
  if (few.length === sets.length)
    throw new UsageError(
      `${flag}: too few personas in ${run}: it needs those of ${least} users, the most here are ${Math.max(...sets.map(({ personas }) => personas.length))}`,
    );
  for (const { task, arm, personas } of few)
    io.tell(
      `${flag}: no picture of ${task} ${arm}: it needs the personas of ${least} users and has ${personas.length}`,
    );
}

import { resolve } from "node:path";
import type { Terminal } from "../../cli/terminal.js";
import { openEmbedder } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import type { ChartKind, PersonaSet } from "../../report/charts/index.js";
import { personaJaccard } from "../../report/charts/persona-jaccard.js";
import { personaMap } from "../../report/charts/persona-map.js";
import { jaccardReport, type Spread } from "../../report/personas/jaccard.js";
import { MIN_MAPPED } from "../../report/personas/map.js";
import { dash, formatScore, renderText } from "../../report/tables/table.js";
import { chartMaterial } from "../report/chart-material.js";
import { saveCharts } from "../report/figures.js";
import { loadResults, referenceMethod } from "../report/results.js";
import { refuseAbsent } from "../run-folder.js";

export interface PersonaFlags {
  readonly map: boolean | undefined;
  readonly jaccard: boolean | undefined;
  /** `provider/model-id`. */
  readonly encoder: string | undefined;
  readonly method: string | undefined;
}

/** Prints how alike the final personas of a run are and draws the asked pictures. Throws UsageError where it kept none. */
export async function analysePersonas(
  run: string,
  { map, jaccard, encoder, method }: PersonaFlags,
  io: Terminal,
): Promise<void> {
  const folder = resolve(io.cwd, run);
  const results = loadResults(folder);
  refuseAbsent(
    run,
    "--method",
    method,
    results.summaries.map((summary) => summary.method),
  );
  const chosen = results.summaries.filter((summary) => method === undefined || summary.method === method);
  const opened =
    encoder === undefined ? undefined : await openEmbedder(encoder, { env: io.env, cwd: io.cwd, clock: io.clock });
  const material = await chartMaterial(
    folder,
    { ...results, summaries: chosen },
    { over: referenceMethod, ...(opened === undefined ? {} : { encoder: opened }) },
  );
  if (material.personas.length === 0)
    throw new UsageError(`${run}: no personas in this run; they come from persona-agent and its ablations`);
  const kinds = pictures.filter(({ flag }) => (flag === "--map" ? map : jaccard) === true);
  for (const kind of kinds) refuseFew(run, kind, material.personas, io);
  if (jaccard === true) io.out(`${jaccardTable(material.personas)}\n`);
  const charts = kinds.flatMap(({ draw }) => draw(material));
  for (const { title, note } of charts) io.out(`${title}\n  ${note}\n`);
  await saveCharts(folder, charts, io, (text) => io.out(text));
}

// --- internal ---

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
function refuseFew(run: string, { flag, least }: PictureKind, sets: readonly PersonaSet[], io: Terminal): void {
  const few = sets.filter(({ personas }) => personas.length < least);
  if (few.length === sets.length)
    throw new UsageError(
      `${flag}: too few personas in ${run}: it needs ${least} users, here are ${Math.max(...sets.map(({ personas }) => personas.length))}`,
    );
  for (const { task, arm, personas } of few)
    io.tell(`${flag}: no picture of ${task} ${arm}: it needs ${least} users, here are ${personas.length}`);
}

function jaccardTable(sets: readonly PersonaSet[]): string {
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

import { resolve } from "node:path";
import { openEmbedder } from "../embedders/index.js";
import { UsageError } from "../errors.js";
import type { PersonaSet } from "../report/charts/index.js";
import { personaJaccard } from "../report/charts/persona-jaccard.js";
import { personaMap } from "../report/charts/persona-map.js";
import { jaccardReport, type Spread } from "../report/jaccard.js";
import { dash, formatScore, renderText } from "../report/table.js";
import { chartMaterial } from "./chart-material.js";
import { drawInto } from "./figures.js";
import type { Io } from "./io.js";
import { refuseAbsent } from "./refuse-absent.js";
import { loadResults } from "./report.js";

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
  io: Io,
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
    encoder === undefined || map !== true
      ? undefined
      : await openEmbedder(encoder, { env: io.env, cwd: io.cwd, clock: io.clock });
  const material = await chartMaterial(folder, { ...results, summaries: chosen }, opened);
  if (material.personas.length === 0)
    throw new UsageError(`${run}: no personas in this run; they come from persona-agent and its ablations`);
  if (jaccard === true) io.out(`${jaccardTable(material.personas)}\n`);
  const kinds = [...(map === true ? [personaMap] : []), ...(jaccard === true ? [personaJaccard] : [])];
  const charts = kinds.flatMap((kind) => kind(material));
  for (const { title, note } of charts) io.out(`${title}\n  ${note}\n`);
  if (charts.length === 0)
    throw new UsageError(`${run}: too few personas to draw; a map needs 4 users, a comparison 2`);
  await drawInto(folder, charts, io);
}

// --- internal ---

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

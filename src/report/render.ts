import { gainsOver } from "../results/gains.js";
import { judgedRun } from "../run/judgements.js";
import type { LoadedResults } from "./load.js";
import { fullMethod, sweepTables } from "./sweep.js";
import { type ColumnChoice, type Table, withColumns } from "./table.js";
import { renderCsv, renderJson } from "./tables/csv.js";
import { judgementTable } from "./tables/judgements.js";
import { renderLatex } from "./tables/latex.js";
import { renderMarkdown } from "./tables/markdown.js";
import { methodsByTasks, resultsTables } from "./tables/results.js";
import { renderText } from "./tables/text.js";

/** The forms of tables. */
export const tableForms = ["text", "markdown", "latex", "csv", "json"] as const;
export type TableForm = (typeof tableForms)[number];

/** The method that gains count from where nothing else is asked for; a run without it has none. */
export const referenceMethod = "prompt";

/** Returns the method that gains count from: of an ablation the full one. */
export const referenceOf = ({ manifest }: Pick<LoadedResults, "manifest">): string =>
  fullMethod(manifest.sweep) ?? referenceMethod;

/** The tables of a run, or of several joined: by task, then those of its sweep. `over`: the method that gains count from. */
function tablesOf(loaded: LoadedResults, over = referenceOf(loaded)): { results: Table[]; others: Table[] } {
  const { manifest, summaries, rows, tasks, facts } = loaded;
  const material = { summaries, facts, rows, cells: manifest.plan.cells, task: (name: string) => tasks.get(name) };
  const results = { summaries, facts, gains: gainsOver(over, material) };
  return {
    results: markedPartial(loaded, resultsTables(results)),
    others: [
      ...methodsByTasks(results),
      ...(manifest.sweep === undefined ? [] : sweepTables({ ...material, sweep: manifest.sweep })),
    ],
  };
}

function markedPartial({ manifest }: Pick<LoadedResults, "manifest">, tables: readonly Table[]): Table[] {
  if (manifest.finishedAt !== undefined) return [...tables];
  return tables.map((table, at) => (at > 0 ? table : { ...table, warnings: [PARTIAL, ...(table.warnings ?? [])] }));
}

const PARTIAL = "PARTIAL: the run has not ended; the same command finishes it";

/** Times are never the same twice, and files of equal runs are. */
export const withoutTimes = (loaded: LoadedResults): LoadedResults => ({
  ...loaded,
  summaries: loaded.summaries.map((summary) => ({ ...summary, secondsPerQuery: undefined })),
});

/**
 * Writes the results in one form; of a judge's run its verdicts. CSV has the results alone, a line an arm; CSV and JSON have every
 * column.
 */
export function renderRun(
  loaded: LoadedResults,
  form: TableForm,
  { over, ...choice }: ColumnChoice & { readonly over?: string | undefined } = {},
): string {
  const judged = judgedTable(loaded);
  if (judged !== undefined) return rendered(judged, form);
  const { results, others } = tablesOf(form === "text" ? loaded : withoutTimes(loaded), over);
  const { finishedAt, simulated } = loaded.manifest;
  if (form === "json") return renderJson([...results, ...others], { complete: finishedAt !== undefined, simulated });
  return rendered(form === "csv" ? results : withColumns([...results, ...others], choice), form);
}

/** The table of a judge's run, over the arms that it judged; undefined for any other run. */
function judgedTable({ manifest, summaries, rows }: LoadedResults): Table[] | undefined {
  const { judged } = manifest;
  if (judged === undefined) return undefined;
  const table = judgementTable(judgedRun({ ...manifest, judged }, rows), judged.cells, summaries[0]?.usd);
  return markedPartial({ manifest }, [table]);
}

/** Writes tables in one form, with a line break at the end. */
export function rendered(tables: readonly Table[], form: TableForm): string {
  const of: Readonly<Record<TableForm, () => string>> = {
    text: () => `${renderText(...tables)}\n`,
    markdown: () => `${renderMarkdown(...tables)}\n`,
    latex: () => renderLatex(tables),
    csv: () => renderCsv(...tables),
    json: () => renderJson(tables),
  };
  return of[form]();
}

import { judgedRun } from "../record/judgements.js";
import { gainsOver } from "../results/compare.js";
import type { LoadedResults } from "./load.js";
import { fullMethod, sweepTables } from "./sweep.js";
import { type Table, withColumns } from "./table.js";
import { renderCsv, renderJson } from "./tables/csv.js";
import { judgementTable } from "./tables/judgements.js";
import { renderLatex } from "./tables/latex.js";
import { methodsByTasks, resultsTables } from "./tables/results.js";
import { renderMarkdown, renderText } from "./tables/text.js";

export const tableForms = ["text", "markdown", "latex", "csv", "json"] as const;
export type TableForm = (typeof tableForms)[number];

/** The default reference of gains. */
export const referenceMethod = "prompt";

/** Returns the method that gains count from: of an ablation the full one. */
export const referenceOf = ({ manifest }: Pick<LoadedResults, "manifest">): string =>
  fullMethod(manifest.sweep) ?? referenceMethod;

interface Shown {
  readonly over?: string | undefined;
  readonly wide?: boolean | undefined;
}

/**
 * Writes the results in one form, each task's table, then those of a sweep; of a judge's run its verdicts. CSV has no
 * methods by tasks; CSV and JSON have every column.
 */
export function renderRun(loaded: LoadedResults, form: TableForm, { over, wide }: Shown = {}): string {
  const input = form === "text" ? loaded : withoutTimes(loaded);
  const { manifest, summaries, rows } = input;
  const { judged, finishedAt, simulated, sweep } = manifest;
  const partial = finishedAt === undefined ? [PARTIAL] : [];
  const mark = ([first, ...others]: readonly Table[]): Table[] =>
    first === undefined ? [] : [{ ...first, warnings: [...partial, ...(first.warnings ?? [])] }, ...others];
  if (judged !== undefined) {
    const table = judgementTable(judgedRun({ ...manifest, judged }, rows), judged.specs, summaries[0]?.usd);
    return rendered(mark([table]), form);
  }
  const given = { ...input, gains: gainsOver(over ?? referenceOf(loaded), input) };
  const results = mark(resultsTables(given));
  const swept = sweep === undefined ? [] : sweepTables({ ...input, sweep });
  if (form === "csv") return rendered([...results, ...swept], form);
  const all = [...results, ...methodsByTasks(given), ...swept];
  if (form === "json") return renderJson(all, { complete: finishedAt !== undefined, simulated });
  return rendered(withColumns(all, wide), form);
}

const PARTIAL = "PARTIAL: the run has not ended; the same command finishes it";

/** Times are never the same twice, and files of equal runs are. */
export const withoutTimes = (loaded: LoadedResults): LoadedResults => ({
  ...loaded,
  summaries: loaded.summaries.map((summary) => ({ ...summary, secondsPerQuery: undefined, secondsPerUser: undefined })),
});

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

import { join } from "node:path";
import { writeNew } from "../../disk/whole-file.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import { judgementTable } from "../../report/judgements/text.js";
import { type LoadedResults, loadResults } from "../../report/load.js";
import { markedPartial, rendered, renderResults, type TableForm } from "../../report/render.js";
import type { ColumnChoice, Table } from "../../report/table.js";
import type { Catalogue } from "../../run/catalogue.js";
import { runFiles } from "../../run/run-files.js";
import { judgedRun } from "../common/judgements.js";
import { readmeOf } from "./readme.js";

/** Writes the results of a run in one form; of a judge's run its verdicts. */
export function renderRun(
  loaded: LoadedResults,
  form: TableForm,
  choice: ColumnChoice & { readonly over?: string | undefined } = {},
): string {
  const judged = judgedTable(loaded);
  return judged === undefined ? renderResults(loaded, form, choice) : rendered([judged], form);
}

/** The table of a judge's run, over the arms that it judged; undefined for any other run. */
function judgedTable({ manifest, summaries, rows }: LoadedResults): Table | undefined {
  const { judged } = manifest;
  if (judged === undefined) return undefined;
  const said = judgedRun({ ...manifest, judged }, rows);
  const sum = (of: (one: Judgement) => number): number => said.judgements.reduce((total, one) => total + of(one), 0);
  const spend = { calls: sum(({ calls }) => calls), tokens: sum(({ tokens }) => tokens.in + tokens.out) };
  const table = judgementTable(said, judged.cells, { ...spend, usd: summaries[0]?.usd });
  return markedPartial({ manifest }, [table])[0];
}

/** Writes the result files of a run folder, from its rows as they are now. Equal rows give equal files, byte for byte. */
export function writeResults(
  folder: string,
  catalogue: Catalogue,
): LoadedResults & { readonly terminal: string; readonly json: string } {
  const results = loadResults(folder, catalogue);
  const json = renderRun(results, "json");
  writeNew(join(folder, runFiles.markdown), renderRun(results, "markdown", { wide: true }));
  writeNew(join(folder, runFiles.latex), renderRun(results, "latex"));
  writeNew(join(folder, runFiles.csv), renderRun(results, "csv"));
  writeNew(join(folder, runFiles.json), json);
  writeNew(join(folder, runFiles.readme), readmeOf(folder, results.manifest));
  return { ...results, terminal: renderRun(results, "text").trimEnd(), json };
}

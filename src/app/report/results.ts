import { join } from "node:path";
import { writeNew } from "../../disk/whole-file.js";
import { type LoadedResults, loadResults } from "../../report/load.js";
import { renderRun } from "../../report/render.js";
import type { Catalogue } from "../../run/catalogue.js";
import { runFiles } from "../../run/run-files.js";
import { readmeOf } from "./readme.js";

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

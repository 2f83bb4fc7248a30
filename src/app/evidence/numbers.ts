import type { Manifest } from "../../run/manifest.js";
import { runFiles } from "../../run/rows.js";
import type { Row, UnitRecord } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import { knownPart } from "../common/known-part.js";
import { type LoadedResults, renderFolder, resultsOf } from "../report/results.js";
import type { EvidenceRun } from "./file.js";

/** A run's rows summed up as results.json has them, and the tasks as the run scores them. */
export function numbersOf(
  manifest: Manifest,
  { rows, units }: { readonly rows: readonly Row[]; readonly units: readonly UnitRecord[] },
  catalogue: Catalogue,
): Pick<LoadedResults, "leftOut" | "tasks"> & { readonly numbers: EvidenceRun["results"] } {
  const part = knownPart(manifest, catalogue, "the run");
  const known = rows.filter(({ cell }) => part.has(cell));
  const results = resultsOf(part, { rows: known, units, timings: [] }, { whole: manifest });
  const { files } = renderFolder(results);
  return { leftOut: results.leftOut, tasks: results.tasks, numbers: JSON.parse(files[runFiles.json]) };
}

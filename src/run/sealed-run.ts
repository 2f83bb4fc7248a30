import { join } from "node:path";
import { nounOf } from "../text/count.js";
import { openDamage, readDamage } from "./journal.js";
import { judgementRemarks } from "./judge-folder.js";
import { type Manifest, type ManifestReading, readManifest } from "./manifest.js";
import { partName } from "./plan/part.js";
import { recordFiles } from "./run-files.js";
import { isShown, refuseBrokenSeals } from "./seals.js";

/**
 * The manifest of a run whose numbers are to be shown; undefined where there is none. What was edited stands among the
 * remarks of every table, and so does damage in a run that has not ended. Throws UsageError where records of a finished
 * run are not the sealed ones; with `edited` nothing is compared.
 */
export function readSealed(
  folder: string,
  shown: string,
  { edited = false }: ManifestReading = {},
): Manifest | undefined {
  const manifest = readManifest(folder, { edited });
  if (manifest === undefined) return undefined;
  if (!edited) refuseBrokenSeals(folder, shown, manifest);
  const remarks = recordRemarks(folder, manifest);
  if (remarks.length === 0) return manifest;
  return { ...manifest, tasks: manifest.tasks.map((facts) => ({ ...facts, warnings: remarks })) };
}

/** What every table of a run says of edited records. */
export const editRemarks = ({ edits = [] }: Pick<Manifest, "edits">): string[] =>
  edits.map(({ at, reason, files }) => `EDITED ${at.slice(0, 10)} (${files.join(", ") || "manifest.json"}): ${reason}`);

/** The same, and what is damaged in a run that has not ended. */
export const recordRemarks = (folder: string, manifest: Pick<Manifest, "edits" | "records" | "part">): string[] => [
  ...partRemarks(manifest),
  ...editRemarks(manifest),
  ...judgementRemarks(folder),
  ...damageRemarks(folder, manifest),
];

/**
 * One line where records of a run that has not ended are damaged and so left out; none for a finished one, whose seals say
 * more. Default: the files that numbers are made of.
 */
export function damageRemarks(
  folder: string,
  { records }: Pick<Manifest, "records">,
  files: readonly string[] = recordFiles.filter(isShown),
): string[] {
  if (records !== undefined) return [];
  const found = files.flatMap((file) => [...readDamage(join(folder, file))]);
  const places = [...openDamage(folder).filter(({ file }) => files.includes(file)), ...found].map(
    ({ file, line }) => `${file} line ${line}`,
  );
  if (places.length === 0) return [];
  const more = places.length > LISTED ? ", ..." : "";
  const listed = places.slice(0, LISTED).join(", ");
  return [
    `DAMAGED: ${places.length} ${nounOf(places.length, "record")} left out (${listed}${more}); the same command does ${nounOf(places.length, "it", "them")} again`,
  ];
}

/** One line above numbers that are of some of the users only. */
const partRemarks = ({ part }: Pick<Manifest, "part">): string[] =>
  part === undefined ? [] : [`PART OF A RUN: ${partName(part)}; lamp-eval merge joins the shards`];

/** How many damaged places a line names. */
const LISTED = 3;

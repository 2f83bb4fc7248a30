import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import * as z from "zod";
import { copyFile, makePrivateFolder, makeWholeFolder, readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import {
  pairNumbers,
  type Reread,
  type Rescored,
  renderRescore,
  rereading,
  rescore,
  type StoredSummary,
} from "../report/rescore.js";
import { Journal } from "../run/journal.js";
import { type Manifest, readManifest, writeManifest } from "../run/manifest.js";
import { eachLatestRow, latestRows, recordFiles, runFiles } from "../run/rows.js";
import { refuseBrokenSeals, sealsOf } from "../run/seals.js";
import { contentId, contentIdOfAll } from "../text/content-id.js";
import { oneLine } from "../text/file-trouble.js";
import { placedIssue } from "../text/schema-issue.js";
import type { Row } from "../types/index.js";
import { catalogueOf } from "./catalogue.js";
import { type KnownPart, knownPart, tellLeftOut } from "./common/known-part.js";
import { tasksAgain } from "./common/run-data.js";
import { tellDamage } from "./common/run-folder.js";
import { timestamp } from "./common/timestamp.js";
import { version } from "./common/version.js";
import type { Io } from "./io.js";
import { measuredIn, summariesOf, writeResults } from "./report/results.js";
import { questionsOf } from "./run/data/data-facts.js";

export interface RescoreSettings {
  readonly run: string;
  /** The data of the run, or task=dir,task=dir. */
  readonly data?: string | undefined;
  /** Also write a new run folder with the fresh readings, here. */
  readonly out?: string | undefined;
}

/** Stored replies read by today's rules. */
interface RescoredRun extends Pick<Rescored, "changed" | "kept"> {
  readonly simulated: boolean;
  /** Old and new, side by side. */
  readonly numbers: ReturnType<typeof pairNumbers>;
  /** The same as a table. */
  readonly text: string;
  /** The new run folder, absolute; undefined where none was asked for. */
  readonly written: string | undefined;
}

/** Today's reading and metrics on the stored replies of a run. Sends nothing. */
export async function rescoreRun({ run, data, out }: RescoreSettings, io: Io): Promise<RescoredRun> {
  const folder = resolve(io.cwd, run);
  const whole = readManifest(folder);
  if (whole === undefined) throw new UsageError(`${run}: no run here (no ${runFiles.manifest})`);
  refuseBrokenSeals(folder, run, whole);
  if (tellDamage(run, folder, whole, io) && out !== undefined)
    throw new UsageError(`--out ${out}: ${run} holds damaged records; the command that made the run does them again`);
  const part = knownPart(whole, catalogueOf(io), run);
  tellLeftOut(part, io);
  if (out !== undefined && part.leftOut.length > 0)
    throw new UsageError(`--out ${out}: ${part.leftOut.join("; ")}; a run is written whole or not at all`);
  const { manifest, tasks } = part;
  const { cells } = manifest.plan;
  const loaded = await tasksAgain(manifest, data, io);
  const known = new Map([...loaded].map(([name, task]) => [name, questionsOf(task)]));
  const reread = rereading({ cells, task: (name) => tasks.get(name), questions: (name) => known.get(name) });
  const fresh = rescore(eachKnown(part, eachLatestRow(folder)), reread);
  const stored = storedNumbers(folder)?.flatMap((numbers) => knownNumbers(numbers, part));
  const measured = { cells, ...measuredIn(folder) };
  const old =
    stored ?? summariesOf(manifest, { ...measured, rows: latestRows(folder, ({ cell }) => part.has(cell)) }, tasks);
  const rows = latestRows(folder, ({ cell }) => part.has(cell)).map((row) => reread(row).row);
  const numbers = pairNumbers(old, summariesOf(manifest, { ...measured, rows }, tasks));
  if (stored === undefined) io.tell(`${run}: no results.json; the old numbers are those of the stored readings`);
  const target = out === undefined ? undefined : resolve(io.cwd, out);
  if (target !== undefined) writeRescored(folder, target, manifest, reread, io);
  return {
    simulated: manifest.simulated,
    numbers,
    changed: fresh.changed,
    kept: fresh.kept,
    text: `${manifest.simulated ? "SIMULATED (embedded model)\n" : ""}${renderRescore(numbers, fresh)}`,
    written: target,
  };
}

function* eachKnown({ has }: KnownPart, rows: Iterable<Row>): Generator<Row> {
  for (const row of rows) if (has(row.cell)) yield row;
}

const storedSchema = z.object({
  results: z.array(
    z.object({
      task: z.string(),
      dataset: z.string(),
      method: z.string(),
      model: z.string(),
      variant: z.string().default(""),
      metrics: z.array(z.object({ name: z.string(), strict: z.number().optional(), lenient: z.number().optional() })),
    }),
  ),
});

/** The numbers as the run printed them; undefined where there is no results.json. */
function storedNumbers(folder: string): readonly StoredSummary[] | undefined {
  const path = join(folder, runFiles.json);
  if (!existsSync(path)) return undefined;
  const text = readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${oneLine(error)}; lamp-eval verify says more`);
  }
  const stored = storedSchema.safeParse(value);
  if (stored.success) return stored.data.results;
  throw new UsageError(`${path}: not the results of a run: ${placedIssue(stored.error)}`);
}

/** Without metrics that are left out; nothing of tasks that are. */
function knownNumbers(numbers: StoredSummary, { tasks, unknownMetrics }: KnownPart): StoredSummary[] {
  if (tasks.find(numbers.task) === undefined) return [];
  return [{ ...numbers, metrics: numbers.metrics.filter(({ name }) => !unknownMetrics.includes(name)) }];
}

/** A new folder with everything of the old one but the readings. Never overwrites; what the same command wrote stays. */
function writeRescored(folder: string, target: string, manifest: Manifest, reread: (row: Row) => Reread, io: Io): void {
  const rows = contentIdOfAll(eachLatestRow(folder));
  const facts = { from: basename(folder), by: version(), at: timestamp(io), rows };
  if (existsSync(target)) {
    const there = readManifest(target)?.rescored;
    if (contentId({ ...there, at: "" }) === contentId({ ...facts, at: "" })) return;
    throw new UsageError(`--out ${relative(io.cwd, target)}: is there already; name a new folder`);
  }
  makeWholeFolder(target, (fresh) => fill(folder, fresh, manifest, reread, facts, io));
}

/** Everything that stands in such a folder, put into `target`. */
function fill(
  folder: string,
  target: string,
  manifest: Manifest,
  reread: (row: Row) => Reread,
  rescored: NonNullable<Manifest["rescored"]>,
  io: Io,
): void {
  for (const name of recordFiles)
    if (name !== runFiles.rows && existsSync(join(folder, name))) copyFile(join(folder, name), join(target, name));
  copyPictures(join(folder, runFiles.figures), join(target, runFiles.figures));
  const journal = new Journal(join(target, runFiles.rows));
  try {
    for (const row of eachLatestRow(folder)) journal.append(reread(row).row);
  } finally {
    journal.close();
  }
  const tasksOf = manifest.tasks.map((facts) => ({
    ...facts,
    remarks: [
      ...facts.remarks,
      `replies of ${basename(folder)} (version ${manifest.plan.version}), read by version ${version()}`,
    ],
  }));
  const { kept: _kept, mending: _mending, ...own } = manifest;
  writeManifest(target, { ...own, tasks: tasksOf, rescored, records: sealsOf(target) });
  writeResults(target, catalogueOf(io));
}

/**
 * Copies the pictures that methods drew. Charts, which have a specification beside them, show the old readings and are not
 * copied.
 */
function copyPictures(from: string, to: string): void {
  if (!existsSync(from)) return;
  const names = readdirSync(from);
  const isChart = (name: string): boolean => names.includes(`${name.replace(/\.\w+$/, "")}.vl.json`);
  const pictures = names.filter((name) => !name.endsWith(".vl.json") && !isChart(name));
  if (pictures.length > 0) makePrivateFolder(to);
  for (const name of pictures) copyFile(join(from, name), join(to, name));
}

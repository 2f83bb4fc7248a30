import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readText, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { readDamage } from "./journal.js";
import { checkedText, checkHolds } from "./manifest.js";
import { manifestSchema } from "./manifest-shape.js";
import { parsed } from "./record-lines.js";
import { runFiles } from "./run-files.js";
import { type BrokenSeal, checkSeals, isMendable, type SealState, sealLine } from "./seals.js";

/** The folder of a run that holds what judges said of it, a folder for each. */
export const judgementsFolder = (run: string): string => join(run, "judgements");

/** Record files of a judge's folder that are sealed. */
export const judgedFiles = [runFiles.judgements, runFiles.responses] as const;

/** Folders of the judges of a run, in the order of their names. */
export function judgeFolders(run: string): string[] {
  const folder = judgementsFolder(run);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) =>
    [runFiles.judgements, runFiles.judge].some((file) => existsSync(join(folder, name, file))),
  );
  return names.sort().map((name) => join(folder, name));
}

const factsSchema = z.looseObject({
  judge: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  ownReplies: z.boolean(),
  range: z.tuple([z.number(), z.number()]).readonly(),
  options: z.record(z.string(), z.string()).readonly(),
  against: z.string().exactOptional(),
  ...manifestSchema.pick({ records: true, mending: true, kept: true, edits: true }).shape,
});

/** What a judge's folder is of, and the seals of its records once all was judged. */
export type JudgeFile = z.infer<typeof factsSchema> & SealState;

/**
 * The file of a judge; undefined in a folder without judgements. Throws UsageError where it is gone, damaged or edited; with
 * `edited` its own check is not looked at.
 */
export function readJudgeFile(folder: string, { edited = false } = {}): JudgeFile | undefined {
  const path = join(folder, runFiles.judge);
  if (!existsSync(path)) {
    if (!existsSync(join(folder, runFiles.judgements))) return undefined;
    throw new UsageError(`${path} is gone, and with it the seals of what was judged; ${WAYS}`);
  }
  const text = readText(path);
  const { "#": _check, ...value } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>;
  const facts = factsSchema.safeParse(value);
  if (!facts.success) throw new UsageError(`${path} is damaged; ${WAYS}`);
  if (!edited && !checkHolds(text))
    throw new UsageError(`${path} is damaged or edited, its own check does not hold; ${WAYS}`);
  return facts.data as JudgeFile;
}

export const isJudgeFileWhole = (folder: string): boolean => checkHolds(readText(join(folder, runFiles.judge)));

/** Writes it as a whole, with its own check. Throws FileError, and TypeError on one that could not be read again. */
export function writeJudgeFile(folder: string, file: JudgeFile): void {
  if (!factsSchema.safeParse(file).success) throw new TypeError(`${runFiles.judge}: it could not be read again`);
  writeWhole(join(folder, runFiles.judge), checkedText(file));
}

/** What of a judge's records is not as it was when all was judged, and, where not all is, what is damaged. */
export function brokenJudgements(folder: string, file: JudgeFile): BrokenSeal[] {
  const broken = checkSeals(folder, file, judgedFiles);
  if (broken.length > 0 || file.records !== undefined) return broken;
  const [damage] = readDamage(join(folder, runFiles.judgements));
  return damage === undefined ? [] : [{ file: runFiles.judgements, kind: "damaged", line: damage.line }];
}

/**
 * Throws UsageError where a judge's records are not the sealed ones. `shown`: the folder. With `mend` damaged and lost ones
 * pass: they are about to be judged again.
 */
export function refuseBrokenJudgements(folder: string, shown: string, file: JudgeFile, { mend = false } = {}): void {
  const broken = brokenJudgements(folder, file).filter(({ kind }) => !mend || !isMendable(kind));
  if (broken.length === 0) return;
  const way = broken.every(({ kind }) => isMendable(kind))
    ? "give the judge command again, which judges what is damaged anew"
    : WAYS;
  throw new UsageError(`${broken.map((one) => join(shown, judgementLine(one))).join(", ")}; ${way}`);
}

/** What a person is told of a broken seal of a judge. */
export const judgementLine = (broken: BrokenSeal): string => sealLine(broken).replace("the run", "the judge");

/** One line for the tables of a run whose judgements are not those that were sealed; none where all is well. */
export function judgementRemarks(run: string): string[] {
  const broken = judgeFolders(run).flatMap((folder) => {
    const name = folder.slice(run.length + 1);
    try {
      const file = readJudgeFile(folder);
      return file === undefined ? [] : brokenJudgements(folder, file).map((one) => join(name, judgementLine(one)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [`${join(name, runFiles.judge)} is damaged, edited or gone`];
    }
  });
  return broken.length === 0 ? [] : [`JUDGEMENTS NOT AS SEALED: ${broken.join(", ")}`];
}

const WAYS =
  "put the old file back; a deliberate edit is taken over, and shown for ever, by lamp-eval verify RUN --accept-edit REASON";

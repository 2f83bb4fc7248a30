import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { type Check, passedOr, unchecked } from "../../report/verify.js";
import type { Manifest } from "../../run/manifest.js";
import { recordOf, scanLines } from "../../run/record-lines.js";
import { fitsOf } from "../../run/record-shapes.js";
import { recordFiles, runFiles } from "../../run/rows.js";
import { checkSeals, sealLine } from "../../run/seals.js";
import { nounOf } from "../../text/count.js";

/** Every line of a record file that is a record of it. What is none is a problem that names the line. */
export function readPlaced<T>(
  folder: string,
  name: string,
): { records: { record: T; where: string }[]; problems: string[] } {
  const records: { record: T; where: string }[] = [];
  const problems: string[] = [];
  for (const found of scanLines(join(folder, name))) {
    const where = `${name} line ${found.line}`;
    const record = found.kind === "record" ? recordOf<T & object>(found.body) : undefined;
    if (record !== undefined && fitsOf(name)?.(record) !== false) records.push({ record, where });
    else {
      const bytes = found.kind === "record" ? found.body : found.bytes;
      problems.push(
        `${where}: damaged or edited; the run's own command makes it again: ${JSON.stringify(bytes.toString("utf8").slice(0, 40))}`,
      );
    }
  }
  return { records, problems };
}

/** The records are those of the end of the run; of one that has not ended, every line is a record. */
export function checkRecords(folder: string, manifest: Manifest): Check {
  const name = "record files";
  const lines = manifest.records === undefined ? recordFiles.filter((file) => file !== runFiles.rows) : []; // rows have a check
  const problems = [
    ...checkSeals(folder, manifest).map(sealLine),
    ...lines.flatMap((file) => readPlaced(folder, file).problems),
  ];
  if (manifest.records === undefined && problems.length === 0) return unchecked(name, "the run has not ended");
  const count = recordFiles.filter((file) => existsSync(join(folder, file))).length;
  return passedOr(name, problems, `${count} ${nounOf(count, "file")} as they were when the run ended`);
}

/** The result files say what the rows give, byte for byte. */
export function checkResults(
  folder: string,
  manifest: Manifest,
  fresh: Readonly<Record<string, string>>,
  version: string,
): Check {
  const ended = manifest.finishedAt !== undefined;
  if (!ended && !Object.keys(fresh).some((name) => existsSync(join(folder, name))))
    return unchecked("numbers", "the run was cut off before it wrote any");
  const problems = Object.entries(fresh).flatMap(([name, text]) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [`${name}: missing; the same command that made the run writes it`];
    return firstDifference(name, readText(path), text);
  });
  if (problems.length > 0 && manifest.plan.version !== version)
    problems.push(`the run is of version ${manifest.plan.version}, this is ${version}`);
  const made = `${Object.keys(fresh).join(", ")} made again from the rows, byte for byte`;
  return passedOr("numbers", problems, made);
}

/** Where a text that was made again differs from the one in the file; empty where it does not. */
function firstDifference(name: string, has: string, gives: string): string[] {
  if (has === gives) return [];
  const [old, fresh] = [has.split("\n"), gives.split("\n")];
  const line = old.findIndex((text, i) => text !== fresh[i]);
  const at = line === -1 ? old.length : line;
  const [a, b] = [old[at] ?? "", fresh[at] ?? ""];
  const column = [...a].findIndex((sign, i) => sign !== b[i]);
  const from = Math.max(0, (column === -1 ? a.length : column) - SHOWN / 2);
  const part = (text: string) => JSON.stringify(text.slice(from, from + SHOWN));
  return [`${name} line ${at + 1}: has ${part(a)}, the rows give ${part(b)}`];
}

const SHOWN = 50;

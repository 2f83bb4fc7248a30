import { existsSync } from "node:fs";
import { join } from "node:path";
import { nounOf } from "../../text/count.js";
import { runFiles } from "../run-files.js";
import { damagedFile, Journal, readJournal, type SetAside } from "./journal.js";

/** What was set aside since the run last ended: it may still have to be done again. */
export function openDamage(folder: string): SetAside[] {
  let open: SetAside[] = [];
  for (const entry of readJournal<SetAside | Mended>(join(folder, damagedFile)))
    if ("mended" in entry) open = [];
    else open.push(entry);
  return open;
}

/** Notes that all that was damaged so far has been done again. */
export function closeDamage(folder: string): void {
  const path = join(folder, damagedFile);
  const { length } = existsSync(path) ? openDamage(folder) : [];
  if (length === 0) return;
  const journal = new Journal(path);
  journal.append({ mended: length } satisfies Mended);
  journal.close();
}

/** One line for a person: what was found damaged, and what comes of it. */
export function damageLine({ file, line, text }: SetAside): string {
  return `${file} line ${line}: damaged, ${text.length} ${nounOf(text.length, "byte")} set aside in ${damagedFile}; ${LOST[file] ?? "what it held is done again"}`;
}

/** What comes of damage in files whose records cannot be made again. */
const LOST: Readonly<Record<string, string>> = {
  [runFiles.timings]: "the time it held is lost",
  [runFiles.attempts]: "the try it held is counted no more",
  [runFiles.batches]: "no request is sent twice because of it",
};

interface Mended {
  readonly mended: number;
}

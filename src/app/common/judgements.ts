import { join } from "node:path";
import type { JudgedRun, Judgement } from "../../report/judgements/judgement.js";
import { readJournal } from "../../run/journal.js";
import { judgeFolders, readJudgeFile, refuseBrokenJudgements } from "../../run/judge-folder.js";
import { runFiles } from "../../run/run-files.js";

/** What every judge said of a run, by the name of its folder. Throws UsageError where what one said is damaged or was changed. */
export function readJudgements(run: string): JudgedRun[] {
  return judgeFolders(run).flatMap((folder) => {
    const facts = readJudgeFile(folder);
    if (facts === undefined) return [];
    refuseBrokenJudgements(folder, folder, facts);
    return [{ facts, judgements: lastJudgements(folder) }];
  });
}

/** The last judgement of each case of a judge's folder, in the order of the cases' first ones. */
export function lastJudgements(folder: string): Judgement[] {
  const last = new Map<string, Judgement>();
  for (const judgement of readJournal<Judgement>(join(folder, runFiles.judgements))) last.set(judgement.key, judgement);
  return [...last.values()];
}

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../disk/whole-file.js";
import type { Judgement, JudgementFacts } from "../../report/judgements/judgement.js";
import { readJournal } from "../../run/journal.js";

/** The folder of a run that holds what judges said of it, a folder for each. */
export const judgementsFolder = (run: string): string => join(run, "judgements");

export const judgementFiles = {
  /** Judge, model and settings. */
  facts: "judge.json",
  /** One line a judgement. */
  journal: "judgements.jsonl",
  markdown: "judgements.md",
} as const;

export interface JudgedRun {
  readonly facts: JudgementFacts;
  /** The last judgement of each case. */
  readonly judgements: readonly Judgement[];
}

/** What every judge said of a run, by the name of its folder. */
export function readJudgements(run: string): JudgedRun[] {
  const folder = judgementsFolder(run);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, judgementFiles.journal)));
  return names.sort().map((name) => {
    const own = join(folder, name);
    const last = new Map<string, Judgement>();
    for (const judgement of readJournal<Judgement>(join(own, judgementFiles.journal)))
      last.set(judgement.key, judgement);
    const facts = JSON.parse(readText(join(own, judgementFiles.facts))) as JudgementFacts; // written by judge alone
    return { facts, judgements: [...last.values()] };
  });
}

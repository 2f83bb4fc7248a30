import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Judgement, JudgementFacts } from "../../report/judgements/judgement.js";
import { readDamage, readJournal } from "../../run/journal.js";
import { parsed } from "../../run/record-line.js";
import { runFiles } from "../../run/run-files.js";

/** The folder of a run that holds what judges said of it, a folder for each. */
export const judgementsFolder = (run: string): string => join(run, "judgements");

export const judgementFiles = {
  /** Judge, model and settings. */
  facts: "judge.json",
  /** One line a judgement. */
  journal: runFiles.judgements,
  markdown: "judgements.md",
} as const;

export interface JudgedRun {
  readonly facts: JudgementFacts;
  /** The last judgement of each case. */
  readonly judgements: readonly Judgement[];
}

/** What every judge said of a run, by the name of its folder. Throws UsageError where what one said is damaged. */
export function readJudgements(run: string): JudgedRun[] {
  const folder = judgementsFolder(run);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, judgementFiles.journal)));
  return names.sort().map((name) => {
    const own = join(folder, name);
    const journal = join(own, judgementFiles.journal);
    const last = new Map<string, Judgement>();
    for (const { line } of readDamage(journal)) refuseDamaged(`${journal} line ${line}`);
    for (const judgement of readJournal<Judgement>(journal)) last.set(judgement.key, judgement);
    return { facts: factsIn(join(own, judgementFiles.facts)), judgements: [...last.values()] };
  });
}

// --- internal ---

const factsSchema = z.looseObject({
  judge: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  ownReplies: z.boolean(),
  range: z.tuple([z.number(), z.number()]),
  options: z.record(z.string(), z.string()),
  against: z.string().exactOptional(),
});

function factsIn(path: string): JudgementFacts {
  const facts = factsSchema.safeParse(parsed(readText(path)));
  return facts.success ? facts.data : refuseDamaged(path);
}

function refuseDamaged(place: string): never {
  throw new UsageError(`${place} is damaged; give the judge command again, which judges what is damaged anew`);
}

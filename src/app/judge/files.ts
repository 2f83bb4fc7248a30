import { join } from "node:path";

/** The folder of a run that holds what judges said of it, a folder for each. */
export const judgementsFolder = (run: string): string => join(run, "judgements");

export const judgementFiles = {
  /** Judge, model and settings. */
  facts: "judge.json",
  /** One line a judgement. */
  journal: "judgements.jsonl",
  markdown: "judgements.md",
} as const;

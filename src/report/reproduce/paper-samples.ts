import { paper000 } from "./papers/paper-000.js";

/** Questions behind the published numbers of papers/000, by task; a task is absent where they cannot be derived. */
const samples: Readonly<Record<string, number>> = paper000.samples;

/** `n=983; paper: not derivable` or `n=100, paper n=300: different sample`. */
export function sampleNote(task: string, ours: number): string {
  const theirs = samples[task];
  if (theirs === undefined) return `n=${ours}; the paper's n cannot be derived`;
  return ours === theirs
    ? `n=${ours}, as derived for the paper`
    : `n=${ours}, paper n=${theirs} (derived): different sample`;
}

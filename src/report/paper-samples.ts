/**
 * Questions behind the published numbers of papers/000, derived from the printed values (each accuracy is k/N; for
 * LaMP-3 all MAE and RMSE squared are integer sums over N). LaMP-2N, 4 and 5 cannot be derived; 5 is OPPU's file.
 */
export const paperSamples: Readonly<Record<string, number>> = { lamp1: 123, lamp2m: 300, lamp3: 112 };

/** `n=983; paper: not derivable` or `n=100, paper n=300: different sample`. */
export function sampleNote(task: string, ours: number): string {
  const theirs = paperSamples[task];
  if (theirs === undefined) return `n=${ours}; the paper's n cannot be derived`;
  return ours === theirs
    ? `n=${ours}, as derived for the paper`
    : `n=${ours}, paper n=${theirs} (derived): different sample`;
}

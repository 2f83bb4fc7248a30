/** Level of every test that is marked as significant. */
const ALPHA = 0.05;

/** Whether a p, corrected where there are several, is small enough to be marked. No p is none. */
export const isSignificant = (p: number | undefined): boolean => (p ?? 1) <= ALPHA;

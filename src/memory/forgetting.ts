/** `paper`: MemoryBank's e^(-t/S). `released-bug`: its code's `math.exp(-t / 5*S)`, which is e^(-t*S/5). */
export type Forgetting = "off" | "paper" | "released-bug";

/**
 * How much of a memory is left, 0..1 (Ebbinghaus curve, Zhong et al. 2024; METHODS 6.1). `elapsed` in time units,
 * `strength` starts at 1. The released formula has a precedence bug: there, strength makes forgetting faster.
 */
export function retention(forgetting: Forgetting, elapsed: number, strength: number): number {
  const exponent = { off: 0, paper: -elapsed / strength, "released-bug": (-elapsed / 5) * strength };
  return Math.exp(exponent[forgetting]);
}

/** Days from one `YYYY[-MM[-DD]]` date to another, never negative; undefined when one is missing or no date. */
export function daysBetween(from: string | undefined, to: string | undefined): number | undefined {
  const start = dayOf(from);
  const end = dayOf(to);
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start);
}

const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01; a bare year or month is its first day. */
function dayOf(date: string | undefined): number | undefined {
  const parts = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?/.exec(date ?? "");
  if (parts === null) return undefined;
  return Date.UTC(Number(parts[1]), Number(parts[2] ?? 1) - 1, Number(parts[3] ?? 1)) / MS_PER_DAY;
}

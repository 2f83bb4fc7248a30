/** One thing that was checked. */
export interface Check {
  readonly name: string;
  /** What was looked at, when all is well; what is missing, when it could not be looked at. */
  readonly said: string;
  readonly state: "ok" | "FAILED" | "not checked";
  /** Each names the file, the line or the question. */
  readonly problems: readonly string[];
  /** What it needs is not at hand, so that the run as a whole has not passed. */
  readonly absent?: true;
}

export const passedOr = (name: string, problems: readonly string[], said: string): Check =>
  problems.length === 0 ? { name, said, state: "ok", problems } : { name, said, state: "FAILED", problems };

export const unchecked = (name: string, said: string): Check => ({ name, said, state: "not checked", problems: [] });

/** Not checked because something that a person could give is missing: `said` names it. */
export const absent = (name: string, said: string): Check => ({ ...unchecked(name, said), absent: true });

/** Whether nothing failed and nothing that is needed was missing. */
export const allPassed = (checks: readonly Check[]): boolean =>
  checks.every((check) => check.state !== "FAILED" && check.absent !== true);

/** How many problems of one check are printed. */
const LISTED = 5;

/** One line a check; under a failed one its first problems. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, said, problems }) => [
      `${state.padEnd(11)}  ${name.padEnd(width)}  ${state === "FAILED" ? countOf(problems) : said}`,
      ...problems.slice(0, LISTED).map((problem) => `             ${problem}`),
      ...(problems.length > LISTED ? [`             ... and ${problems.length - LISTED} more`] : []),
    ])
    .join("\n");
}

const countOf = ({ length }: readonly string[]): string => (length === 1 ? "1 problem" : `${length} problems`);

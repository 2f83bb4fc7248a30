import { countOf } from "../../text/count.js";

/** One thing that was checked. */
export interface Check {
  readonly name: string;
  /** What was looked at; why, when it could not be looked at. */
  readonly said: string;
  readonly state: "ok" | "FAILED" | "not checked";
  /** Each names the file, the line or the question. */
  readonly problems: readonly string[];
}

export const passedOr = (name: string, problems: readonly string[], said: string): Check =>
  problems.length === 0 ? { name, said, state: "ok", problems } : { name, said, state: "FAILED", problems };

export const unchecked = (name: string, said: string): Check => ({ name, said, state: "not checked", problems: [] });

/** How many problems of one check are printed. */
const LISTED = 5;

/** One line a check, its first problems below it, and the count of all. */
export function renderChecks(name: string, checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name: thing, said, state, problems }) => [
    `${state.padEnd(11)}  ${thing}: ${said}`,
    ...problems.slice(0, LISTED).map((problem) => `             ${problem}`),
    ...(problems.length > LISTED ? [`             ... and ${problems.length - LISTED} more`] : []),
  ]);
  const count = (wanted: Check["state"]) => checks.filter(({ state }) => state === wanted).length;
  const counts = `${countOf(count("ok"), "check")} passed, ${count("FAILED")} failed, ${count("not checked")} not checked`;
  return [...lines, "", `${name}: ${counts}`].join("\n");
}

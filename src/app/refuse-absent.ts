import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";

/** How many of the known names an error message lists. */
const LISTED = 5;

/** Throws UsageError where `name` is asked for with `flag` (`--user`) and the run has no such thing; undefined asks for nothing. */
export function refuseAbsent(run: string, flag: string, name: string | undefined, known: readonly string[]): void {
  const names = [...new Set(known)];
  if (name === undefined || names.includes(name)) return;
  const list = names.slice(0, LISTED).join(", ");
  const more = names.length > LISTED ? `, ... (${names.length} in all)` : "";
  const has = names.length === 0 ? "it has none" : `it has ${list}${more}`;
  throw new UsageError(`${flag} ${name}: not in ${run}${suggest(name, names)}; ${has}`);
}

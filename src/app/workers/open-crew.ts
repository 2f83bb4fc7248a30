import type { Crew, Employer } from "./crew.js";
import { hasCrew } from "./crew-file.js";

/** The workers of a run or a judge; nothing of them is loaded where none are wanted, nor were. Throws UsageError where the database will not do. */
export async function openCrew(employer: Employer): Promise<Crew | undefined> {
  if (employer.workers === undefined && !hasCrew(employer.folder)) return undefined;
  const { Crew: Opened } = await import("./crew.js");
  return Opened.open(employer);
}

import { UsageError } from "../../errors.js";
import type { PersonaVersion } from "../../notes/note.js";
import { personaVersions } from "../../report/personas/persona.js";
import { isUnitOf, openRunFolder, refuseAbsent } from "../common/run-folder.js";
import type { Io } from "../io.js";

export { renderPersona } from "../../report/personas/persona.js";

export interface PersonaSettings {
  readonly run: string;
  readonly user: string;
  /** Only this method. */
  readonly method?: string;
}

/** What alignment made of one user's persona, in one unit or question of a run. */
interface UserPersona {
  /** `lamp2m · persona-agent · user u1`. */
  readonly title: string;
  /** Oldest first. */
  readonly versions: readonly PersonaVersion[];
}

/** The personas of a user that a run kept. Only reads. Throws UsageError where it kept none. */
export async function personas(
  { run, user, method }: PersonaSettings,
  io: Pick<Io, "cwd" | "tell">,
): Promise<readonly UserPersona[]> {
  const { rows, traces, manifest, cell } = openRunFolder(run, io.cwd);
  const methods = manifest.plan.cells.map((planned) => planned.method);
  refuseAbsent(run, "--user", user, [...rows.map((row) => row.user), ...traces.map(({ unit }) => unit)]);
  refuseAbsent(run, "--method", method, methods);
  const found = traces.flatMap((trace): UserPersona[] => {
    const { task, method: made } = cell(trace.cell) ?? {};
    if (!isUnitOf(trace.unit, user) || (method ?? made) !== made) return [];
    const versions = personaVersions(trace);
    const where = trace.question === undefined ? trace.unit : `${trace.unit}, question ${trace.question}`;
    return versions.length === 0 ? [] : [{ title: `${task} · ${made} · user ${where}`, versions }];
  });
  if (found.length > 0) return found;
  throw new UsageError(
    `${run}: ${method ?? [...new Set(methods)].join(", ")} kept no persona of user ${user}; personas come from persona-agent`,
  );
}

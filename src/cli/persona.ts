import { Command } from "commander";
import { isUnitOf, openRunFolder, refuseAbsent } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { personaVersions, renderPersona } from "../report/personas/persona.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly user?: string;
  readonly method?: string;
  readonly diff?: boolean;
  readonly map?: boolean;
  readonly jaccard?: boolean;
  readonly encoder?: string;
}

/**
 * `lamp-eval persona <run> --user u`: the persona that alignment wrote, and what each step changed; `--map`, `--jaccard`:
 * the personas of all users beside each other.
 */
export function personaCommand(io: Terminal): Command {
  return new Command("persona")
    .argument("<run>", "run folder")
    .option("--user <id>", "user")
    .option("--method <name>", "only this method")
    .option("--diff", "every version, with the gradients and the changed lines")
    .option("--map", "draw the personas of all users and the initial template as a t-SNE map into figures/")
    .option("--jaccard", "print and draw how many words the personas of users share")
    .option(
      "--encoder <id>",
      "embedder of the map, provider/model-id (default: the run's own, or the embedded one where that costs)",
    )
    .action(async (run: string, flags: Flags) => {
      refuseIgnored(flags);
      const { user, method, diff, map, jaccard, encoder } = flags;
      if (map === true || jaccard === true) {
        const analysis = await import("../app/persona/analysis.js");
        return analysis.analysePersonas(run, { map, jaccard, encoder, method }, io);
      }
      if (user === undefined)
        throw new UsageError("persona needs --user <id>, or --map or --jaccard for the personas of all users");
      const { rows, traces, manifest, cell } = openRunFolder(run, io.cwd);
      const methods = manifest.plan.cells.map((own) => own.method);
      refuseAbsent(run, "--user", user, [...rows.map((row) => row.user), ...traces.map(({ unit }) => unit)]);
      refuseAbsent(run, "--method", method, methods);
      const found = traces
        .filter(
          (trace) => isUnitOf(trace.unit, user) && (method ?? cell(trace.cell)?.method) === cell(trace.cell)?.method,
        )
        .map((trace) => ({ trace, versions: personaVersions(trace) }))
        .filter(({ versions }) => versions.length > 0);
      if (found.length === 0)
        throw new UsageError(
          `${run}: ${method ?? [...new Set(methods)].join(", ")} kept no persona of user ${user}; personas come from persona-agent`,
        );
      for (const { trace, versions } of found) {
        const { task, method } = cell(trace.cell) ?? {};
        const place = trace.question === undefined ? trace.unit : `${trace.unit}, question ${trace.question}`;
        io.out(`${renderPersona(`${task} · ${method} · user ${place}`, versions, diff === true)}\n`);
      }
    });
}

// --- internal ---

/** Throws UsageError on a flag that nothing asked for would use. */
function refuseIgnored({ user, diff, map, jaccard, encoder }: Flags): void {
  if (encoder !== undefined && map !== true)
    throw new UsageError(`--encoder ${encoder}: works with --map, whose personas it embeds`);
  if (map !== true && jaccard !== true) return;
  if (user !== undefined) throw new UsageError(`--user ${user}: --map and --jaccard are about all users; leave it out`);
  if (diff === true)
    throw new UsageError("--diff: shows one user's persona, --map and --jaccard all users'; ask for one");
}

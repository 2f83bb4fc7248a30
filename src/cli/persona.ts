import { Command } from "commander";
import type { AnalysisSettings } from "../app/persona/analysis.js";
import { type PersonaSettings, personas, renderPersona } from "../app/persona/persona.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Partial<Omit<PersonaSettings, "run">> {
  readonly diff?: boolean;
  readonly map?: boolean;
  readonly jaccard?: boolean;
  readonly encoder?: string;
}

/**
 * `lamp-eval show persona <run> --user u`: the persona that alignment wrote, and what each step changed; `--map`, `--jaccard`:
 * the personas of all users beside each other.
 */
export function personaCommand(io: Terminal): Command {
  return new Command("persona")
    .description("print a user's persona and what alignment changed, or how far the personas of all users differ")
    .argument("<run>", "run folder")
    .option("--user <id>", "whose persona to print")
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
      const { user, diff, map, jaccard, ...chosen } = flags;
      if (map === true || jaccard === true) return analyse({ ...chosen, run, map, jaccard }, io);
      if (user === undefined)
        throw new UsageError("show persona needs --user <id>, or --map or --jaccard for the personas of all users");
      for (const { title, versions } of await personas({ ...chosen, run, user }, io))
        io.out(`${renderPersona(title, versions, diff === true)}\n`);
    });
}

/** Loaded only here: it draws. */
async function analyse(settings: AnalysisSettings, io: Terminal): Promise<void> {
  const { analysePersonas, renderJaccard } = await import("../app/persona/analysis.js");
  const { figureLine } = await import("../app/report/figures.js");
  const { alike, charts, figures } = await analysePersonas(settings, io);
  if (alike !== undefined) io.out(`${renderJaccard(alike)}\n`);
  for (const { title, note } of charts) io.out(`${title}\n  ${note}\n`);
  io.out(figureLine(figures, io.cwd));
}

/** Throws UsageError on a flag that nothing asked for would use. */
function refuseIgnored({ user, diff, map, jaccard, encoder }: Flags): void {
  if (encoder !== undefined && map !== true)
    throw new UsageError(`--encoder ${encoder}: works with --map, whose personas it embeds`);
  if (map !== true && jaccard !== true) return;
  if (user !== undefined) throw new UsageError(`--user ${user}: --map and --jaccard are about all users; leave it out`);
  if (diff === true)
    throw new UsageError("--diff: shows one user's persona, --map and --jaccard all users'; ask for one");
}

import { Command } from "commander";
import { UsageError } from "../errors.js";
import { personaVersions, renderPersona } from "../report/persona.js";
import type { Io } from "./io.js";
import { isUnitOf, openRunFolder } from "./run-folder.js";

/** `lamp-eval persona <run> --user u`: the persona that alignment wrote, and what each step changed. */
export function personaCommand(io: Io): Command {
  return new Command("persona")
    .description("print a user's persona, and what alignment changed")
    .argument("<run>", "run folder")
    .requiredOption("--user <id>", "user")
    .option("--method <name>", "only this method")
    .option("--diff", "every version, with the gradients and the changed lines")
    .action((run: string, { user, method, diff }: { user: string; method?: string; diff?: boolean }) => {
      const folder = openRunFolder(run, io.cwd);
      const found = folder.traces
        .filter(
          ({ unit, cell }) => isUnitOf(unit, user) && (method === undefined || folder.cell(cell)?.method === method),
        )
        .map((trace) => ({ trace, versions: personaVersions(trace) }))
        .filter(({ versions }) => versions.length > 0);
      if (found.length === 0) {
        const users = [...new Set(folder.traces.map(({ unit }) => unit))].slice(0, 5).join(", ");
        throw new UsageError(
          `${run}: no persona of user ${user}${method === undefined ? "" : ` and method ${method}`}; users: ${users}, ...`,
        );
      }
      for (const { trace, versions } of found) {
        const cell = folder.cell(trace.cell);
        const place = trace.question === undefined ? trace.unit : `${trace.unit}, question ${trace.question}`;
        io.out(`${renderPersona(`${cell?.task} · ${cell?.method} · user ${place}`, versions, diff === true)}\n`);
      }
    });
}

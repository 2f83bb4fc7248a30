import { join } from "node:path";
import { Command } from "commander";
import { UsageError } from "../errors.js";
import { renderTranscript, type StoredCall } from "../report/transcript.js";
import { ResponseStore } from "../run/response-store.js";
import { runFiles } from "../run/run-rows.js";
import type { Trace } from "../types.js";
import type { Io } from "./io.js";
import { isUnitOf, openRunFolder, type RunFolder } from "./run-folder.js";

interface Flags {
  readonly user?: string;
  readonly question?: string;
  readonly method?: string;
  readonly preparation?: boolean;
}

/** `lamp-eval show <run>`: what was asked, called, observed and answered. */
export function showCommand(io: Io): Command {
  return new Command("show")
    .description("print readable transcripts of a run: prompts, tool calls, observations, replies")
    .argument("<run>", "run folder")
    .option("--user <id>", "only this user")
    .option("--question <id>", "only this question")
    .option("--method <name>", "only this method")
    .option("--preparation", "also what was done for the user before the first question")
    .action((run: string, flags: Flags) => {
      const folder = openRunFolder(run, io.cwd);
      const wanted = folder.traces.filter((trace) => isWanted(trace, flags, folder));
      if (wanted.length === 0)
        throw new UsageError(
          `${run}: nothing to show for ${describe(flags)}; lamp-eval report ${run} lists the methods`,
        );
      const store = new ResponseStore(join(folder.path, runFiles.responses));
      try {
        const keys = [...store.keys()];
        for (const trace of wanted) io.out(`${transcriptOf(trace, folder, callsOf(trace, keys, store))}\n`);
      } finally {
        store.close();
      }
    });
}

// --- internal ---

function isWanted(trace: Trace, { user, question, method, preparation }: Flags, folder: RunFolder): boolean {
  if (trace.question === undefined && preparation !== true) return false;
  if (question !== undefined && trace.question !== undefined && trace.question !== question) return false;
  if (user !== undefined && !isUnitOf(trace.unit, user)) return false;
  return method === undefined || folder.cell(trace.cell)?.method === method;
}

function transcriptOf(trace: Trace, folder: RunFolder, calls: readonly StoredCall[]): string {
  const cell = folder.cell(trace.cell);
  const row = folder.rows.find((row) => row.cell === trace.cell && row.question === trace.question);
  const title = [
    cell?.task,
    cell?.method,
    `user ${trace.unit}`,
    trace.question === undefined ? "preparation" : `question ${trace.question}`,
  ];
  return renderTranscript({ title: title.join(" · "), trace, calls, ...(row === undefined ? {} : { row }) });
}

/** Traces hold the first digits of the store's keys. */
function callsOf({ requests }: Trace, keys: readonly string[], store: ResponseStore): StoredCall[] {
  return requests.flatMap((request) => {
    const key = keys.find((candidate) => candidate.startsWith(request));
    const record = key === undefined ? undefined : store.record(key);
    return record === undefined ? [] : [record];
  });
}

const describe = (flags: Flags): string =>
  Object.entries(flags)
    .map(([name, value]) => `--${name} ${value}`)
    .join(" ") || "this run";

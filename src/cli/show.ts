import { Command } from "commander";
import { type PlacedCall, storedCalls } from "../app/report/stored-calls.js";
import { isUnitOf, openRunFolder, type RunFolder, refuseAbsent } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { renderTranscript, type StoredCall } from "../report/transcripts/transcript.js";
import type { Trace } from "../types.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly user?: string;
  readonly question?: string;
  readonly method?: string;
  readonly preparation?: boolean;
}

/** `lamp-eval show <run>`: what was asked, called, observed and answered. Only reads, so a run may still be working. */
export function showCommand(io: Terminal): Command {
  return new Command("show")
    .argument("<run>", "run folder")
    .option("--user <id>", "only this user")
    .option("--question <id>", "only this question")
    .option("--method <name>", "only this method")
    .option("--preparation", "also what was done for the user before the first question")
    .action((run: string, flags: Flags) => {
      const folder = openRunFolder(run, io.cwd);
      const wanted = wantedTraces(run, flags, folder);
      const calls = storedCalls(folder, wanted);
      for (const trace of wanted) io.out(`${transcriptOf(trace, folder, callsOf(trace, calls))}\n`);
    });
}

// --- internal ---

/** In file order. Throws UsageError naming what the run has not got. */
function wantedTraces(run: string, flags: Flags, folder: RunFolder): Trace[] {
  const { user, question, method, preparation } = flags;
  const { traces, rows, manifest } = folder;
  if (traces.length === 0) throw new UsageError(`${run}: nothing to show yet, no question is answered`);
  const units = traces.map(({ unit }) => unit);
  const questions = traces.flatMap((trace) => trace.question ?? []);
  const methods = manifest.plan.cells.map((cell) => cell.method);
  refuseAbsent(run, "--user", user, [...rows.map((row) => row.user), ...units]);
  refuseAbsent(run, "--question", question, questions);
  refuseAbsent(run, "--method", method, methods);
  const own = traces.filter(
    ({ cell, unit }) =>
      (user === undefined || isUnitOf(unit, user)) && (method === undefined || folder.cell(cell)?.method === method),
  );
  const asked = own.filter((trace) => trace.question !== undefined && trace.question === (question ?? trace.question));
  const prepared = new Set((question === undefined ? own : asked).map(unitKey));
  const wanted = own.filter((trace) =>
    trace.question === undefined ? preparation === true && prepared.has(unitKey(trace)) : asked.includes(trace),
  );
  if (wanted.length > 0) return wanted;
  throw new UsageError(`${run}: nothing fits all of ${describe({ user, question, method })}; leave one of them out`);
}

const unitKey = ({ cell, unit }: Trace): string => `${cell}\t${unit}`;

const describe = (flags: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(flags)
    .flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))
    .join(" ");

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

const callsOf = ({ requests }: Trace, calls: ReadonlyMap<string, PlacedCall>): StoredCall[] =>
  requests.flatMap((id) => calls.get(id) ?? []).sort((a, b) => a.place - b.place);

import { UsageError } from "../errors.js";
import type { ShownVerdict, StoredCall, TranscriptSource } from "../report/transcripts/transcript.js";
import type { Trace } from "../types.js";
import { readJudgements } from "./common/judgements.js";
import { isUnitOf, openRunFolder, type RunFolder, refuseAbsent } from "./common/run-folder.js";
import { tellDamage } from "./common/tell-damage.js";
import type { Io } from "./io.js";
import { type PlacedCall, storedCalls } from "./report/stored-calls.js";

export { renderTranscript } from "../report/transcripts/transcript.js";

export interface ShowSettings {
  /** Run folder. */
  readonly run: string;
  /** Only what is of this user, question or method. */
  readonly user?: string;
  readonly question?: string;
  readonly method?: string;
  /** Also what was done for the user before the first question. */
  readonly preparation?: boolean;
}

/**
 * What was asked, called, observed and answered, in file order. Only reads, so a run may still be working. Throws UsageError
 * naming what the run has not got.
 */
export async function show(settings: ShowSettings, io: Pick<Io, "cwd" | "tell">): Promise<readonly TranscriptSource[]> {
  const folder = openRunFolder(settings.run, io.cwd);
  tellDamage(settings.run, folder.path, folder.manifest, io);
  const wanted = wantedTraces(settings, folder);
  const calls = storedCalls(folder, wanted);
  const verdicts = verdictsIn(folder, io);
  return wanted.map((trace) => {
    const said = verdicts.get(`${trace.cell}\t${trace.question}`);
    return { ...sourceOf(trace, folder, callsOf(trace, calls)), ...(said === undefined ? {} : { verdicts: said }) };
  });
}

// --- internal ---

/** What judges said, by cell and question; none where one of their files is damaged, and that is told. */
function verdictsIn(folder: RunFolder, { tell }: Pick<Io, "tell">): Map<string, ShownVerdict[]> {
  const verdicts = new Map<string, ShownVerdict[]>();
  for (const { facts, judgements } of judgedOrTold(folder, tell))
    for (const { cell, question, judged, against } of judgements) {
      const method = folder.cell(against?.cell ?? "")?.method;
      const shown: ShownVerdict = {
        judge: `${facts.judge}, ${facts.model}${facts.simulated ? ", SIMULATED" : ""}`,
        judged,
        ...(against === undefined ? {} : { against: { method: method ?? "?", shownFirst: against.shownFirst } }),
      };
      const key = `${cell}\t${question}`;
      verdicts.set(key, [...(verdicts.get(key) ?? []), shown]);
    }
  return verdicts;
}

function judgedOrTold(folder: RunFolder, tell: Io["tell"]): ReturnType<typeof readJudgements> {
  try {
    return readJudgements(folder.path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(`no verdicts are shown: ${error.message}`);
    return [];
  }
}

function wantedTraces({ run, user, question, method, preparation }: ShowSettings, folder: RunFolder): Trace[] {
  const { traces, rows, manifest } = folder;
  if (traces.length === 0) throw new UsageError(`${run}: nothing to show yet, no question is answered`);
  const units = traces.map(({ unit }) => unit);
  const questions = traces.flatMap((trace) => trace.question ?? []);
  const methods = manifest.plan.cells.map((cell) => cell.method);
  refuseAbsent(run, "--user", user, [...rows.map((row) => row.user), ...units]);
  refuseAbsent(run, "--question", question, questions);
  refuseAbsent(run, "--method", method, methods);
  const candidates = traces.filter(
    ({ cell, unit }) =>
      (user === undefined || isUnitOf(unit, user)) && (method === undefined || folder.cell(cell)?.method === method),
  );
  const asked = candidates.filter(
    (trace) => trace.question !== undefined && trace.question === (question ?? trace.question),
  );
  const prepared = new Set((question === undefined ? candidates : asked).map(unitKey));
  const wanted = candidates.filter((trace) =>
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

function sourceOf(trace: Trace, folder: RunFolder, calls: readonly StoredCall[]): TranscriptSource {
  const cell = folder.cell(trace.cell);
  const row = folder.rows.find((row) => row.cell === trace.cell && row.question === trace.question);
  const title = [
    cell?.task,
    cell?.method,
    `user ${trace.unit}`,
    trace.question === undefined ? "preparation" : `question ${trace.question}`,
  ];
  return { title: title.join(" · "), trace, calls, ...(row === undefined ? {} : { row }) };
}

const callsOf = ({ requests }: Trace, calls: ReadonlyMap<string, PlacedCall>): StoredCall[] =>
  requests.flatMap((id) => calls.get(id) ?? []).sort((a, b) => a.order - b.order);

import { UsageError } from "../errors.js";
import type { ShownVerdict, StoredCall, TranscriptSource } from "../report/transcript.js";
import type { Io } from "../run/io.js";
import { readJudgements } from "../run/judgements.js";
import { eachRow, originKey, tracesOf } from "../run/rows.js";
import { isUnitOf, openRunFolder, refuseAbsent, type StoredRun } from "../run/stored-run.js";
import type { Row, Trace } from "../types/index.js";
import { type PlacedCall, storedCalls } from "./report/stored-calls.js";

export { renderTranscript } from "../report/transcript.js";

export interface ShowSettings {
  readonly run: string;
  /** Only what is of this user, question or method. */
  readonly user?: string;
  readonly question?: string;
  readonly method?: string;
  /** Also what was done for the user before the first question. */
  readonly preparation?: boolean;
}

/**
 * What was asked, called, observed and answered, in file order; holds what is shown. Only reads, so a run may still be working.
 * Throws UsageError naming what the run has not got.
 */
export async function show(settings: ShowSettings, io: Pick<Io, "cwd" | "tell">): Promise<readonly TranscriptSource[]> {
  const folder = openRunFolder(settings.run, io.cwd);
  const wanted = wantedTraces(settings, folder);
  const calls = storedCalls(folder, wanted);
  const verdicts = verdictsIn(folder, io);
  const rows = rowsFor(wanted, folder);
  return wanted.map((trace) => {
    const said = verdicts.get(`${trace.cell}\t${trace.question}`);
    const row = trace.question === undefined ? undefined : rows.get(questionKey(trace));
    return {
      ...sourceOf(trace, folder, callsOf(trace, calls), row),
      ...(said === undefined ? {} : { verdicts: said }),
    };
  });
}

/** What judges said, by cell and question; none where one of their files is damaged, and that is told. */
function verdictsIn(folder: StoredRun, { tell }: Pick<Io, "tell">): Map<string, ShownVerdict[]> {
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

function judgedOrTold(folder: StoredRun, tell: Io["tell"]): ReturnType<typeof readJudgements> {
  try {
    return readJudgements(folder.path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(`no verdicts are shown: ${error.message}`);
    return [];
  }
}

function wantedTraces(settings: ShowSettings, folder: StoredRun): Trace[] {
  const { run, user, question, method, preparation } = settings;
  const isOfChoice = ({ cell, unit }: Trace): boolean =>
    (user === undefined || isUnitOf(unit, user)) && (method === undefined || folder.cell(cell)?.method === method);
  const isAsked = (trace: Trace): boolean =>
    trace.question !== undefined && trace.question === (question ?? trace.question);
  const held = new Map<string, Trace>();
  let isEmpty = true;
  for (const trace of tracesOf(folder.path)) {
    isEmpty = false;
    if (isOfChoice(trace) && (trace.question === undefined || isAsked(trace))) held.set(originKey(trace), trace);
  }
  if (isEmpty) throw new UsageError(`${run}: nothing to show yet, no question is answered`);
  const candidates = [...held.values()];
  const prepared = new Set((question === undefined ? candidates : candidates.filter(isAsked)).map(unitKey));
  const wanted = candidates.filter((trace) =>
    trace.question === undefined ? preparation === true && prepared.has(unitKey(trace)) : isAsked(trace),
  );
  if (wanted.length === 0) refuseNothing(settings, folder);
  return wanted;
}

/** Throws UsageError that says which of the wishes the run has nothing of, or that nothing fits all of them. */
function refuseNothing({ run, user, question, method }: ShowSettings, folder: StoredRun): never {
  const { traces, rows, manifest } = folder;
  const units = traces.map(({ unit }) => unit);
  const questions = traces.flatMap((trace) => trace.question ?? []);
  const methods = manifest.plan.cells.map((cell) => cell.method);
  refuseAbsent(run, "--user", user, [...rows.map((row) => row.user), ...units]);
  refuseAbsent(run, "--question", question, questions);
  refuseAbsent(run, "--method", method, methods);
  throw new UsageError(`${run}: nothing fits all of ${describe({ user, question, method })}; leave one of them out`);
}

/** The last row of every question that is shown. */
function rowsFor(wanted: readonly Trace[], folder: StoredRun): Map<string, Row> {
  const rows = new Map<string, Row>();
  const keys = new Set(wanted.map(questionKey));
  for (const row of eachRow(folder.path)) if (keys.has(questionKey(row))) rows.set(questionKey(row), row);
  return rows;
}

const questionKey = ({ cell, question }: Pick<Trace, "cell" | "question">): string => `${cell}\t${question ?? ""}`;

const unitKey = ({ cell, unit }: Trace): string => `${cell}\t${unit}`;

const describe = (flags: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(flags)
    .flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))
    .join(" ");

function sourceOf(
  trace: Trace,
  folder: StoredRun,
  calls: readonly StoredCall[],
  row: Row | undefined,
): TranscriptSource {
  const cell = folder.cell(trace.cell);
  const title = [
    cell?.task,
    cell?.method,
    `user ${trace.unit}`,
    trace.question === undefined ? "preparation" : `question ${trace.question}`,
  ];
  return { title: title.join(" · "), trace, calls, ...(row === undefined ? {} : { row }) };
}

const callsOf = ({ requests }: Trace, calls: ReadonlyMap<string, PlacedCall>): StoredCall[] =>
  [...new Set(requests)].flatMap((id) => calls.get(id) ?? []).sort((a, b) => a.order - b.order);

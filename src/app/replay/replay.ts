import { join, resolve } from "node:path";
import { removeFile, writeWhole } from "../../disk/whole-file.js";
import { recordedEmbedder, vectorKey } from "../../embedders/cached.js";
import { ModelError, UsageError } from "../../errors.js";
import { ReplayMiss, requestKey } from "../../models/wrap/cached.js";
import {
  type Candidate,
  type ChangedRow,
  firstChange,
  nearestRequest,
  nearestText,
  originText,
  type ReplayReport,
  renderReplay,
  requestDiff,
  type StaleRequest,
} from "../../report/replay.js";
import { filesText, sameFiles } from "../../report/same-files.js";
import { type Asked, type Cassette, openCassette } from "../../run/cassette/cassette.js";
import { PREPARING } from "../../run/engine.js";
import { readJournal } from "../../run/journal.js";
import type { CallOrigin } from "../../run/kit.js";
import { type Manifest, type RunPlan, readManifest, withoutFolder } from "../../run/manifest.js";
import { latestRows, originKey, recordFiles, runFiles } from "../../run/rows.js";
import { nounOf } from "../../text/count.js";
import type { Cell, Embedder, Method, Trace } from "../../types/index.js";
import type { Io } from "../io.js";
import type { RecordedTools } from "../run/models/tools.js";

/** A run that answers from a cassette only, and what it found missing there. */
export interface Replay {
  readonly cassette: Cassette;
  /** The recorded embedder of these options. Throws UsageError where the cassette has no vectors of it. */
  embedder(named: string, similarity: string): Embedder;
  readonly tools: RecordedTools;
  /** Throws UsageError when the cassette is of other data, tasks or models. */
  begin(plan: RunPlan): void;
  /** The failure of a missed request, in words for its row. */
  explain(error: unknown, asked: CallOrigin): Error | undefined;
  /** Reads the rows that were written. */
  report(folder: string): ReplayReport;
}

const ID_LENGTH = 16;

/** Opens the cassette. Throws UsageError on a damaged one, and on methods that call out by themselves. */
export function openReplay(named: string, chosen: readonly Method[], io: Io): Replay {
  const cassette = openCassette(resolve(io.cwd, named), named, "--replay");
  refusePrograms(chosen, cassette);
  const missed: Missed = new Map();
  let matched: Matched = { cells: new Map(), recordedCells: new Map() };
  return {
    cassette,
    tools: {
      ...{ shown: cassette.shown, searches: cassette.searches, fixture: cassette.head.plan.wikipedia },
      askedFor(at) {
        const cell = matched.recordedCells.get(at.cell);
        return cell === undefined ? undefined : cassette.askedFor({ ...at, cell });
      },
    },
    embedder: (name, similarity) => embedderOf(name, similarity, cassette, missed),
    begin(plan) {
      refuseOther(plan, cassette);
      matched = {
        cells: new Map(plan.cells.map((cell) => [cell.id, cell])),
        recordedCells: matchCells(plan.cells, cassette.head.plan.cells),
      };
    },
    explain: (error, asked) =>
      error instanceof ReplayMiss ? failureOf(error, asked, matched, cassette, missed) : undefined,
    report: (folder) => reportOf(folder, matched, cassette, missed),
  };
}

/** The missed requests by their id; of equal ones the last. */
type Missed = Map<string, StaleRequest>;

/** The plan's cells by id, and their counterparts in the recording. */
interface Matched {
  readonly cells: ReadonlyMap<string, RunPlan["cells"][number]>;
  readonly recordedCells: ReadonlyMap<string, string>;
}

function refusePrograms(chosen: readonly Method[], { shown }: Cassette): void {
  const outside = chosen.find(({ callsElsewhere }) => callsElsewhere === true);
  if (outside !== undefined)
    throw new UsageError(
      `${shown}: ${outside.name} is a program that may call out, no cassette holds that; leave it out`,
    );
}

function embedderOf(name: string, similarity: string, { shown, head, vector }: Cassette, missed: Missed): Embedder {
  const known = head.embedders;
  const found = known.find((embedder) => embedder.named === withoutFolder(name) && embedder.similarity === similarity);
  if (found === undefined)
    throw new UsageError(
      `${shown}: no vectors of embedder ${name} (${similarity}) in it; it holds ${known.map((embedder) => embedder.named).join(", ") || "none"}; record it again, or leave the option as it was`,
    );
  return recordedEmbedder(found.id, { get: vector }, (text) => {
    const id = vectorKey(found.id, text).slice(0, ID_LENGTH);
    missed.set(`embedding\t${id}`, { id, phase: "embedding", diff: `+ ${text.replaceAll("\n", "\n+ ")}` });
    return new ModelError(`not in the cassette: the vector of a text (${id}); replay.md has the text`, {
      retryable: false,
    });
  });
}

/**
 * The error for a missed request: the failure that was recorded for it, else a stale cassette, which is kept with the
 * nearest request.
 */
function failureOf(
  miss: ReplayMiss,
  asked: CallOrigin,
  { cells, recordedCells }: Matched,
  cassette: Cassette,
  missed: Missed,
): Error {
  const { unit, question, phase } = asked;
  const recordedCell = recordedCells.get(asked.cell);
  const id = requestKey(miss.model, miss.request).slice(0, ID_LENGTH);
  const failure = recordedFailure(id, asked, recordedCell, cassette);
  if (failure !== undefined) return new ModelError(failure, { retryable: false, cause: miss });
  const origin = { ...armOf(cells.get(asked.cell)), unit, ...(question === undefined ? {} : { question }) };
  const nearest = nearestRequest(miss.request, candidatesFor(asked, recordedCell, cassette));
  const stale: StaleRequest = {
    id,
    phase,
    place: origin,
    ...(nearest === undefined ? {} : { nearest: nearest.id }),
    diff: nearest === undefined ? "" : requestDiff(nearest.request, miss.request),
  };
  missed.set(`${asked.cell}\t${originText(origin)}\t${phase}\t${id}`, stale);
  const change = stale.diff === "" ? "" : ` (${firstChange(stale.diff)})`;
  return new ModelError(
    `not in the cassette: ${phase} request ${id} of ${originText(origin)}; ${nearestText(stale)}${change}; replay.md has the diff`,
    { retryable: false, cause: miss },
  );
}

function reportOf(folder: string, { cells, recordedCells }: Matched, cassette: Cassette, missed: Missed): ReplayReport {
  const requests = [...missed.keys()].sort().map((key) => missed.get(key)!); // keys of the same map
  const { rows, changed } = changedRows(folder, cells, recordedCells, cassette);
  return {
    cassette: cassette.id,
    simulated: cassette.head.simulated,
    rows,
    stale: new Set(requests.map(({ id }) => id)).size,
    changed,
    requests,
  };
}

function refuseOther(plan: RunPlan, { head, shown }: Cassette): void {
  const recorded = unique(head.plan.cells.map(({ model }) => model));
  const unknown = plan.cells.find(({ model }) => !recorded.includes(model));
  if (unknown !== undefined)
    throw new UsageError(
      `${shown}: a cassette of ${recorded.join(", ")}, not of ${unknown.model}; add --model ${recorded[0]}, or record one with ${unknown.model}`,
    );
  for (const { task, name, files } of plan.data) {
    const recordedData = head.plan.data.find((data) => data.task === task);
    if (recordedData === undefined)
      throw new UsageError(
        `${shown}: nothing of ${task} is recorded; it holds ${unique(head.plan.data.map((data) => data.task)).join(", ")}`,
      );
    if (!sameFiles(files, recordedData.files))
      throw new UsageError(
        `${shown}: a cassette of other data: ${task} was recorded on ${recordedData.name} (${filesText(recordedData.files)}), this is ${name} (${filesText(files)}); give that data, or record it again`,
      );
  }
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** How many rows a replayed run has, and those whose requests are not the recorded ones. */
function changedRows(
  folder: string,
  cells: ReadonlyMap<string, Pick<Cell, "task" | "method" | "repeat">>,
  recordedCells: ReadonlyMap<string, string>,
  cassette: Cassette,
): { readonly rows: number; readonly changed: readonly ChangedRow[] } {
  const rows = latestRows(folder);
  const made = new Map<string, string>();
  for (const trace of readJournal<Trace>(join(folder, runFiles.traces)))
    made.set(originKey(trace), trace.requests.join());
  const changed = rows.flatMap((row): ChangedRow[] => {
    const { unit, question } = row;
    const origin = { ...armOf(cells.get(row.cell)), unit, question };
    const cell = recordedCells.get(row.cell);
    const recorded = (origin: { unit: string; question?: string }) =>
      cell === undefined ? undefined : cassette.askedFor({ cell, ...origin })?.requests.join();
    const same = [{ unit }, { unit, question }].every(
      (origin) => (made.get(originKey({ cell: row.cell, ...origin })) ?? "") === (recorded(origin) ?? ""),
    );
    if (row.outcome.kind === "failed" && !same) return [{ ...origin, why: "failed" }];
    if (same) return [];
    return [{ ...origin, why: recorded({ unit, question }) === undefined ? "not recorded" : "other requests" }];
  });
  return { rows: rows.length, changed };
}

/** Throws UsageError where a replay would go on with a run that was paid for, or a run that calls with a replay's rows. */
export function refuseOtherKind(old: Manifest | undefined, replay: Replay | undefined, folder: string): void {
  if (old === undefined || (old.replay === undefined) === (replay === undefined)) return;
  throw new UsageError(
    replay === undefined
      ? `${folder} holds a replay; choose another --out, or repeat the command with its --replay`
      : `${folder} holds a run that is no replay; choose another --out for --replay`,
  );
}

/** Makes room for a replay: it costs nothing, so an earlier one in the folder is made again from the start. */
export function clearReplay(folder: string): void {
  if (readManifest(folder)?.replay === undefined) return;
  for (const name of [...recordFiles, runFiles.figures]) removeFile(join(folder, name));
}

/** What stands beside the tables of a replayed run. */
export const replayRemarks = (replay: Replay | undefined): string[] =>
  replay === undefined ? [] : [`replayed from cassette ${replay.cassette.id.slice(0, 12)}`];

/** Writes what the replay found and tells it in a line or two. Returns what the manifest keeps. */
export function concludeReplay(
  replay: Replay,
  { folder, shown }: { readonly folder: string; readonly shown: string },
  tell: (line: string) => void,
): NonNullable<Manifest["replay"]> {
  const report = replay.report(folder);
  writeWhole(join(folder, runFiles.replayJson), `${JSON.stringify(report, undefined, 2)}\n`);
  writeWhole(join(folder, runFiles.replayText), renderReplay(report));
  const { cassette, stale, changed, rows } = report;
  const changes =
    changed.length === 0
      ? `all requests of ${rows} ${nounOf(rows, "row")} are the recorded ones`
      : `the requests of ${changed.length} of ${rows} ${nounOf(rows, "row")} changed`;
  tell(`replay of cassette ${cassette.slice(0, 12)}${report.simulated ? " (SIMULATED)" : ""}: ${changes}`);
  if (stale > 0)
    tell(
      `stale cassette: ${stale} ${nounOf(stale, "request is not in it; it is", "requests are not in it; they are")} in ${join(shown, runFiles.replayText)} with the nearest recorded ones`,
    );
  return { cassette, stale };
}

type PlannedCell = Pick<Cell, "id" | "task" | "dataset" | "method" | "model" | "seed" | "repeat"> & {
  readonly options: Readonly<Record<string, unknown>>;
};

/** Each cell's counterpart in the recording: itself, else the one of its task, method and repeat with most settings in common. */
function matchCells(cells: readonly PlannedCell[], recorded: readonly PlannedCell[]): ReadonlyMap<string, string> {
  const ids = new Set(recorded.map(({ id }) => id));
  const matched = new Map<string, string>();
  for (const cell of cells) {
    const alike = recorded.filter(
      ({ task, method, repeat }) => task === cell.task && method === cell.method && repeat === cell.repeat,
    );
    const best = ids.has(cell.id) ? cell : mostAlike(cell, alike);
    if (best !== undefined) matched.set(cell.id, best.id);
  }
  return matched;
}

/** How a cell is named where rows are listed: repeats after the first carry their number. */
function armOf(cell: Pick<Cell, "task" | "method" | "repeat"> | undefined): { task: string; method: string } {
  const { task = "", method = "", repeat = 0 } = cell ?? {};
  return { task, method: repeat === 0 ? method : `${method} #${repeat + 1}` };
}

/** Recorded requests to compare a missing one with: of its question if there are any, else of its user. */
function candidatesFor(
  { unit, question }: Pick<Asked, "unit" | "question">,
  recordedCell: string | undefined,
  cassette: Cassette,
): Candidate[] {
  const ofUnit = cassette.asked.filter((other) => other.cell === recordedCell && other.unit === unit);
  const ofQuestion = ofUnit.filter((other) => other.question === question);
  const ids = (ofQuestion.length > 0 ? ofQuestion : ofUnit).flatMap(({ requests }) => requests);
  return ids.slice(0, MOST_CANDIDATES).flatMap((id) => {
    const call = cassette.callOf(id);
    return call === undefined ? [] : [{ id, request: call.request }];
  });
}

/**
 * The recorded failure, where this very request was made while recording and got no reply. The error of a
 * preparation stands in the rows of its user.
 */
export function recordedFailure(
  requestId: string,
  asked: Pick<Asked, "unit" | "question">,
  recordedCell: string | undefined,
  cassette: Pick<Cassette, "asked" | "askedFor" | "callOf">,
): string | undefined {
  if (recordedCell === undefined || cassette.callOf(requestId) !== undefined) return undefined;
  const { unit, question } = asked;
  const recorded = cassette.askedFor({ cell: recordedCell, unit, ...(question === undefined ? {} : { question }) });
  const isRecorded = recorded?.requests.includes(requestId) === true;
  if (question !== undefined || (recorded !== undefined && !isRecorded))
    return isRecorded ? (recorded?.error ?? SWALLOWED) : undefined;
  const row = cassette.asked.find(
    ({ cell, unit: other, error }) => cell === recordedCell && other === unit && error?.startsWith(PREPARING) === true,
  );
  return row?.error?.slice(PREPARING.length) ?? (isRecorded ? SWALLOWED : undefined);
}

/** The error of a call that the method went on without: no row tells it. */
const SWALLOWED = "failed while recording";

/** Words are counted in each: a miss must not cost seconds. */
const MOST_CANDIDATES = 60;

function mostAlike(cell: PlannedCell, recorded: readonly PlannedCell[]): PlannedCell | undefined {
  const common = (other: PlannedCell): number =>
    Object.entries(cell.options).filter(([name, value]) => other.options[name] === value).length +
    [cell.dataset === other.dataset, cell.model === other.model, cell.seed === other.seed].filter(Boolean).length;
  return [...recorded].sort((a, b) => common(b) - common(a))[0];
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../src/log/entry.js";
import { openLog, readLog } from "../../src/log/log.js";
import { abandonTry, emptyState, type Money, type State } from "../../src/log/state.js";
import { type Manifest, manifestOf } from "../../src/record/manifest.js";
import { hashOfRows, RowFiles, runFiles } from "../../src/record/rows.js";
import type { StoredCall } from "../../src/record/stored-run.js";
import type { Json, ModelReply, Row, Trace, UnitRecord } from "../../src/types/index.js";

export interface PlantedRun {
  readonly manifest: Manifest;
  readonly rows: readonly Row[];
  readonly units?: readonly UnitRecord[];
  readonly traces?: readonly Trace[];
  /** Further entries of the log. */
  readonly entries?: readonly Entry[];
}

/** Writes a run folder as a run could have left it, without running anything. Finished where the manifest says so. */
export function plantRun(folder: string, { manifest, rows, units = [], traces = [], entries = [] }: PlantedRun): void {
  const { finishedAt, by = "0.1.0", ...plan } = manifest;
  const log = openLog(folder);
  log.append({ t: "plan", plan: plan as unknown as Json }); // a manifest is JSON
  for (const entry of entries) log.append(entry);
  const files = new RowFiles(folder);
  for (const unit of units) files.unit(unit);
  for (const row of rows) files.row(row);
  for (const trace of traces) files.trace(trace);
  const hash = files.finish();
  if (finishedAt !== undefined) {
    log.append({ t: "fact", name: "finishedAt", value: finishedAt });
    log.append({ t: "end", rows: hash, by });
  }
  log.close();
}

/** Ends a finished run anew after a test has changed its rows or traces, as if it had written them so itself. */
export function sealRun(folder: string): void {
  const log = openLog(folder);
  const rows = hashOfRows(folder);
  if (log.state.end !== undefined && rows !== undefined) log.append({ ...log.state.end, rows });
  log.close();
}

/** Changes what a run folder's log says of the run; its end stays. */
export function changePlan(folder: string, change: (manifest: Manifest) => Manifest): void {
  const log = openLog(folder);
  const { end } = log.state;
  const { finishedAt, by: _, ...plan } = change(manifestOf(log.state, folder)!); // it holds a run
  log.append({ t: "plan", plan: plan as unknown as Json }); // a manifest is JSON
  for (const [name, value] of Object.entries(plan))
    if (log.state.facts.has(name)) log.append({ t: "fact", name, value: value as unknown as Json });
  if (finishedAt !== undefined) log.append({ t: "fact", name: "finishedAt", value: finishedAt });
  if (end !== undefined && finishedAt !== undefined) log.append(end);
  log.close();
}

/** What the tries of a run folder came to, those included that a dead process left open; nothing where there is no log. */
export function moneyIn(folder: string): Money {
  const path = join(folder, runFiles.log);
  const { money, openTries } = existsSync(path) ? stateOf(path) : emptyState();
  const state = { ...emptyState(), money, openTries };
  for (const [key, { batch }] of [...openTries]) if (!batch) abandonTry(state, key);
  return money;
}

function stateOf(path: string): State {
  const log = readLog(path);
  log.close();
  return log.state;
}

/** The replies in a run folder's log, in file order. */
export function repliesIn(folder: string): StoredCall[] {
  return entriesOf(folder).flatMap((entry) =>
    entry.t === "answer" && entry.request !== undefined
      ? [{ request: entry.request, reply: entry.value as unknown as ModelReply }] // a reply, since it has a request
      : [],
  );
}

/** All entries of a run folder's log. */
export function entriesOf(folder: string): Entry[] {
  const log = readLog(join(folder, runFiles.log));
  const entries = [...log.entries()];
  log.close();
  return entries;
}

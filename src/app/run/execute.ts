import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { readText } from "../../disk/whole-file.js";
import type { RunFolder } from "../../run/folder.js";
import { changedSetting } from "../../run/manifest.js";
import { changedArms, rowHashes, rowsOf } from "../../run/rows.js";
import { runFiles } from "../../run/run-files.js";
import { version } from "../../run/version.js";
import { countOf, nounOf } from "../../text/count.js";
import { writeResults } from "../report/results.js";
import { type CallTally, openTally } from "./call-tally.js";
import { concludeRun } from "./conclude.js";
import { ending, failuresOf } from "./ending.js";
import { cutReplies, rateLines } from "./models/call-notices.js";
import { openManifest } from "./open-manifest.js";
import { partRemarks } from "./parts.js";
import type { Prepared } from "./prepare.js";
import type { RunResult } from "./result.js";
import { type HandOut, work } from "./work.js";

/** Runs or resumes, and writes the tables. */
export async function execute(prepared: Prepared, home: RunFolder, handOut?: HandOut): Promise<RunResult> {
  const { settings, folder, replay, io } = prepared;
  const hadPage = existsSync(join(folder, runFiles.page));
  const shown = relative(io.cwd, folder) || ".";
  const [before, ended] = [home.held, home.log.state.end];
  const manifest = openManifest(prepared, home.isBegun ? before : undefined);
  const isSame = before !== undefined && changedSetting(before.plan, manifest.plan) === undefined;
  const isFinished = isSame && home.isFinished(version());
  const finished = isFinished && before?.finishedAt !== undefined ? before.finishedAt.slice(0, 10) : undefined;
  const tally = openTally(manifest);
  home.begin(manifest);
  if (isFinished && ended !== undefined) home.finish(ended.rows, ended.by); // what was begun anew is finished all the same
  const oldRows = isFinished || ended === undefined || ended.by === version() ? undefined : rowHashes(folder);
  const reason = isFinished ? await prepared.commands.close() : await work(prepared, home, tally, handOut);
  if (reason === undefined && !isFinished) concludeRun(prepared, home, tally);
  const changed = oldRows === undefined || reason !== undefined ? [] : changedArms(oldRows, rowHashes(folder));
  const json = textIfThere(join(folder, runFiles.json));
  const { manifest: written, summaries, rows, json: fresh, terminal } = writeResults(folder, settings.catalogue);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const isStale = reason === undefined && tally.missed.length > 0;
  const end = isStale
    ? { ended: "stale" as const, remarks: staleRemarks(tally, replay?.name ?? "") }
    : ending(reason, { questions, failed, shown }, settings);
  const showsTables = questions > 0 || (reason === undefined && prepared.part === undefined);
  const ends = [
    ...failuresOf(rows, shown),
    ...(changed.length === 0
      ? []
      : [`lamp-eval ${ended?.by} finished this run; this version reads ${countOf(changed.length, "arm")} differently`]),
    ...(hadPage && json !== fresh
      ? [`${runFiles.page} is of before: lamp-eval report ${shown} --html makes it anew`]
      : []),
    `${finished === undefined ? "" : `this run had finished (${finished}): `}${sentText(tally)}, ${tally.fromStore} ${nounOf(tally.fromStore, "reply", "replies")} from the log; everything is in ${shown}`,
    ...tally.withoutReply,
    ...rateLines(tally.seen),
    ...cutReplies(tally),
    ...end.remarks,
    ...partRemarks(prepared.part, reason === undefined),
  ];
  return {
    ended: end.ended,
    folder,
    catalogue: settings.catalogue,
    manifest: written,
    summaries,
    get rows() {
      return rowsOf(folder);
    },
    tables: { text: showsTables ? terminal : "", json: fresh }, // a table of dashes says nothing
    calls: {
      sent: tally.sent,
      fromStore: tally.fromStore,
      ...(tally.paid === undefined ? {} : { paidUsd: tally.paid.usd }),
    },
    notices: [...prepared.notices, ...ends.map((text) => ({ kind: "notice" as const, level: "end" as const, text }))],
  };
}

/** What a replay's recording lacks. */
function staleRemarks({ missed }: CallTally, name: string): string[] {
  const shown = missed.slice(0, SHOWN_MISSES).map((what) => `  ${what}`);
  const more = missed.length > SHOWN_MISSES ? [`  ... and ${missed.length - SHOWN_MISSES} more`] : [];
  return [
    `${name} lacks ${countOf(missed.length, "request")} of this run, whose questions failed; record it again, or undo the change:`,
    ...shown,
    ...more,
  ];
}

const SHOWN_MISSES = 5;

/** `12 calls sent ($0.0123 paid)`. */
function sentText({ sent, paid }: CallTally): string {
  const calls = `${sent} ${nounOf(sent, "call")} sent`;
  if (sent === 0 || paid === undefined) return calls;
  return `${calls} ($${paid.usd.toFixed(4)} paid${paid.isPart ? ", without models of unknown price" : ""})`;
}

/** Undefined where there is no such file. */
const textIfThere = (path: string): string | undefined => (existsSync(path) ? readText(path) : undefined);

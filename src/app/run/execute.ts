import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { readText } from "../../disk/whole-file.js";
import type { RunFolder } from "../../run/folder.js";
import { latestRows, runFiles } from "../../run/rows.js";
import { nounOf } from "../../text/count.js";
import { timestamp } from "../common/timestamp.js";
import { concludeReplay } from "../replay/replay.js";
import { writeResults } from "../report/results.js";
import type { Crew } from "../workers/crew.js";
import { type CallTally, calledFacts, openTally } from "./call-tally.js";
import { ending, failuresOf } from "./ending.js";
import { cutReplies, rateLines } from "./models/call-notices.js";
import { recallEndpoints } from "./models/endpoints.js";
import { partRemarks } from "./parts.js";
import type { Prepared } from "./prepare.js";
import { openManifest } from "./records/open-manifest.js";
import type { RunResult } from "./result.js";
import { work } from "./work.js";

/** Runs or resumes, and writes the tables. */
export async function execute(prepared: Prepared, home: RunFolder, crew?: Crew): Promise<RunResult> {
  const { settings, folder, replay, io } = prepared;
  const hadPage = existsSync(join(folder, runFiles.page)); // one that follows this run is written later
  const shown = relative(io.cwd, folder) || ".";
  const opened = openManifest(prepared);
  home.takeUp({ ...opened, shown });
  const tally = openTally(home.manifest);
  recallEndpoints(prepared.models, home.manifest);
  const reason = await work(prepared, home, tally, crew);
  const replayed = replay === undefined ? undefined : concludeReplay(replay, { folder, shown }, io.tell);
  home.end(reason === undefined ? timestamp(io) : undefined, {
    ...calledFacts(prepared, tally, home),
    ...(replayed === undefined ? {} : { replay: replayed }),
  });
  if (reason === undefined) await crew?.done();
  const before = textIfThere(join(folder, runFiles.json));
  const { manifest: written, summaries, rows, files, terminal } = writeResults(folder, settings.catalogue);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const json = files[runFiles.json];
  const isOutdated = before !== json && hadPage;
  const stale = reason === undefined && (replayed?.stale ?? 0) > 0;
  const end = stale ? { ended: "stale" as const, remarks: [] } : ending(reason, { questions, failed, shown }, settings);
  const showsTables = questions > 0 || (reason === undefined && prepared.part === undefined);
  const ends = [
    ...failuresOf(rows, shown),
    ...(isOutdated ? [`${runFiles.page} is of before: lamp-eval report ${shown} --html makes it anew`] : []),
    `${opened.manifest.finishedAt !== undefined && home.idle ? `this run had finished (${opened.manifest.finishedAt.slice(0, 10)}): ` : ""}${sentText(tally)}, ${tally.fromStore} ${nounOf(tally.fromStore, "reply", "replies")} from the store; everything is in ${shown}`,
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
      return latestRows(folder);
    },
    tables: { text: showsTables ? terminal : "", json }, // a table of dashes says nothing
    calls: {
      sent: tally.sent,
      fromStore: tally.fromStore,
      ...(tally.paid === undefined ? {} : { paidUsd: tally.paid.usd }),
    },
    notices: [...prepared.notices, ...ends.map((text) => ({ kind: "notice" as const, level: "end" as const, text }))],
  };
}

/** `12 calls sent ($0.0123 paid)`. */
function sentText({ sent, paid }: CallTally): string {
  const calls = `${sent} ${nounOf(sent, "call")} sent`;
  if (sent === 0 || paid === undefined) return calls;
  return `${calls} ($${paid.usd.toFixed(4)} paid${paid.isPart ? ", without models of unknown price" : ""})`;
}

/** Undefined where there is no such file. */
const textIfThere = (path: string): string | undefined => (existsSync(path) ? readText(path) : undefined);

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { latestRows, runFiles } from "../../run/rows.js";
import { atWork } from "../../run/seals.js";
import { nounOf } from "../../text/count.js";
import { writeResults } from "../report/results.js";
import { ending, failuresOf } from "./ending.js";
import { cutReplies } from "./models/cut-replies.js";
import { recallEndpoints } from "./models/endpoints.js";
import { rateLines } from "./models/rates.js";
import { partRemarks } from "./parts.js";
import { type CallTally, openTally } from "./pilot/call-tally.js";
import type { Prepared } from "./prepare.js";
import { openManifestSteps } from "./records/manifest-steps.js";
import { openManifest } from "./records/open-manifest.js";
import type { RunResult } from "./result.js";
import { work } from "./work.js";

/** Runs or resumes, and writes the tables. */
export async function execute(prepared: Prepared): Promise<RunResult> {
  const { settings, folder, io } = prepared;
  const { manifest: opened, broken } = openManifest(prepared);
  const manifest = atWork(opened, broken);
  const tally = openTally(manifest);
  const shown = relative(io.cwd, folder) || ".";
  recallEndpoints(prepared.models, manifest);
  const steps = openManifestSteps(prepared, { opened, manifest, tally, shown });
  const reason = await work(prepared, { tally, steps });
  const replayed = steps.end(reason);
  const before = textIfThere(join(folder, runFiles.json));
  const { manifest: written, summaries, rows, files, terminal } = writeResults(folder, settings.catalogue);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const unparsed = summaries.reduce((sum, { counts }) => sum + counts.unparsed, 0);
  const unreadable = rows.find(({ outcome }) => outcome.kind === "unparsed")?.question;
  const json = files[runFiles.json];
  const isOutdated = before !== json && existsSync(join(folder, runFiles.page));
  const stale = reason === undefined && (replayed?.stale ?? 0) > 0;
  const end = stale
    ? { ended: "stale" as const, remarks: [] }
    : ending(reason, { questions, failed, unparsed, unreadable, shown }, settings);
  const showsTables = (questions > 0 && end.ended !== "pilot") || (reason === undefined && prepared.part === undefined);
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
    ...(tally.pilot === undefined ? {} : { pilot: tally.pilot }),
    remarks: [
      ...failuresOf(rows, shown),
      ...(isOutdated ? [`${runFiles.page} and charts are of before: lamp-eval report ${shown} --figures --html`] : []),
      `${sentText(tally)}, ${tally.fromStore} ${nounOf(tally.fromStore, "reply", "replies")} from the store; everything is in ${shown}`,
      ...tally.withoutReply,
      ...rateLines(tally.seen),
      ...cutReplies(tally),
      ...end.remarks,
      ...partRemarks(prepared.part, reason === undefined),
    ],
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

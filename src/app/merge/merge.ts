import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../errors.js";
import { type Manifest, readManifest, runName, writeManifest } from "../../run/manifest.js";
import { type LeftOut, mergeRecords } from "../../run/merge-records.js";
import { lockOutFolder } from "../../run/out-folder.js";
import { latestRows, repeatedCalls, requestsByCell, runFiles } from "../../run/rows.js";
import { sealsOf } from "../../run/seals.js";
import { nounOf } from "../../text/count.js";
import { catalogueOf } from "../catalogue.js";
import { withoutFlags } from "../common/command-line.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";
import { type LoadedResults, writeResults } from "../report/results.js";
import { failuresOf } from "../run/ending.js";
import { type OpenedPart, openParts } from "./open-parts.js";

export interface MergeSettings {
  /** Folders of all shards of a run, in any order. */
  readonly shards: readonly string[];
  /** The run folder to write. Default: `results/<tasks>-<methods>-<plan>`, as of the run without shards. */
  readonly out?: string | undefined;
}

/** A run that was merged from its shards. */
export interface MergeResult extends Pick<LoadedResults, "manifest" | "summaries" | "rows"> {
  /** `done`; or `unfinished`: something must be done again, as `remarks` says. */
  readonly ended: "done" | "unfinished";
  /** The run folder, absolute. */
  readonly folder: string;
  readonly tables: { readonly text: string; readonly json: string };
  /** What a person should read below the tables. */
  readonly remarks: readonly string[];
}

/**
 * Joins the shards of a run: the folder is the one that the run without shards would have left, its rows, units, traces and
 * tables byte for byte. Sends nothing. Throws UsageError on shards that do not make one run, naming which, and where the
 * folder holds a run.
 */
export function merge({ shards, out }: MergeSettings, io: Io): MergeResult {
  const parts = openParts(shards, io.cwd);
  const [{ manifest: first }] = parts;
  const folder = resolve(io.cwd, out ?? join("results", runName(first.plan)));
  refuseInside(folder, parts, io);
  const release = lockOutFolder(folder);
  try {
    const old = readManifest(folder);
    if (old !== undefined && isMergeOf(old, parts)) return resultOf(folder, parts, nothing, io);
    refuseHeld(folder, old, first, io);
    const manifest = mergedManifest(parts);
    writeManifest(folder, { ...manifest, merging: true });
    const left = mergeRecords(folder, parts);
    const ended = left.units === 0 ? sealed(folder, manifest, io) : {};
    writeManifest(folder, { ...manifest, ...ended });
    return resultOf(folder, parts, left, io);
  } finally {
    release();
  }
}

function refuseInside(folder: string, parts: readonly OpenedPart[], { cwd }: Io): void {
  if (parts.some(({ path }) => path === folder))
    throw new UsageError(`--out ${relative(cwd, folder) || "."}: this is one of the shards; choose another folder`);
}

/** Whether the folder holds the merge of these very parts, finished: then at most its tables are lacking. */
const isMergeOf = ({ merged, records }: Manifest, parts: readonly OpenedPart[]): boolean =>
  records !== undefined &&
  isDeepStrictEqual(
    merged?.map((part) => part.records),
    parts.map(({ manifest }) => manifest.records),
  );

const nothing: LeftOut = { units: 0, rows: 0, requests: 0 };

/** Only what a merge of this plan that was killed has left is written over. */
function refuseHeld(folder: string, old: Manifest | undefined, { plan }: Manifest, { cwd }: Io): void {
  const begun = old?.merging === true && runName(old.plan) === runName(plan);
  const rows = join(folder, runFiles.rows);
  if (begun || (old === undefined && !existsSync(rows))) return;
  throw new UsageError(`${relative(cwd, folder) || "."} holds a run already; choose another --out, or move it away`);
}

/** Of the first shard, without what is its own. Not finished yet. */
function mergedManifest(parts: readonly OpenedPart[]): Manifest {
  const { part: _part, finishedAt: _finished, records: _records, git, ...first } = parts[0]!.manifest;
  const all = parts.map(({ manifest }) => manifest);
  const sameGit = all.every((one) => one.git?.commit === git?.commit && one.git?.dirty === git?.dirty);
  const edits = [
    ...new Map(all.flatMap((one) => one.edits ?? []).map((edit) => [JSON.stringify(edit), edit])).values(),
  ];
  return {
    ...first,
    argv: withoutFlags(first.argv, "--shard", "--out"),
    startedAt: all.map(({ startedAt }) => startedAt).sort()[0]!,
    tasks: tasksOf(all),
    ...seenOf(all),
    answeredBy: [...new Set(all.flatMap(({ answeredBy = [] }) => answeredBy))].sort(),
    ...(git === undefined || !sameGit ? {} : { git }),
    ...(edits.length === 0 ? {} : { edits }),
    merged: parts.map(({ name, shown, manifest }) => ({
      part: name,
      folder: shown,
      startedAt: manifest.startedAt,
      finishedAt: manifest.finishedAt ?? manifest.startedAt,
      node: manifest.node,
      ...(manifest.git === undefined ? {} : { git: manifest.git }),
      records: manifest.records ?? {},
    })),
  };
}

/** What replies show; a shard without calls saw nothing. */
function seenOf(all: readonly Manifest[]): Pick<Manifest, "batch" | "endpoints"> {
  const endpoints = Object.assign({}, ...all.map((one) => one.endpoints ?? {}).reverse()) as Manifest["endpoints"];
  return {
    ...(all.some(({ batch }) => batch) ? { batch: true } : {}),
    ...(Object.keys(endpoints ?? {}).length === 0 ? {} : { endpoints }),
  };
}

/** Nor did it see what a server does not take: remarks are those of all. */
const tasksOf = ([first, ...others]: readonly Manifest[]): Manifest["tasks"] =>
  first!.tasks.map((task) => {
    const same = others.flatMap(({ tasks }) => tasks.filter((one) => one.task === task.task));
    const baselines = task.baselines?.map(({ name, answers }) => {
      const all = same.map((one) => one.baselines?.find((other) => other.name === name)?.answers);
      return { name, answers: typeof answers === "string" ? answers : Object.assign({}, answers, ...all) };
    });
    return {
      ...task,
      remarks: [...new Set([task, ...same].flatMap(({ remarks }) => remarks))],
      ...(baselines === undefined ? {} : { baselines }),
    };
  });

const sealed = (folder: string, { plan }: Manifest, io: Io): Partial<Manifest> => ({
  finishedAt: timestamp(io),
  requests: requestsByCell(folder),
  ...repeatedCalls(folder, plan.cells),
  records: sealsOf(folder),
});

function resultOf(folder: string, parts: readonly OpenedPart[], left: LeftOut, io: Io): MergeResult {
  const { manifest, summaries, files, terminal } = writeResults(folder, catalogueOf(io));
  const shown = relative(io.cwd, folder) || ".";
  const count = parts.length;
  const commits = new Set(parts.map((one) => one.manifest.git?.commit));
  return {
    ended: left.units === 0 ? "done" : "unfinished",
    folder,
    manifest,
    summaries,
    get rows() {
      return latestRows(folder);
    },
    tables: { text: terminal, json: files[runFiles.json] },
    remarks: [
      ...failuresOf(latestRows(folder), shown),
      ...(commits.size > 1 ? ["the shards were run at different commits; each stands in the manifest"] : []),
      `${count} ${nounOf(count, "shard")} merged; everything is in ${shown}`,
      ...(left.units === 0 ? [] : [againLine(left, shown)]),
    ],
  };
}

const againLine = ({ requests, units, rows }: LeftOut, shown: string): string =>
  `${requests} ${nounOf(requests, "request was", "requests were")} sent by several shards and got different replies: the first is kept, and ${units} ${nounOf(units, "user")} with ${rows} ${nounOf(rows, "question")} that rest on another are left out; the command of the shards without --shard and with --out ${shown} does them again, from the stored replies where they are there`;

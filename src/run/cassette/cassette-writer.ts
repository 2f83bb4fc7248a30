import { createHash } from "node:crypto";
import { join } from "node:path";
import { notesOf } from "../../notes/note.js";
import type { Json, Trace } from "../../types/index.js";
import { readJournal } from "../journal.js";
import type { Manifest } from "../manifest.js";
import { portablePlan, withoutFolder } from "../manifest.js";
import { latestRows, originKey, runFiles } from "../rows.js";
import { type Asked, CASSETTE_FORMAT, CASSETTE_VERSION, type CassetteHead, type RecordedCall } from "./cassette.js";

/** The lines of a run's cassette, newlines included. Runs with equal replies, requests and plans give equal bytes. */
export function* cassetteLines(folder: string, manifest: Manifest): Generator<string> {
  const calls = callsOf(folder);
  const origins = askedByOrigin(folder);
  const vectors = vectorsOf(folder);
  const searches = searchesOf(folder);
  const head: CassetteHead = {
    format: CASSETTE_FORMAT,
    version: CASSETTE_VERSION,
    simulated: manifest.simulated || calls.simulated,
    complete: manifest.finishedAt !== undefined,
    answeredBy: [...(manifest.answeredBy ?? [])],
    plan: portablePlan(manifest.plan),
    embedders: (manifest.embedders ?? []).map((embedder) => ({ ...embedder, named: withoutFolder(embedder.named) })),
    counts: {
      calls: calls.lines.size,
      places: origins.length,
      vectors: vectors.size,
      searches: searches.length,
    },
  };
  const hash = createHash("sha256");
  let lines = 0;
  const counted = (line: string): string => {
    lines += 1;
    hash.update(line);
    return line;
  };
  yield counted(`${JSON.stringify(head)}\n`);
  for (const key of [...calls.lines.keys()].sort()) yield counted(`${calls.lines.get(key)}\n`);
  for (const asked of origins) yield counted(`${JSON.stringify({ asked })}\n`);
  for (const key of [...vectors.keys()].sort()) yield counted(`${vectors.get(key)}\n`);
  for (const search of searches) yield counted(`${search}\n`);
  yield `${JSON.stringify({ end: { lines, sha256: hash.digest("hex") } })}\n`;
}

/** Who made which requests, sorted; the last trace of a unit or question holds, as everywhere. */
export function askedByOrigin(folder: string): Asked[] {
  const byOrigin = new Map<string, Asked>();
  for (const { cell, unit, question, requests, notes } of readJournal<Trace>(join(folder, runFiles.traces))) {
    const failed = notesOf(notes, "search-failed");
    const asked = {
      ...{ cell, unit, ...(question === undefined ? {} : { question }), requests },
      ...(failed.length === 0 ? {} : { failed }),
    };
    byOrigin.set(originKey(asked), asked);
  }
  for (const { cell, unit, question, outcome } of latestRows(folder)) {
    if (outcome.kind !== "failed") continue;
    const origin = { cell, unit, question };
    const asked = byOrigin.get(originKey(origin)) ?? { ...origin, requests: [] };
    byOrigin.set(originKey(origin), { ...asked, error: outcome.error });
  }
  return [...byOrigin.keys()].sort().map((key) => byOrigin.get(key)!); // keys of the same map
}

/** The first record of a key holds, as in the response store. */
function callsOf(folder: string): { readonly lines: Map<string, string>; readonly simulated: boolean } {
  const lines = new Map<string, string>();
  let simulated = false;
  for (const { key, reply, request } of readJournal<RecordedCall & { key: string }>(join(folder, runFiles.responses))) {
    if (lines.has(key)) continue;
    lines.set(key, JSON.stringify({ call: key, reply, request }));
    if (reply.simulated === true) simulated = true;
  }
  return { lines, simulated };
}

/** The last record of a key holds, as in the vector store. */
function vectorsOf(folder: string): Map<string, string> {
  const vectors = new Map<string, string>();
  for (const record of readJournal<{ key: string }>(join(folder, runFiles.vectors)))
    vectors.set(record.key, JSON.stringify(record));
  return vectors;
}

const searchesOf = (folder: string): string[] =>
  [...readJournal<{ [key: string]: Json }>(join(folder, runFiles.searches))]
    .map((search) => JSON.stringify({ search }))
    .sort();

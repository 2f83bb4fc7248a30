import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Trace } from "../types/index.js";
import { framedRecords, readJournal } from "./journal.js";
import { lineOf } from "./record-lines.js";
import { isShared, originKey, RunRows, runFiles } from "./rows.js";

/** A finished shard: its folder as a person typed it, and where it is. */
export interface MergedPart {
  readonly shown: string;
  readonly path: string;
}

/** What could not be merged as it stands: it is left out, and a resumed run does it again. */
export interface LeftOut {
  /** Units whose preparation or questions rest on another reply than the one that is kept. */
  readonly units: number;
  /** Their rows. */
  readonly rows: number;
  /** Requests with different replies in different shards. */
  readonly requests: number;
}

/**
 * Writes the record files of the whole run from those of its shards. Equal requests of users in different shards were sent by
 * each: of different replies the first is kept, as one run would, and what rests on another one is left out. Throws UsageError
 * on shards that built different values of what all users share. Memory holds some thirty bytes a stored reply.
 */
export function mergeRecords(folder: string, shards: readonly MergedPart[]): LeftOut {
  const some = (name: string): boolean => shards.some(({ path }) => existsSync(join(path, name)));
  const write = (name: string, lines: Iterable<Buffer>): void => writeWhole(join(folder, name), lines);
  const losing = shards.map(() => new Set<string>());
  write(runFiles.responses, firstOfEach(shards, runFiles.responses, losing));
  const left = shards.map((shard, s) => unitsResting(shard, losing[s]!));
  const counted = { rows: 0 };
  for (const name of [runFiles.rows, runFiles.units, runFiles.traces])
    write(name, recordsOf(shards, name, left, counted));
  new RunRows(folder).finish(); // puts them in order
  if (some(runFiles.vectors)) write(runFiles.vectors, firstOfEach(shards, runFiles.vectors));
  if (some(runFiles.searches)) write(runFiles.searches, distinct(shards));
  for (const name of [runFiles.timings, runFiles.attempts]) if (some(name)) write(name, joined(shards, name));
  const requests = new Set(losing.flatMap((keys) => [...keys])).size;
  return { units: left.reduce((sum, units) => sum + units.size, 0), rows: counted.rows, requests };
}

/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;
/** As many as a number holds. */
const CONTENT_BYTES = 6;

/** The first record of each key. `losing` takes, by shard, the ids of keys whose record there is another one. */
function* firstOfEach(shards: readonly MergedPart[], name: string, losing?: readonly Set<string>[]): Generator<Buffer> {
  const contents = new Map<string, number>();
  for (const [s, { path }] of shards.entries())
    for (const { body, record } of framedRecords<{ readonly key: string }>(join(path, name))) {
      const content = createHash("sha256").update(body).digest().readUIntBE(0, CONTENT_BYTES);
      const known = contents.get(record.key);
      if (known === undefined) {
        contents.set(record.key, content);
        yield lineOf(body);
      } else if (known !== content) losing?.[s]?.add(record.key.slice(0, ID_LENGTH));
    }
}

/** The units of a shard that asked any of these requests, as `CELL UNIT` keys. */
function unitsResting({ shown, path }: MergedPart, losing: ReadonlySet<string>): Set<string> {
  const units = new Set<string>();
  if (losing.size === 0) return units;
  for (const trace of readJournal<Trace>(join(path, runFiles.traces))) {
    if (!trace.requests.some((id) => losing.has(id))) continue;
    if (isShared(trace)) throw otherShared(shown, trace.unit);
    units.add(unitKey(trace));
  }
  return units;
}

/** The records of all shards without the units that are left out. What all users share stands in every shard and comes once. */
function* recordsOf(
  shards: readonly MergedPart[],
  name: string,
  left: readonly ReadonlySet<string>[],
  counted: { rows: number },
): Generator<Buffer> {
  const shared = new Map<string, Buffer>();
  for (const [s, { shown, path }] of shards.entries())
    for (const { body, record } of framedRecords<Parameters<typeof originKey>[0]>(join(path, name))) {
      if (left[s]!.has(unitKey(record))) {
        if (name === runFiles.rows) counted.rows += 1;
        continue;
      }
      if (isShared(record)) {
        const before = shared.get(originKey(record));
        if (before?.equals(body) === false) throw otherShared(shown, record.unit);
        if (before !== undefined) continue;
        shared.set(originKey(record), Buffer.from(body));
      }
      yield lineOf(body);
    }
}

const otherShared = (shown: string, unit: string): UsageError =>
  new UsageError(`${shown}: another ${unit} than in the other shards; run the whole without --shard`);

function* distinct(shards: readonly MergedPart[]): Generator<Buffer> {
  const known = new Set<string>();
  for (const line of joined(shards, runFiles.searches)) {
    const content = createHash("sha256").update(line).digest("base64");
    if (!known.has(content)) yield line;
    known.add(content);
  }
}

function* joined(shards: readonly MergedPart[], name: string): Generator<Buffer> {
  for (const { path } of shards) for (const { body } of framedRecords(join(path, name))) yield lineOf(body);
}

const unitKey = ({ cell, unit }: { readonly cell: string; readonly unit: string }): string => `${cell}\t${unit}`;

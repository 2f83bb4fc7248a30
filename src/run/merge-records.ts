import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { HashIndex } from "../text/hash-index.js";
import type { Row, Trace, UnitRecord } from "../types.js";
import { framedRecords, readFrames, readJournal } from "./journal/journal.js";
import { lineOf, recordOf } from "./journal/record-line.js";
import { isShared, originKey } from "./origin-key.js";
import { isShard, partName, type RunPart, shardOf } from "./plan/part.js";
import { runFiles } from "./run-rows.js";

/** A finished part of a run, to be merged. */
export interface MergedPart {
  /** The folder as a person typed it, and where it is. */
  readonly shown: string;
  readonly path: string;
  readonly part: RunPart;
}

/** What could not be merged as it stands: it is left out, and a resumed run does it again. */
export interface LeftOut {
  /** Units whose preparation or questions rest on another reply than the one that is kept. */
  readonly units: number;
  /** Their rows. */
  readonly rows: number;
  /** Requests with different replies in different parts. */
  readonly requests: number;
}

/**
 * Writes the record files of the whole run from those of its parts, which are sealed and so in order. Equal requests of users in
 * different shards were sent by each: of different replies the first is kept, as one run would, and what rests on another one is
 * left out. Throws UsageError on rows that stand in two parts or in one that is not their user's, and on parts that hold
 * different values of what all users share. Memory holds some thirty bytes a stored reply.
 */
export function mergeRecords(folder: string, parts: readonly MergedPart[]): LeftOut {
  const shards = parts.filter(({ part }) => isShard(part));
  const losing = mergeKeyed(join(folder, runFiles.responses), shards, runFiles.responses);
  const left = shards.map((part, p) => unitsResting(part, losing[p] ?? new Set()));
  const counted = { rows: 0 };
  for (const name of [runFiles.rows, runFiles.units, runFiles.traces])
    writeWhole(join(folder, name), inOrder(shards, name, left, counted));
  const some = (name: string): boolean => parts.some(({ path }) => existsSync(join(path, name)));
  if (some(runFiles.vectors)) mergeKeyed(join(folder, runFiles.vectors), shards, runFiles.vectors);
  if (some(runFiles.searches)) writeWhole(join(folder, runFiles.searches), distinct(shards, runFiles.searches));
  for (const name of [runFiles.timings, runFiles.attempts])
    if (some(name)) writeWhole(join(folder, name), joined(parts, name));
  const requests = new Set(losing.flatMap((keys) => [...keys])).size;
  return { units: left.reduce((sum, units) => sum + units.size, 0), rows: counted.rows, requests };
}

/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;
/** As many as a number holds. */
const CONTENT_BYTES = 6;

type Keyed = { readonly key: string };

/** Writes the first record of each key. Returns, for each part, the ids of keys whose record there is another one. */
function mergeKeyed(path: string, parts: readonly MergedPart[], name: string): Set<string>[] {
  const keys = new HashIndex();
  const contents: number[] = []; // by the key's number
  const losing = parts.map(() => new Set<string>());
  function* lines(): Generator<Buffer> {
    for (const [p, part] of parts.entries())
      for (const { body, record } of framedRecords<Keyed>(join(part.path, name))) {
        const { key } = record;
        const content = createHash("sha256").update(body).digest().readUIntBE(0, CONTENT_BYTES);
        const number = keys.add(key);
        if (number === contents.length) {
          contents.push(content);
          yield lineOf(body);
        } else if (contents[number] !== content) losing[p]!.add(key.slice(0, ID_LENGTH));
      }
  }
  writeWhole(path, lines());
  return losing;
}

/** The units of a part that asked any of these requests, as `CELL UNIT` keys. */
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

interface Head {
  readonly key: string;
  readonly body: Buffer;
  readonly p: number;
  readonly rest: Iterator<Omit<Head, "rest">>;
}

/** The records of all parts by cell, unit and question; each stands there once. */
function* inOrder(
  parts: readonly MergedPart[],
  name: string,
  left: readonly ReadonlySet<string>[],
  counted: { rows: number },
): Generator<Buffer> {
  const next = (rest: Head["rest"]): Head[] => {
    const { value, done } = rest.next();
    return done === true ? [] : [{ ...value, rest }];
  };
  let heads = parts.flatMap((part, p) => next(recordsOf(part, p, name, left[p] ?? new Set(), counted)));
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (b.key < a.key ? b : a));
    const equal = heads.filter(({ key }) => key === least.key);
    refuseDoubled(equal, parts, name);
    yield lineOf(least.body);
    heads = heads.flatMap((head) => (head.key === least.key ? next(head.rest) : [head]));
  }
}

function* recordsOf(
  { shown, path, part }: MergedPart,
  p: number,
  name: string,
  left: ReadonlySet<string>,
  counted: { rows: number },
): Generator<Omit<Head, "rest">> {
  let before = "";
  for (const { body, line, record } of framedRecords<Partial<Row> & UnitRecord>(join(path, name))) {
    const key = originKey(record);
    if (key <= before && before !== "") throw new UsageError(`${shown}: ${name} line ${line} is not in order`);
    before = key;
    if (isShard(part) && !isShared(record) && record.user !== undefined && shardOf(record.user, part.of) !== part.shard)
      throw new UsageError(`${shown}: ${name} line ${line}: user ${record.user} is not of ${partName(part)}`);
    if (!left.has(unitKey(record))) yield { key, body, p };
    else if (name === runFiles.rows) counted.rows += 1;
  }
}

/** What all users share is built in every shard, from the same replies; all else stands in one. */
function refuseDoubled(heads: readonly Head[], parts: readonly MergedPart[], name: string): void {
  const [first, ...others] = heads;
  if (first === undefined) return;
  const record = recordOf<UnitRecord & { readonly question?: string }>(first.body);
  for (const { body, p } of others) {
    const [a, b] = [parts[first.p]!.shown, parts[p]!.shown];
    if (!isShared(record))
      throw new UsageError(
        `${a} and ${b} overlap: ${name} of both holds ${record.question === undefined ? `unit ${record.unit}` : `question ${record.question}`} of cell ${record.cell}`,
      );
    if (!body.equals(first.body)) throw otherShared(`${a} and ${b}`, record.unit);
  }
}

const otherShared = (shown: string, unit: string): UsageError =>
  new UsageError(
    `${shown}: another ${unit} than in the other shards: all shards of a run are handed the same --shared folder; run this one again with it`,
  );

function* distinct(parts: readonly MergedPart[], name: string): Generator<Buffer> {
  const known = new Set<string>();
  for (const { path } of parts)
    for (const { body } of readFrames(join(path, name))) {
      const content = createHash("sha256").update(body).digest("base64");
      if (!known.has(content)) yield lineOf(body);
      known.add(content);
    }
}

function* joined(parts: readonly MergedPart[], name: string): Generator<Buffer> {
  for (const { path } of parts) for (const { body } of readFrames(join(path, name))) yield lineOf(body);
}

const unitKey = ({ cell, unit }: { readonly cell: string; readonly unit: string }): string => `${cell}\t${unit}`;

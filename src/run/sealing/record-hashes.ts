import { createHash, type Hash, hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readAll, readFrames } from "../journal/journal.js";
import { digestOf, endOwn, ownLines } from "../journal/own-lines.js";
import { recordOf } from "../journal/record-line.js";
import { rememberSound, stateOf } from "../journal/sound-files.js";
import { originKey } from "../origin-key.js";
import { recordFiles, runFiles } from "../run-files.js";
import { inOrder } from "./in-order.js";

/**
 * Seals of the record files that are there, for the manifest of a finished run. `3:<sha256>`: three records, and the
 * SHA-256 over their digests, in file order where the run puts the file in order, else sorted: a seal knows nothing of
 * line ends and checks.
 */
export function recordHashes(folder: string, files: readonly string[] = recordFiles): Record<string, string> {
  const there = files.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(there.map((name) => [name, newSeal(join(folder, name), name)]));
}

/** Whether a file's records are those of a seal. */
export function sealHolds(folder: string, name: string, seal: string): boolean {
  const path = join(folder, name);
  if (!existsSync(path)) return false;
  const reading = readingOf(path, name);
  if (reading.seal !== seal) return false;
  rememberSound(path, reading.state, reading.end);
  return true;
}

/** Whether the first records of a file, as many as a seal counts, are those of the seal; what stands behind them may be anything. */
export function prefixHolds(folder: string, name: string, seal: string): boolean {
  const path = join(folder, name);
  return existsSync(path) && read(path, name, countOf(seal)).seal === seal;
}

/**
 * The line of the first damage, an unfinished last record among it; undefined in a sound file. A seal vouches for what the
 * records say: only their checks are looked at.
 */
export const firstFlaw = (path: string, name: string): number | undefined => readingOf(path, name).flaw;

/** How many records a seal counts. */
export const countOf = (seal: string): number => Number.parseInt(seal, 10);

/** The seal that a file will have when it has been put in order: the last record of each key, sorted; undefined for files that never are. */
export function sealInOrder(folder: string, name: string): string | undefined {
  if (!sorted.includes(name)) return undefined;
  const digests = new Map<string, string>();
  for (const { body } of readFrames(join(folder, name)))
    digests.set(originKey(recordOf<Parameters<typeof originKey>[0]>(body)), digestOf(body));
  return sealOfDigests([...digests.keys()].sort().map((key) => digests.get(key)!)); // keys of the same map
}

/** The file now has the records of these digests, in this order, in lines as this version writes them, and ends at `end`. */
export function rememberSeal(path: string, digests: readonly string[], end: number): void {
  readings.set(path, { seal: sealOfDigests(digests), flaw: undefined, end, state: stateOf(path) });
}

/** The seal of a file that this process writes in order: so it need not be read again. */
export class RunningSeal {
  readonly #whole = createHash("sha256");
  #count = 0;

  add(body: Buffer): void {
    this.#whole.update(digestOf(body));
    this.#count += 1;
  }

  /** The file now has these records, in lines as this version writes them, and ends at `end`. */
  keep(path: string, end: number): void {
    const seal = `${this.#count}:${this.#whole.digest("hex")}`;
    readings.set(path, { seal, flaw: undefined, end, state: stateOf(path) });
  }
}

/** Files that `finish` puts in order: the order of the others is that of arrival. */
const sorted: readonly string[] = [runFiles.rows, runFiles.units, runFiles.traces];
/** SHA-256 in base64. */
const DIGEST_BYTES = 44;

/** What one reading of a record file finds. */
interface Reading {
  readonly seal: string;
  readonly flaw: number | undefined;
  /** As `soundEnd` has it. */
  readonly end: number;
}

type KeptReading = Reading & { readonly state: string };

/** Readings by path, of a file as it then was: a run that begins, ends and shows its table reads each once. */
const readings = new Map<string, KeptReading>();

function readingOf(path: string, name: string): KeptReading {
  const state = stateOf(path);
  const known = readings.get(path);
  if (known?.state === state) return known;
  const reading = { ...(ownReading(path, name) ?? read(path, name)), state };
  readings.set(path, reading);
  return reading;
}

/** Of a file in which every byte was put by this process. */
function ownReading(path: string, name: string): Reading | undefined {
  const own = ownLines(path);
  if (own?.read(path) === undefined) return undefined;
  endOwn(path);
  const digests = sorted.includes(name) ? own.digests : own.digests.sort();
  return { seal: sealOfDigests(digests), flaw: undefined, end: own.bytes };
}

/** The seal of a file whose records this process has read or written: it is sound from now on, where no line is damaged. */
function newSeal(path: string, name: string): string {
  const { seal, flaw, state, end } = readingOf(path, name);
  if (flaw === undefined) rememberSound(path, state, end);
  return seal;
}

/** `most`: the seal of so many first records. */
function read(path: string, name: string, most = Number.POSITIVE_INFINITY): Reading {
  const whole = createHash("sha256");
  let [count, end] = [0, 0];
  let flaw: number | undefined;
  const toSort = sorted.includes(name) ? undefined : new Digests();
  for (const found of readAll(path)) {
    if (count >= most) break;
    if (found.kind === "damage" || found.kind === "unfinished") flaw ??= found.line;
    if (found.kind === "odd") end = Number.NaN; // lines that end in CR, each a byte long as others are
    if (found.kind !== "record") continue;
    end = found.offset === end ? end + found.length + 1 : Number.NaN;
    const digest = digestOf(found.body);
    if (toSort === undefined) whole.update(digest);
    else toSort.add(digest);
    count += 1;
  }
  toSort?.addTo(whole);
  return { seal: `${count}:${whole.digest("hex")}`, flaw, end };
}

const sealOfDigests = (digests: readonly string[]): string => `${digests.length}:${hash("sha256", digests.join(""))}`;

/** Digests to be sorted, as bytes in pieces: a million texts would take twice that, and one piece is copied as it grows. */
class Digests {
  readonly #pieces: Buffer[] = [];
  #count = 0;

  add(digest: string): void {
    const at = this.#count % DIGESTS_A_PIECE;
    if (at === 0) this.#pieces.push(Buffer.allocUnsafe(DIGESTS_A_PIECE * DIGEST_BYTES));
    this.#pieces.at(-1)!.write(digest, at * DIGEST_BYTES, "latin1");
    this.#count += 1;
  }

  /** Sorted. */
  addTo(whole: Hash): void {
    const head = (d: number): number => this.#pieceOf(d).readUInt32BE(startOf(d));
    const order = inOrder(this.#count, head, (a, b) => {
      const [startA, startB] = [startOf(a), startOf(b)];
      return this.#pieceOf(a).compare(this.#pieceOf(b), startB, startB + DIGEST_BYTES, startA, startA + DIGEST_BYTES);
    });
    for (const digest of order)
      whole.update(this.#pieceOf(digest).subarray(startOf(digest), startOf(digest) + DIGEST_BYTES));
  }

  #pieceOf(digest: number): Buffer {
    return this.#pieces[Math.floor(digest / DIGESTS_A_PIECE)]!;
  }
}

const DIGESTS_A_PIECE = 1 << 13;
const startOf = (digest: number): number => (digest % DIGESTS_A_PIECE) * DIGEST_BYTES;

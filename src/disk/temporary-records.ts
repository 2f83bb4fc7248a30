import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { messageOf } from "../text/file-trouble.js";

/**
 * Values as JSON in a temporary file, which has no name once it is open and goes with the process. Throws UsageError where there is
 * no room.
 */
export class TemporaryRecords<T> {
  readonly #handle: number;
  /** By record, where it begins; and where the last one ends. */
  readonly #starts: number[] = [0];

  constructor() {
    const path = join(tmpdir(), `lamp-eval-${randomUUID()}.jsonl`);
    this.#handle = withRoom(() => openSync(path, "wx+", 0o600));
    rmSync(path);
    closing.register(this, this.#handle);
  }

  add(record: T): void {
    const start = this.#starts.at(-1)!;
    const bytes = Buffer.from(JSON.stringify(record));
    for (let at = 0; at < bytes.length; )
      at += withRoom(() => writeSync(this.#handle, bytes, at, bytes.length - at, start + at));
    this.#starts.push(start + bytes.length);
  }

  /** The record of a number, from 0. */
  at(number: number): T {
    const [start, end] = [this.#starts[number]!, this.#starts[number + 1]!];
    const bytes = Buffer.allocUnsafe(end - start);
    for (let at = 0; at < bytes.length; ) at += readSync(this.#handle, bytes, at, bytes.length - at, start + at);
    return JSON.parse(bytes.toString()) as T; // as `add` wrote it
  }
}

const closing = new FinalizationRegistry<number>(closeSync);

function withRoom<R>(work: () => R): R {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${tmpdir()}: data above 16 MB need room for a copy here (${messageOf(error)}); set TMPDIR`);
  }
}

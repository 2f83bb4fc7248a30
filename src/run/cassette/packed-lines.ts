import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { UsageError } from "../../errors.js";
import { fileTrouble, messageOf } from "../../text/file-trouble.js";

/** Content of a file that no program of ours has written like this. */
export class Damaged extends UsageError {}

/** Bytes of a line, without its newline. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

export const NEWLINE = 0x0a;
const MB = 1 << 20;
/** Cassettes of agents, which repeat their prompts most, pack to a thirtieth. */
const LARGEST_RATIO = 100;
const LEAST_LIMIT = 16 * MB;
const LARGEST_UNPACKED = 2048 * MB;
/** RFC 1952, 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** RFC 1952, 2.3: the byte of the operating system, which would make equal content unequal files. */
const GZIP_OS_BYTE = 9;
const UNKNOWN_OS = 255;

/** Equal bytes for equal lines, on every system. */
export function packed(lines: Iterable<string>): Buffer {
  const bytes = gzipSync(Buffer.concat(Array.from(lines, (line) => Buffer.from(line))), { level: 9 });
  bytes[GZIP_OS_BYTE] = UNKNOWN_OS;
  return bytes;
}

/** The bytes of a file of lines, unpacked. Throws UsageError naming `shown`; `made` is the command that makes such a `kind` of file. */
export function unpackedBytes(path: string, shown: string, { kind, made }: { kind: string; made: string }): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError(`${shown}: no ${kind} here; make one with ${made}`);
    throw new UsageError(`${shown}: ${fileTrouble(error)}`);
  }
  if (!bytes.subarray(0, 2).equals(GZIP_MAGIC)) return bytes;
  const limit = Math.min(Math.max(LEAST_LIMIT, bytes.length * LARGEST_RATIO), LARGEST_UNPACKED);
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError)
      throw new Damaged(
        `${shown}: unpacks to more than ${Math.floor(limit / MB)} MB (${LARGEST_RATIO} times its size, at most ${LARGEST_UNPACKED / MB} MB), as no ${kind} does; unpack it yourself if you trust it`,
      );
    throw new Damaged(`${shown}: damaged gzip (${messageOf(error)}); export the run again`);
  }
}

/** Complete lines: a cut last line is left out. */
export function* linesIn(bytes: Buffer): Generator<Line> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    yield { start, end };
    start = end + 1;
  }
}

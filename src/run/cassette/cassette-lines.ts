import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { UsageError } from "../../errors.js";
import { fileTrouble } from "../../text/file-trouble.js";

const NEWLINE = 0x0a;
const MB = 1 << 20;
/** Cassettes of agents, which repeat their prompts most, pack to a thirtieth. */
const LARGEST_RATIO = 100;
const LEAST_LIMIT = 16 * MB;
const LARGEST_UNPACKED = 2048 * MB;
/** RFC 1952, 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The bytes of a cassette, unpacked. Throws UsageError naming `shown`; `named` is its path as typed. */
export function cassetteBytes(path: string, shown: string, named: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new UsageError(`${shown}: no cassette here; make one with lamp-eval cassette export <run> --out ${named}`);
    throw new UsageError(`${shown}: ${fileTrouble(error)}`);
  }
  if (!bytes.subarray(0, 2).equals(GZIP_MAGIC)) return bytes;
  const limit = Math.max(LEAST_LIMIT, bytes.length * LARGEST_RATIO);
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(limit, LARGEST_UNPACKED) });
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(
        `${shown}: unpacks to more than ${Math.floor(Math.min(limit, LARGEST_UNPACKED) / MB)} MB (${LARGEST_RATIO} times its size, at most ${LARGEST_UNPACKED / MB} MB), as no cassette does; unpack it yourself if you trust it`,
      );
    throw new UsageError(
      `${shown}: damaged gzip (${error instanceof Error ? error.message : error}); export the run again`,
    );
  }
}

/** Complete lines, without their newlines: a cut last line is left out. */
export function* linesOf(bytes: Buffer): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    yield { start, end };
    start = end + 1;
  }
}

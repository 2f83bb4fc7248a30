import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { UsageError } from "../errors.js";
import { oneLine } from "../text/file-trouble.js";
import type { FileFacts } from "./file-text.js";

interface ParquetRow {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
  /** As JSON. */
  readonly bytes: number;
}

/**
 * Streams the rows of a Parquet file, in order, some at a time, so that memory holds one row group and a few rows. Throws UsageError
 * naming the file, and the row group where it is too large or cannot be read.
 */
export async function readParquet(
  file: string,
  visit: (row: ParquetRow) => void | Promise<void>,
  mostGroupBytes = MOST_GROUP_BYTES,
): Promise<FileFacts> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const buffer = await asyncBufferFromFile(file);
  const reading = { file: buffer, compressors, parsers: {} };
  let metadata: FileMetaData;
  try {
    metadata = await parquetMetadataAsync(buffer);
  } catch (error) {
    throw new UsageError(`${file}: no Parquet file (${oneLine(error)}); is it whole?`);
  }
  const doubles = new Set(
    metadata.schema.filter(({ type }) => type === "DOUBLE" || type === "FLOAT").map((of) => of.name),
  );
  let number = 0;
  for (const [group, { num_rows, total_byte_size }] of metadata.row_groups.entries()) {
    const rows = Number(num_rows);
    const where = `${file}: row group ${group + 1} (rows ${number + 1} to ${number + rows})`;
    const tooLarge = (what: string): UsageError =>
      new UsageError(
        `${where}: has ${what}, and at most ${mostGroupBytes} bytes and ${MOST_GROUP_ROWS} rows are read at once; write it with smaller row groups (row_group_size=200), or as JSON Lines`,
      );
    if (Number(total_byte_size) > mostGroupBytes) throw tooLarge(`${total_byte_size} bytes`);
    if (rows > MOST_GROUP_ROWS) throw tooLarge(`${rows} rows`);
    let values: readonly Record<string, unknown>[];
    try {
      values = await parquetReadObjects({ ...reading, metadata, rowStart: number, rowEnd: number + rows });
    } catch (error) {
      throw new UsageError(`${where}: cannot be read (${oneLine(error)}); write the file again, or as JSON Lines`);
    }
    let left = mostGroupBytes;
    for (const value of values) {
      number += 1;
      const text = JSON.stringify(value, (key, field: unknown) => plain(field, doubles.has(key)));
      left -= text.length;
      if (left < 0) throw tooLarge("more text"); // one long value may stand in many rows
      await visit({ number, value: JSON.parse(text), bytes: text.length });
    }
  }
  return { file, bytes: buffer.byteLength, records: number, around: [], sha256: hash.digest("hex") };
}

const MOST_GROUP_BYTES = 256 * 2 ** 20;

/** pyarrow's default row group has 2^20 rows. */
const MOST_GROUP_ROWS = 2 ** 20;

/** Snappy, which is what most files have, is read by hyparquet itself. A page is as long as its header says. */
const compressors = {
  GZIP: (input: Uint8Array, length: number) => new Uint8Array(gunzipSync(input, bound(length))),
  BROTLI: (input: Uint8Array, length: number) => new Uint8Array(brotliDecompressSync(input, bound(length))),
};

const bound = (length: number): { maxOutputLength: number } => ({
  maxOutputLength: Math.min(Math.max(1, length), MOST_GROUP_BYTES),
});

/** A value as JSON holds it; numbers with a point as Python writes them: 5.0. */
function plain(value: unknown, isDouble: boolean): unknown {
  if (typeof value === "bigint") return String(value);
  if (isDouble && typeof value === "number" && Number.isInteger(value)) return `${value}.0`;
  return value;
}

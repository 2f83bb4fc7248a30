import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { fileTrouble } from "../text/file-trouble.js";

/** The facts of one pass over a file. */
export interface FileFacts {
  /** The path as given. */
  readonly file: string;
  readonly bytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
  readonly records: number;
  /** The value around the array: `{task, golds: []}`, or `[]`. */
  readonly around: unknown;
}

/** The text of a file, and the facts of the bytes that were read so far. */
interface FileText {
  readonly pieces: AsyncIterable<string>;
  readonly bytes: () => number;
  /** To be asked for once, at the end. */
  readonly facts: (records: number, around?: unknown) => FileFacts;
}

/** Reads a file in pieces, without a byte order mark. Throws UsageError where it is missing, a folder or not UTF-8. */
export function fileText(file: string): FileText {
  const hash = createHash("sha256");
  let bytes = 0;
  const pieces = async function* (): AsyncGenerator<string> {
    const handle = await openFile(file);
    const decoder = new TextDecoder("utf-8", { fatal: true });
    try {
      const chunk = Buffer.allocUnsafe(PIECE_BYTES);
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunk.length);
        const piece = chunk.subarray(0, bytesRead);
        hash.update(piece);
        bytes += bytesRead;
        const text = decoded(decoder, piece, file);
        if (text !== "") yield text;
        if (bytesRead === 0) return;
      }
    } finally {
      await handle.close();
    }
  };
  return {
    pieces: pieces(),
    bytes: () => bytes,
    facts: (records, around = []) => ({ file, bytes, records, around, sha256: hash.digest("hex") }),
  };
}

const PIECE_BYTES = 2 ** 18;

/** An empty piece is the end of the file. */
function decoded(decoder: InstanceType<typeof TextDecoder>, piece: Buffer, file: string): string {
  try {
    return decoder.decode(piece, { stream: piece.length > 0 });
  } catch {
    const isGzip = piece[0] === 0x1f && piece[1] === 0x8b;
    const what = isGzip ? "a gzip file; unpack it with gunzip first" : "not UTF-8 text; save the file as UTF-8";
    throw new UsageError(`${file}: this is ${what}`);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file, "r").catch((error: unknown) => {
    throw new UsageError(`${file}: ${fileTrouble(error)}; check the path`);
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new UsageError(`${file}: is a folder; name a file in it`);
}

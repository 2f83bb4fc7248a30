import { crc32 } from "node:zlib";
import { UsageError } from "../errors.js";
import { type GlobalIndex, searchable } from "./global-index.js";

/** Raise it when the layout, the tokens or the content keys change. */
export const INDEX_VERSION = 1;

/**
 * The index as bytes: preamble, JSON header, then names and arrays as they lie in memory, each from a multiple of 8.
 * Reading and writing the file is the caller's part.
 */
export function encodeIndex({ parts }: GlobalIndex): Uint8Array {
  const { idf, inverseNorms, offsets, documents, owners, contentKeys, counts } = parts;
  const names = json<Names>({ terms: [...parts.terms.keys()], owners: parts.ownerNames });
  const sections = [names, idf, inverseNorms, offsets, documents, owners, contentKeys, counts];
  const header = json<Header>({
    maxFeatures: parts.settings.maxFeatures ?? null,
    stopWords: parts.settings.stopWords === undefined ? null : [...parts.settings.stopWords],
    lengths: sections.map(({ length }) => length),
  });
  const start = aligned(PREAMBLE_BYTES + header.length);
  const bytes = new Uint8Array(sections.reduce((sum, section) => sum + aligned(section.byteLength), start));
  bytes.set(header, PREAMBLE_BYTES);
  let at = start;
  for (const { buffer, byteOffset, byteLength } of sections) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  const checksum = crc32(bytes.subarray(PREAMBLE_BYTES));
  new Uint32Array(bytes.buffer, 0, 4).set([MAGIC, INDEX_VERSION, header.length, checksum]);
  return bytes;
}

/**
 * The index that `encodeIndex` made into bytes. It keeps using `bytes`, which must not change. Throws UsageError,
 * naming `where` (the file), for bytes of another kind or version and for damaged ones.
 */
export function decodeIndex(bytes: Uint8Array, where = "global index"): GlobalIndex {
  const whole = bytes.byteOffset % ALIGNMENT === 0 ? bytes : new Uint8Array(bytes); // a copy: a Buffer's slice() is none
  const { header, start } = readHeader(whole, where);
  const lengths = header.lengths.values();
  let at = start;
  const next = <T>(type: ArrayType<T>): T => {
    const length = lengths.next().value ?? 0;
    const array = new type(whole.buffer, whole.byteOffset + at, length);
    at += aligned(length * type.BYTES_PER_ELEMENT);
    return array;
  };
  const names: Names = parsed(next(Uint8Array));
  return searchable({
    settings: {
      ...(header.maxFeatures === null ? {} : { maxFeatures: header.maxFeatures }),
      ...(header.stopWords === null ? {} : { stopWords: new Set(header.stopWords) }),
    },
    terms: new Map(names.terms.map((name, term) => [name, term])),
    ownerNames: names.owners,
    idf: next(Float64Array),
    inverseNorms: next(Float64Array),
    offsets: next(Uint32Array),
    documents: next(Uint32Array),
    owners: next(Uint32Array),
    contentKeys: next(Uint32Array),
    counts: next(Uint16Array),
  });
}

/** In the machine's own byte order, like the arrays: bytes from a machine of the other order are refused. */
const MAGIC = 0x4c_47_49_58;
/** Magic number, version, header length, CRC-32 of all that follows: 4 bytes each. */
const PREAMBLE_BYTES = 16;
const ALIGNMENT = 8;

interface Header {
  readonly maxFeatures: number | null;
  readonly stopWords: readonly string[] | null;
  /** Elements of each section, in the order of the file. */
  readonly lengths: readonly number[];
}

/** By number. */
interface Names {
  readonly terms: readonly string[];
  readonly owners: readonly string[];
}

interface ArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

const json = <T>(value: T): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const parsed = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

function readHeader(bytes: Uint8Array, where: string): { header: Header; start: number } {
  const refuse = (what: string): never => {
    throw new UsageError(`${where}: ${what}; delete it and build the index again`);
  };
  if (bytes.byteLength < PREAMBLE_BYTES) refuse("not a saved global index");
  const [magic, version, headerLength, checksum] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (magic !== MAGIC) refuse("not a saved global index");
  if (version !== INDEX_VERSION) refuse(`saved in format ${version}, this program reads format ${INDEX_VERSION}`);
  if (crc32(bytes.subarray(PREAMBLE_BYTES)) !== checksum) refuse("cut off or damaged");
  const end = PREAMBLE_BYTES + headerLength!;
  return { header: parsed(bytes.subarray(PREAMBLE_BYTES, end)), start: aligned(end) };
}

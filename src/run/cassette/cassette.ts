import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import type { FailedSearch } from "../../notes/note.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { Json, ModelReply, ModelRequest } from "../../types/index.js";
import { planSchema } from "../manifest-shape.js";
import { parsed } from "../record-lines.js";
import { isAsked, isRecordedCall, isSearch, isStoredVector } from "../record-shapes.js";
import { ResponseStore, type StoredVector, vectorOf } from "../replies.js";
import { originKey } from "../rows.js";
import { type Line, linesIn, unpackedBytes } from "./packed-lines.js";

export const CASSETTE_FORMAT = "lamp-eval-cassette";
export const CASSETTE_VERSION = 1;

/** A cassette's first line: what was recorded, on which data, by which version. Nothing here names a folder, an address or a person. */
const headSchema = z.object({
  format: z.literal(CASSETTE_FORMAT),
  version: z.literal(CASSETTE_VERSION),
  /** True when a reply is of the embedded model. */
  simulated: z.boolean(),
  /** False when the recorded run had not ended. */
  complete: z.boolean(),
  /** Model ids as the provider returned them. */
  answeredBy: z.array(z.string()),
  /** The recorded plan, less addresses and folders; cells keep their ids. */
  plan: planSchema,
  /** Embedders whose vectors are recorded, by what the run's options named. */
  embedders: z.array(z.object({ named: z.string(), similarity: z.string(), id: z.string() })),
  counts: z.object({ calls: z.number(), places: z.number(), vectors: z.number(), searches: z.number() }),
});
export type CassetteHead = z.infer<typeof headSchema>;

/** Who made which requests: one unit's preparation, or one question. */
export interface Asked {
  readonly cell: string;
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  /** First digits of the calls' keys, sorted. */
  readonly requests: readonly string[];
  /** Why its row failed while recording. */
  readonly error?: string;
  /** Searches outside that failed, in order. */
  readonly failed?: readonly FailedSearch[];
}

/** A cassette's last line: without it, or with another sum, the file is cut or changed. */
const endSchema = z.object({ end: z.object({ lines: z.number(), sha256: z.string() }) });

/** A cassette's file, where it is a folder. */
export const cassetteFile = "cassette.jsonl";

export interface RecordedCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** A recording opened for reading. Calls and vectors are parsed when asked for. */
export interface Cassette {
  /** As the person typed it, with its flag. */
  readonly shown: string;
  /** SHA-256 over its content. */
  readonly id: string;
  readonly head: CassetteHead;
  /** Sorted by cell, unit and question. */
  readonly asked: readonly Asked[];
  /** Recorded searches of tools that call out, in the form that the tool recorded them in. */
  readonly searches: readonly Json[];
  keys(): IterableIterator<string>;
  call(key: string): RecordedCall | undefined;
  /** The call whose key begins so. */
  callOf(requestId: string): RecordedCall | undefined;
  /** Who made the requests of a unit or question; undefined where nothing of it is recorded. */
  askedFor(origin: Pick<Asked, "cell" | "unit" | "question">): Asked | undefined;
  vectorKeys(): IterableIterator<string>;
  vector(key: string): Float32Array | undefined;
}

/**
 * Opens a cassette's folder or file. `named`: its path as typed, behind which `flag`. Throws UsageError on one that is
 * damaged, cut, of another version, or none.
 */
export function openCassette(path: string, named: string, flag?: string): Cassette {
  const shown = flag === undefined ? named : `${flag} ${named}`;
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, cassetteFile) : path;
  const bytes = unpackedBytes(file, shown, {
    kind: "cassette",
    made: `lamp-eval cassette export <run> --out ${named}`,
  });
  const lines = [...linesIn(bytes)];
  const json = (line: Line | undefined): unknown => parsed(line === undefined ? "" : textOf(bytes, line));
  const head = readHead(json(lines[0]), shown);
  const last = lines.at(-1);
  const end = endSchema.safeParse(json(last));
  if (last === undefined || !end.success) throw damaged(shown, "its end is missing, the file is cut");
  const id = createHash("sha256").update(bytes.subarray(0, last.start)).digest("hex");
  if (id !== end.data.end.sha256 || lines.length - 1 !== end.data.end.lines)
    throw damaged(shown, "its content is not what its last line says, the file was changed");
  const index = indexOf(bytes, lines.slice(1, -1), shown);
  const callAt = (span: Line | undefined): RecordedCall | undefined => {
    if (span === undefined) return undefined;
    const { request, reply } = lineAs<RecordedCall>(bytes, span, isRecordedCall, shown);
    return { request, reply };
  };
  return {
    shown,
    id,
    head,
    asked: [...index.byOrigin.values()],
    searches: index.searches,
    keys: () => index.calls.keys(),
    call: (key) => callAt(index.calls.get(key)),
    callOf: (requestId) => callAt(index.byId.get(requestId)),
    askedFor: (origin) => index.byOrigin.get(originKey(origin)),
    vectorKeys: () => index.vectors.keys(),
    vector(key) {
      const span = index.vectors.get(key);
      return span === undefined ? undefined : vectorOf(lineAs<StoredVector>(bytes, span, isStoredVector, shown));
    },
  };
}

/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;
const KEY_LENGTH = 64; // SHA-256 in hex

const starts = { call: '{"call":"', vector: '{"key":"', asked: '{"asked":', search: '{"search":' } as const;

function indexOf(bytes: Buffer, lines: readonly Line[], shown: string) {
  const calls = new Map<string, Line>();
  const byId = new Map<string, Line>();
  const vectors = new Map<string, Line>();
  const byOrigin = new Map<string, Asked>();
  const searches: Json[] = [];
  const isA = (kind: keyof typeof starts, { start }: Line) =>
    bytes.toString("latin1", start, start + starts[kind].length) === starts[kind];
  const keyOf = (kind: "call" | "vector", { start }: Line) => {
    const from = start + starts[kind].length;
    return bytes.toString("latin1", from, from + KEY_LENGTH);
  };
  for (const line of lines)
    if (isA("call", line)) {
      const key = keyOf("call", line);
      calls.set(key, line);
      byId.set(key.slice(0, ID_LENGTH), line);
    } else if (isA("vector", line)) vectors.set(keyOf("vector", line), line);
    else if (isA("asked", line)) {
      const { asked } = lineAs<{ asked: Asked }>(bytes, line, holdsAsked, shown);
      byOrigin.set(originKey(asked), asked);
    } else if (isA("search", line)) searches.push(lineAs<{ search: Json }>(bytes, line, holdsSearch, shown).search);
  return { calls, byId, vectors, byOrigin, searches };
}

/** The value of a line. Throws UsageError where it has another form: the sum is right, but another program wrote it. */
function lineAs<T>(bytes: Buffer, span: Line, fits: (value: unknown) => boolean, shown: string): T {
  const value = parsed(textOf(bytes, span));
  if (!fits(value)) throw damaged(shown, `no line of a cassette: ${textOf(bytes, span).slice(0, 40)}`);
  return value as T;
}

const holdsAsked = (value: unknown): boolean => isAsked((value as { readonly asked?: unknown } | undefined)?.asked);
const holdsSearch = (value: unknown): boolean => isSearch((value as { readonly search?: unknown } | undefined)?.search);

const textOf = (bytes: Buffer, { start, end }: Line): string => bytes.toString("utf8", start, end);

function readHead(value: unknown, shown: string): CassetteHead {
  const claimed = value as { readonly format?: unknown; readonly version?: unknown } | null | undefined;
  if (claimed?.format !== CASSETTE_FORMAT)
    throw new UsageError(`${shown}: not a cassette; make one with lamp-eval cassette export <run> --out FILE`);
  if (claimed.version !== CASSETTE_VERSION)
    throw new UsageError(
      `${shown}: a cassette of format ${JSON.stringify(claimed.version)}, this version reads ${CASSETTE_VERSION}; record it again`,
    );
  const head = headSchema.safeParse(value);
  if (head.success) return head.data;
  throw damaged(shown, placedIssue(head.error));
}

const damaged = (shown: string, why: string): UsageError =>
  new UsageError(`${shown}: damaged cassette (${why}); export the run again, or fetch the file again`);

/** A run's response store that looks into a cassette for what it lacks, and keeps what it found there. */
export class CassetteStore extends ResponseStore {
  readonly #cassette: Cassette;

  constructor(path: string, cassette: Cassette) {
    super(path);
    this.#cassette = cassette;
  }

  override get(key: string): ModelReply | undefined {
    const kept = super.get(key);
    if (kept !== undefined) return kept;
    const recorded = this.#cassette.call(key);
    if (recorded !== undefined) this.put(key, recorded.request, recorded.reply);
    return recorded?.reply;
  }
}

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import * as z from "zod";
import { UsageError } from "../../errors.js";
import type { Placed } from "../../report/verify.js";
import type { Asked } from "../../run/cassette/cassette.js";
import { Damaged, type Line, linesIn, NEWLINE, unpackedBytes } from "../../run/cassette/packed-lines.js";
import { manifestSchema } from "../../run/manifest-shape.js";
import { parsed } from "../../run/record-lines.js";
import { type Fits, fitsOf, isAsked, isSearch, isStoredReply, isStoredVector } from "../../run/record-shapes.js";
import type { StoredVector } from "../../run/replies.js";
import { runFiles } from "../../run/rows.js";
import { countOf } from "../../text/count.js";
import { isTooDeep, TOO_DEEP } from "../../text/nesting.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { Json, ModelReply, ModelRequest, Row, UnitRecord } from "../../types/index.js";
import type { RunRecords } from "../verify/records.js";

/** What of a run's data a file holds. `replies`: no prompts, golds, notes and vectors. */
export const carried = ["replies", "all"] as const;

/** The first line of a file of evidence. */
export const headSchema = z.strictObject({
  evidence: z.literal(1),
  /** Version of the program that wrote it. */
  by: z.string(),
  carry: z.enum(carried),
  /** Of the data that `all` carries. */
  licence: z.string().optional(),
  runs: z.number(),
  /** What no check finds. */
  limits: z.string(),
});
type Head = z.infer<typeof headSchema>;

/** What a file holds of a run's manifest: no command line, address or folder. */
export const evidenceManifestSchema = manifestSchema
  .pick({
    ...{ format: true, plan: true, simulated: true, sweep: true, metrics: true },
    ...{ plugins: true, tasks: true, prices: true, startedAt: true, node: true, answeredBy: true, batch: true },
    ...{ probes: true, repeated: true, embedders: true, replay: true },
  })
  .extend({ finishedAt: z.string() });

/** What is read of an arm in results.json. */
const armSchema = z.looseObject({
  cells: z.array(z.string()),
  variant: z.string(),
  users: z.number(),
  counts: z.looseObject({ questions: z.number(), failed: z.number() }),
  metrics: z.array(
    z.looseObject({
      name: z.string(),
      strict: z.number().nullish(),
      interval: z.object({ low: z.number(), high: z.number() }).optional(),
    }),
  ),
  usd: z.number().optional(),
  usdAtMost: z.literal(true).optional(),
  simulated: z.boolean(),
});

/** The first line of a run. */
const runSchema = z.strictObject({
  run: evidenceManifestSchema,
  /** The claimed numbers: results.json. */
  results: z.looseObject({ results: z.array(armSchema) }),
  /** The command that makes its data, by task, where it is known. */
  data: z.record(z.string(), z.string()),
});
export type EvidenceRun = z.infer<typeof runSchema>;

const endSchema = z.strictObject({ end: z.strictObject({ sha256: z.string() }) });

/** A run as a file holds it: golds are of `all` alone. */
export interface OpenedRun extends RunRecords {
  readonly claimed: EvidenceRun;
}

export interface Evidence {
  readonly head: Head;
  /** SHA-256 over its lines. */
  readonly id: string;
  readonly runs: readonly OpenedRun[];
}

/** The lines of a file, the last one with the checksum of those before it. */
export function* sealedLines(lines: Iterable<object>): Generator<string> {
  const hash = createHash("sha256");
  for (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    yield text;
  }
  yield `${JSON.stringify({ end: { sha256: hash.digest("hex") } })}\n`;
}

/** Reads a file. Throws UsageError on one that is no evidence, and Damaged on one that is damaged, cut or edited. */
export function openEvidence(named: string, cwd: string): Evidence {
  const made = "lamp-eval export RUN --form evidence --out FILE";
  const bytes = unpackedBytes(resolve(cwd, named), named, { kind: "evidence", made });
  const read = ({ start, end }: Line): object | undefined =>
    end - start > LONGEST_LINE ? undefined : parsed(bytes.toString("utf8", start, end));
  const refuse = (where: string, why: string): never => {
    throw new Damaged(`${named} ${where}: ${why}`);
  };
  const { value: firstLine } = linesIn(bytes).next();
  const first = firstLine === undefined ? undefined : read(firstLine);
  if (first === undefined || !("evidence" in first)) throw new UsageError(`${named}: not evidence; ${made} makes it`);
  const head = headSchema.safeParse(first);
  if (!head.success) return refuse("line 1", placedIssue(head.error));
  const last = bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
  const end = endSchema.safeParse(read({ start: last, end: bytes.length }));
  if (!end.success) return refuse("checksum", "its last line is missing, the file is cut");
  const id = createHash("sha256").update(bytes.subarray(0, last)).digest("hex");
  if (id !== end.data.end.sha256) return refuse("checksum", "its lines are not those that the last one stands for");
  const runs: RunLines[] = [];
  let count = 0;
  for (const line of linesIn(bytes.subarray(0, last))) {
    const where = `line ${++count}`;
    if (count === 1) continue;
    const value = read(line);
    if (value === undefined || isTooDeep(value)) return refuse(where, `no JSON object, ${TOO_DEEP}, or too long`);
    const claimed = "run" in value ? runSchema.safeParse(value) : undefined;
    if (claimed?.success === false) return refuse(where, placedIssue(claimed.error));
    const run = runs.at(-1);
    if (claimed !== undefined)
      runs.push({
        claimed: claimed.data,
        held: new Map([...kinds.keys()].map((kind) => [kind, []])),
        replies: new Map(),
      });
    else if (run === undefined || !take(run, value, { where, line })) return refuse(where, "no line of evidence");
  }
  if (runs.length !== head.data.runs)
    return refuse("line 1", `says ${countOf(head.data.runs, "run")}, ${runs.length} follow`);
  return { head: head.data, id, runs: runs.map((run) => openedRun(run, read)) };
}

/** Bytes of the longest line that is read. */
const LONGEST_LINE = 64 << 20;

/** The lines of a run, by kind. Replies are read when they are asked for. */
interface RunLines {
  readonly claimed: EvidenceRun;
  readonly held: ReadonlyMap<string, Placed<object>[]>;
  readonly replies: Map<string, Line>;
}

/** Puts a line where it belongs; false where it is none of evidence. A second reply to a request is none. */
function take({ held, replies }: RunLines, value: object, { where, line }: { where: string; line: Line }): boolean {
  const [[kind, record] = ["", {}], ...more] = Object.entries(value) as [string, object][];
  if (more.length > 0 || kinds.get(kind)?.(record) !== true) return false;
  if (kind !== "reply") return (held.get(kind)?.push({ record, where }) ?? 0) > 0;
  const { key } = record as { readonly key: string };
  return !replies.has(key) && replies.set(key, line).size > 0;
}

const kinds: ReadonlyMap<string, Fits> = new Map([
  ...[["row", runFiles.rows] as const, ["unit", runFiles.units] as const, ["trace", runFiles.traces] as const].map(
    ([kind, file]) => [kind, fitsOf(file) ?? (() => false)] as const,
  ),
  ["asked", isAsked],
  ["reply", isStoredReply],
  ["search", isSearch],
  ["vector", isStoredVector],
]);

function openedRun({ claimed, held, replies }: RunLines, read: (line: Line) => object | undefined): OpenedRun {
  const placed = <T>(kind: string): Placed<T>[] => (held.get(kind) ?? []) as Placed<T>[]; // of the shape of their kind
  const records = <T>(kind: string): T[] => placed<T>(kind).map(({ record }) => record);
  return {
    claimed,
    manifest: { ...claimed.run, argv: [] },
    rows: placed<Row>("row"),
    units: placed<UnitRecord>("unit"),
    asked: records<Asked>("asked"),
    searches: records<Json>("search"),
    vectors: new Map(records<StoredVector>("vector").map((vector) => [vector.key, vector])),
    replies: {
      size: replies.size,
      keys: () => replies.keys(),
      get(key) {
        const line = replies.get(key);
        return line && (read(line) as { reply: { reply: ModelReply; request?: ModelRequest } }).reply;
      },
    },
    file: () => undefined,
  };
}

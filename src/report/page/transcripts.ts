import { gzipSync } from "node:zlib";
import { type PersonaVersion, readNote } from "../../notes/note.js";
import { groupBy } from "../../results/grouped.js";
import { countOf } from "../../text/count.js";
import { diffLines } from "../../text/line-diff.js";
import type { Cell, Row, Spend, Trace, UnitRecord } from "../../types/index.js";
import { personaVersions } from "../personas/persona.js";
import { formatAmount } from "../tables/format.js";
import { passagesOf, type StoredCall } from "../transcripts/passages.js";
import type { PackedPersona, PackedRun, PackedTranscript } from "./packed.js";

/** Traces that are read when they are asked for; undefined: nothing was noted. */
export interface TraceSource {
  ofQuestion(cell: string, question: string): Trace | undefined;
  ofUnit(cell: string, unit: string): Trace | undefined;
  /** The stored calls of a trace, in the order to show them in. */
  callsOf(trace: Trace): readonly StoredCall[];
}

/** A question in one repeat, with its answers in the order of the cells. */
export interface AnsweredQuestion {
  /** In the list of tasks and data sets. */
  readonly task: number;
  readonly repeat: number;
  readonly rows: readonly Row[];
}

export interface TranscriptMaterial {
  readonly cells: readonly Cell[];
  readonly questions: readonly AnsweredQuestion[];
  readonly units: readonly UnitRecord[];
  readonly traces: TraceSource;
}

interface PackedTranscripts extends Pick<PackedRun, "units" | "answerChunks" | "unitChunks"> {
  /** What each question says, in few words. */
  readonly asked: readonly string[];
  /** Base64 of gzip of a JSON list of PackedTranscript. */
  readonly answerTexts: readonly string[];
  readonly unitTexts: readonly string[];
}

/** Transcripts in chunks that the page opens one at a time. What several methods were told alike stands together, and compresses. */
export function packTranscripts({ cells, questions, units, traces }: TranscriptMaterial): PackedTranscripts {
  const groupsOf = (trace: Trace | undefined, calls: readonly StoredCall[]): PackedTranscript["groups"] =>
    trace === undefined
      ? []
      : passagesOf(trace, calls).map((group) =>
          group.map(({ title, text }) => (text === undefined ? [title] : [title, text])),
        );
  const sent = questions.map((): string | undefined => undefined);
  const answers = inChunks(
    questions.flatMap(({ rows }, q) => rows.map((row) => ({ row, q }))),
    ({ row, q }) => {
      const trace = traces.ofQuestion(row.cell, row.question);
      const calls = trace === undefined ? [] : traces.callsOf(trace);
      const text = trace && sentFor(trace, calls);
      if (text !== undefined && text.length < (sent[q]?.length ?? Infinity)) sent[q] = text; // the method's that adds least
      return { groups: groupsOf(trace, calls), ...costOf(row) };
    },
  );
  const places = new Map(cells.map(({ id }, c) => [id, c]));
  const rows = questions.flatMap((question) => question.rows);
  const names = [...groupBy(rows, key).values()].map(([row]) => row!); // groups are never empty
  const records = new Map(units.map((unit) => [key(unit), unit]));
  const versions: number[] = [];
  const prepared = inChunks(names, (row) => {
    const trace = traces.ofUnit(row.cell, row.unit);
    const personas = trace === undefined ? [] : personaVersions(trace);
    versions.push(personas.length);
    return {
      groups: groupsOf(trace, trace === undefined ? [] : traces.callsOf(trace)),
      ...costOf(records.get(key(row))),
      ...(personas.length === 0 ? {} : { personas: personas.map(packPersona) }),
    };
  });
  return {
    asked: askedTexts(questions, sent),
    units: names.map(({ cell, unit }, u) => ({
      name: unit,
      cell: places.get(cell) ?? -1,
      personas: versions[u] ?? 0,
    })),
    answerChunks: answers.starts,
    answerTexts: answers.texts,
    unitChunks: prepared.starts,
    unitTexts: prepared.texts,
  };
}

const key = ({ cell, unit }: Pick<Row, "cell" | "unit">): string => `${cell}\t${unit}`;

/** Characters of JSON: about what a browser opens in the time of a key press. */
const CHUNK_CHARS = 1 << 19;

function inChunks<T>(things: readonly T[], transcriptOf: (thing: T) => PackedTranscript) {
  const starts: number[] = [];
  const texts: string[] = [];
  let parts: string[] = [];
  let chars = 0;
  for (const [t, thing] of things.entries()) {
    if (parts.length === 0) starts.push(t);
    const part = JSON.stringify(transcriptOf(thing));
    parts.push(part);
    chars += part.length;
    if (chars < CHUNK_CHARS && t < things.length - 1) continue;
    texts.push(gzipSync(`[${parts.join(",")}]`).toString("base64"));
    [parts, chars] = [[], 0];
  }
  return { starts, texts };
}

function costOf(record: { spend: Spend; incidents: Readonly<Record<string, number>> } | undefined) {
  return {
    spend: Object.entries(record?.spend ?? {}).map(
      ([phase, { calls, in: tokensIn, out }]) =>
        `${phase}: ${countOf(calls, "call")}, ${formatAmount(tokensIn)} + ${formatAmount(out)} tokens`,
    ),
    incidents: Object.entries(record?.incidents ?? {}).map(([name, count]) => `${name} ${count}`),
  };
}

function packPersona(version: PersonaVersion, index: number, versions: readonly PersonaVersion[]): PackedPersona {
  const before = versions[index - 1];
  return {
    title: `P${version.version} (${version.outcome})`,
    gradients: version.gradients.map(({ event, text }, g) => [`gradient ${g + 1}, from ${event}`, text]),
    text: before === undefined ? version.persona : diffLines(before.persona, version.persona),
  };
}

/** What was sent for a question: the question of an agent, else the last message of its last call. */
function sentFor({ notes }: Trace, calls: readonly StoredCall[]): string | undefined {
  for (const note of notes.map(readNote))
    if (note.kind === "agent" || note.kind === "reasoning") return note.data.question;
  const last = calls.at(-1)?.request.messages.findLast(({ role }) => role === "user");
  return last?.role === "user" ? last.content : undefined;
}

const MOST_CHARS = 240;
/** A shared beginning of so many characters is an instruction, and no phrase that an event begins with. */
const INSTRUCTION_CHARS = 40;

/** What was sent without what all questions of the task begin with; a long one without an instruction shows its end, where the question stands behind events. */
function askedTexts(questions: readonly AnsweredQuestion[], sent: readonly (string | undefined)[]): string[] {
  const starts = new Map<number, string>();
  for (const [q, { task }] of questions.entries()) {
    const [start, text] = [starts.get(task), sent[q]];
    if (text !== undefined) starts.set(task, start === undefined ? text : sharedStart(start, text));
  }
  return questions.map(({ task }, q) => {
    const text = sent[q] ?? "";
    const start = starts.get(task) ?? "";
    const cut = start === text ? 0 : start.length - (/"?[^\s:"]*$/.exec(start)?.[0].length ?? 0); // whole words
    const rest = text.slice(cut).replace(/\s+/g, " ").trim();
    if (rest.length <= MOST_CHARS) return rest;
    if (cut >= INSTRUCTION_CHARS) return `${rest.slice(0, MOST_CHARS).replace(/\s\S*$/, "")} …`;
    return `… ${rest.slice(-MOST_CHARS).replace(/^\S*\s/, "")}`;
  });
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

import { gzipSync } from "node:zlib";
import type { PersonaVersion } from "../../notes/note.js";
import { readNote } from "../../notes/read-note.js";
import type { Cell, Row, Spend, Trace, UnitRecord } from "../../types.js";
import { personaVersions } from "../personas/persona.js";
import { diffLines } from "../replay.js";
import { formatAmount } from "../tables/format.js";
import { type Passage, passagesOf, type StoredCall } from "../transcripts/passages.js";
import type { PackedPassage, PackedPersona, PackedRows, PackedTranscript } from "./packed.js";

/** Traces that are read when they are asked for; undefined: nothing was noted. */
export interface TraceSource {
  ofQuestion(cell: string, question: string): Trace | undefined;
  ofUnit(cell: string, unit: string): Trace | undefined;
}

export interface TranscriptMaterial {
  readonly cells: readonly Cell[];
  /** In the order they are shown in. */
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  readonly traces: readonly Trace[] | TraceSource;
  /** The stored calls of a trace, in the order to show them in. */
  readonly callsOf: (trace: Trace) => readonly StoredCall[];
}

interface PackedTranscripts extends AskedTexts, Pick<PackedRows, "transcript" | "units" | "rowChunks" | "unitChunks"> {
  /** Base64 of gzip of a JSON list of PackedTranscript. */
  readonly rowTexts: readonly string[];
  readonly unitTexts: readonly string[];
}

/** Transcripts in chunks that the page opens one at a time. Equal material gives equal bytes. */
export function packTranscripts({ cells, rows, units, traces, callsOf }: TranscriptMaterial): PackedTranscripts {
  const source = "ofUnit" in traces ? traces : heldTraces(traces);
  const groupsOf = (trace: Trace | undefined, calls: readonly StoredCall[]) =>
    trace === undefined ? [] : passagesOf(trace, calls).map((group) => group.map(packPassage));
  const asked = askedCollector(cells, rows);
  const together = byQuestion(cells, rows);
  const packedRows = inChunks(together, (r) => {
    const row = rows[r]!; // a place in the list
    const trace = source.ofQuestion(row.cell, row.question);
    const calls = trace === undefined ? [] : callsOf(trace);
    asked.add(r, trace, calls);
    return { groups: groupsOf(trace, calls), ...costOf(row) };
  });
  const transcript = new Array<number>(rows.length);
  for (const [place, r] of together.entries()) transcript[r] = place;
  const names = unitsOf(cells, rows);
  const wanted = new Set(names.map(({ id, name }) => key(id, name)));
  const records = new Map<string, UnitRecord>();
  for (const unit of units) if (wanted.has(key(unit.cell, unit.unit))) records.set(key(unit.cell, unit.unit), unit);
  const versions: number[] = [];
  const packedUnits = inChunks(names, ({ id, name }) => {
    const trace = source.ofUnit(id, name);
    const personas = trace === undefined ? [] : personaVersions(trace);
    versions.push(personas.length);
    return {
      groups: groupsOf(trace, trace === undefined ? [] : callsOf(trace)),
      ...costOf(records.get(key(id, name))),
      ...(personas.length === 0 ? {} : { personas: personas.map(packPersona) }),
    };
  });
  return {
    ...asked.texts(),
    transcript,
    units: names.map(({ name, cell }, u) => ({ name, cell, personas: versions[u] ?? 0 })),
    rowChunks: packedRows.starts,
    rowTexts: packedRows.texts,
    unitChunks: packedUnits.starts,
    unitTexts: packedUnits.texts,
  };
}

const key = (cell: string, rest: string): string => `${cell}\t${rest}`;

/** Characters of JSON: about what a browser opens in the time of a key press. */
const CHUNK_CHARS = 1 << 19;

function inChunks<T>(things: readonly T[], transcriptOf: (thing: T) => PackedTranscript) {
  const starts: number[] = [];
  const texts: string[] = [];
  let parts: string[] = [];
  let chars = 0;
  const flush = (): void => {
    if (parts.length === 0) return;
    texts.push(gzipSync(`[${parts.join(",")}]`).toString("base64"));
    [parts, chars] = [[], 0];
  };
  for (const [t, thing] of things.entries()) {
    if (parts.length === 0) starts.push(t);
    const part = JSON.stringify(transcriptOf(thing));
    parts.push(part);
    chars += part.length;
    if (chars >= CHUNK_CHARS) flush();
  }
  flush();
  return { starts, texts };
}

/** The units in the order of their rows. */
function unitsOf(cells: readonly Cell[], rows: readonly Row[]) {
  const places = new Map(cells.map(({ id }, c) => [id, c]));
  const seen = new Map<string, { id: string; name: string; cell: number }>();
  for (const { cell, unit } of rows)
    if (!seen.has(key(cell, unit))) seen.set(key(cell, unit), { id: cell, name: unit, cell: places.get(cell) ?? -1 });
  return [...seen.values()];
}

/**
 * The places of the rows, those of one question together: what several methods were told alike is then near enough for the
 * compression to see it.
 */
function byQuestion(cells: readonly Cell[], rows: readonly Row[]): number[] {
  const tasks = new Map(cells.map(({ id, task, dataset }) => [id, `${task}\t${dataset}`]));
  const keys = rows.map(({ cell, unit, question }) => `${tasks.get(cell)}\t${unit}\t${question}`);
  const order = (a: number, b: number) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b); // places of rows
  return rows.map((_, r) => r).sort(order);
}

function heldTraces(traces: readonly Trace[]): TraceSource {
  const ofQuestion = new Map<string, Trace>();
  const ofUnit = new Map<string, Trace>();
  for (const trace of traces)
    if (trace.question === undefined) ofUnit.set(key(trace.cell, trace.unit), trace);
    else ofQuestion.set(key(trace.cell, trace.question), trace);
  return {
    ofQuestion: (cell, question) => ofQuestion.get(key(cell, question)),
    ofUnit: (cell, unit) => ofUnit.get(key(cell, unit)),
  };
}

const packPassage = ({ title, text }: Passage): PackedPassage => (text === undefined ? [title] : [title, text]);

function costOf(record: { spend: Spend; incidents: Readonly<Record<string, number>> } | undefined) {
  return {
    spend: Object.entries(record?.spend ?? {}).map(
      ([phase, { calls, in: tokensIn, out }]) =>
        `${phase}: ${calls} ${calls === 1 ? "call" : "calls"}, ${formatAmount(tokensIn)} + ${formatAmount(out)} tokens`,
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

/** What each row's question says, in few words: rows of one question share a text. */
interface AskedTexts {
  readonly askedTexts: readonly string[];
  /** Index in `askedTexts` by row; -1: nothing is known of it. */
  readonly asked: readonly number[];
}

interface AskedCollector {
  /** What one method was asked for a row. */
  add(row: number, trace: Trace | undefined, calls: readonly StoredCall[]): void;
  texts(): AskedTexts;
}

/**
 * Finds what the questions of a run ask, out of what was sent: the question of an agent, or the shortest last message, which is the
 * method's that adds least. What all questions of a task begin with is left out. A long one shows what follows a shared instruction,
 * and its end where there is none: events of the user stand in front of it.
 */
export function askedCollector(cells: readonly Cell[], rows: readonly Row[]): AskedCollector {
  const sets = new Map(cells.map(({ id, task, dataset }) => [id, `${task}\t${dataset}`]));
  const places = new Map<string, number>();
  const found: { readonly set: string; text: string | undefined }[] = [];
  const asked = rows.map(({ cell, question }) => {
    const set = sets.get(cell) ?? "";
    const key = `${set}\t${question}`;
    const place = places.get(key) ?? found.length;
    if (place === found.length) {
      places.set(key, place);
      found.push({ set, text: undefined });
    }
    return place;
  });
  return {
    add(row, trace, calls) {
      const one = found[asked[row] ?? -1];
      const text = trace === undefined ? undefined : sentFor(trace, calls);
      if (one === undefined || text === undefined) return;
      if (one.text === undefined || text.length < one.text.length) one.text = text;
    },
    texts() {
      const starts = new Map<string, string>();
      const counts = new Map<string, number>();
      for (const { set, text } of found) {
        if (text === undefined) continue;
        const start = starts.get(set);
        starts.set(set, start === undefined ? text : sharedStart(start, text));
        counts.set(set, (counts.get(set) ?? 0) + 1);
      }
      const askedTexts = found.map(({ set, text }) =>
        text === undefined ? "" : short(text, (counts.get(set) ?? 0) > 1 ? (starts.get(set) ?? "") : ""),
      );
      return { askedTexts, asked };
    },
  };
}

const MOST_CHARS = 240;
/** A shared beginning of so many characters is an instruction, and no phrase that an event begins with. */
const INSTRUCTION_CHARS = 40;

function sentFor({ notes }: Trace, calls: readonly StoredCall[]): string | undefined {
  for (const note of notes.map(readNote))
    if (note.kind === "agent" || note.kind === "reasoning") return note.data.question;
  const sent = calls.flatMap(({ request }) => {
    const last = request.messages.findLast(({ role }) => role === "user");
    return last?.role === "user" ? [last.content] : [];
  });
  return sent.at(-1);
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

function short(text: string, start: string): string {
  const cut = start.length - (/"?[^\s:"]*$/.exec(start)?.[0].length ?? 0);
  const rest = text.slice(cut).replace(/\s+/g, " ").trim() || text;
  if (rest.length <= MOST_CHARS) return rest;
  if (cut >= INSTRUCTION_CHARS) return `${rest.slice(0, MOST_CHARS).replace(/\s\S*$/, "")} …`;
  return `… ${rest.slice(-MOST_CHARS).replace(/^\S*\s/, "")}`;
}

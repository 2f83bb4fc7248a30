import { readNote } from "../../notes/read-note.js";
import type { Cell, Row, Trace } from "../../types.js";
import type { StoredCall } from "../transcripts/passages.js";

/** What each row's question says, in few words: rows of one question share a text. */
export interface AskedTexts {
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

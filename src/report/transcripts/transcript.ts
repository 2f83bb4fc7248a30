import type { Row, Trace } from "../../types.js";
import { type Passage, passagesOf, type StoredCall } from "./passages.js";

export type { StoredCall } from "./passages.js";

/** What is printed for one question, or for the preparation of one unit (`row` absent). */
export interface TranscriptSource {
  readonly title: string;
  readonly row?: Row;
  readonly trace: Trace;
  /** The trace's calls that the store holds. Only those that no trajectory of the trace shows are printed. */
  readonly calls: readonly StoredCall[];
}

/** A readable transcript: every prompt, tool call, observation and reply, in order. */
export function renderTranscript({ title, row, trace, calls }: TranscriptSource): string {
  return [
    rule(title),
    ...(row === undefined ? [] : [outcomeOf(row)]),
    ...passagesOf(trace, calls).map((group) => group.map(renderPassage).join("\n")),
  ].join("\n\n");
}

// --- internal ---

const rule = (title: string): string => `=== ${title} ${"=".repeat(Math.max(3, 90 - title.length))}`;

const renderPassage = ({ title, text }: Passage): string =>
  text === undefined ? `--- ${title}` : `[${title}]\n${text.replace(/^/gm, "  ")}`;

function outcomeOf({ gold, outcome }: Row): string {
  if (outcome.kind === "failed") return `failed: ${outcome.error}`;
  const lenient = outcome.lenient === undefined ? "unreadable" : JSON.stringify(outcome.lenient);
  return `gold: ${gold ?? "none"} | reply: ${JSON.stringify(outcome.reply)} (${outcome.kind}; lenient reading: ${lenient})`;
}

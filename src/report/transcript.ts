import type { Judged, Row, Trace } from "../types/index.js";
import { type Passage, passagesOf, type StoredCall } from "./passages.js";

export type { StoredCall } from "./passages.js";

/** What is printed for one question, or for the preparation of one unit (`row` absent). */
export interface TranscriptSource {
  readonly title: string;
  readonly row?: Row;
  readonly trace: Trace;
  /** The trace's calls that the store holds. Only those that no trajectory of the trace shows are printed. */
  readonly calls: readonly StoredCall[];
  /** What judges said of the reply, in the order of their folders. Absent: nobody judged it. */
  readonly verdicts?: readonly ShownVerdict[];
}

/** A judge's word as a transcript has it. */
export interface ShownVerdict {
  /** The judge's name, and its model. */
  readonly judge: string;
  readonly judged: Judged;
  /** Of a comparison: the other method, and whether its reply was shown first. */
  readonly against?: { readonly method: string; readonly shownFirst: boolean };
}

/** A readable transcript: every prompt, tool call, observation and reply, in order. */
export function renderTranscript({ title, row, trace, calls, verdicts = [] }: TranscriptSource): string {
  return [
    rule(title),
    ...(row === undefined ? [] : [outcomeOf(row)]),
    ...passagesOf(trace, calls).map((group) => group.map(renderPassage).join("\n")),
    ...verdicts.map((verdict) => renderPassage({ title: headOf(verdict), text: wordOf(verdict) })),
  ].join("\n\n");
}

function headOf({ judge, against }: ShownVerdict): string {
  if (against === undefined) return `verdict of ${judge}`;
  return `verdict of ${judge} against ${against.method}, ${against.shownFirst ? "the other" : "this"} reply first`;
}

/** In a comparison the verdict is of the place: it is told of the reply. */
function wordOf({ judged, against }: ShownVerdict): string {
  if (judged.kind === "unjudged") return `unjudged: ${judged.replies.map((reply) => JSON.stringify(reply)).join("; ")}`;
  if (judged.kind === "failed") return `failed: ${judged.error}`;
  const { value, why, confidence } = judged;
  const forReply = against?.shownFirst === true ? -value : value;
  const said =
    against === undefined ? String(value) : forReply === 0 ? "neither is better" : forReply > 0 ? "better" : "worse";
  return `${said}${confidence === undefined ? "" : `, confidence ${confidence}`}${why === "" ? "" : `: ${why}`}`;
}

const rule = (title: string): string => `=== ${title} ${"=".repeat(Math.max(3, 90 - title.length))}`;

const renderPassage = ({ title, text }: Passage): string =>
  text === undefined ? `--- ${title}` : `[${title}]\n${text.replace(/^/gm, "  ")}`;

function outcomeOf({ gold, outcome, content }: Row): string {
  const asked = content === undefined ? "" : `question: ${content}\n`;
  if (outcome.kind === "failed") return `${asked}failed: ${outcome.error}`;
  const lenient = outcome.lenient === undefined ? "unreadable" : JSON.stringify(outcome.lenient);
  return `${asked}gold: ${gold ?? "none"} | reply: ${JSON.stringify(outcome.reply)} (${outcome.kind}; lenient reading: ${lenient})`;
}

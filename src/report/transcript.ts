import { type Note, type NoteForms, readNote, type StoredNote } from "../notes/note.js";
import type { StoredCall } from "../record/stored-run.js";
import type { Json, Judged, Row, Trace } from "../types/index.js";

/** Content printed for one question, or for the preparation of one user (`row` absent). */
export interface TranscriptSource {
  readonly title: string;
  readonly row?: Row;
  readonly trace: Trace;
  /** The trace's calls that the log holds. Only those that no trajectory of the trace shows are printed. */
  readonly calls: readonly StoredCall[];
  readonly verdicts?: readonly ShownVerdict[];
}

export interface ShownVerdict {
  readonly judge: string;
  readonly judged: Judged;
  /** Of a comparison: the other method, and whether its reply was shown first. */
  readonly against?: { readonly method: string; readonly shownFirst: boolean };
}

/** Writes a readable transcript: every prompt, tool call, observation and reply, in order. */
export function renderTranscript({ title, row, trace, calls, verdicts = [] }: TranscriptSource): string {
  return [
    `=== ${title} ${"=".repeat(Math.max(3, 90 - title.length))}`,
    ...(row === undefined ? [] : [outcomeOf(row)]),
    ...passagesOf(trace, calls).map((group) => group.map(passageText).join("\n")),
    ...verdicts.map((verdict) => passageText(ofVerdict(verdict))),
  ].join("\n\n");
}

const passageText = ([title, text]: Passage): string =>
  text === undefined ? `--- ${title}` : `[${title}]\n${text.replace(/^/gm, "  ")}`;

function outcomeOf({ gold, outcome, content }: Row): string {
  const asked = content === undefined ? "" : `question: ${content}\n`;
  if (outcome.kind === "failed") return `${asked}failed: ${outcome.error}`;
  const lenient = outcome.lenient === undefined ? "unreadable" : JSON.stringify(outcome.lenient);
  const reply = `${JSON.stringify(outcome.reply)} (${outcome.kind}; lenient reading: ${lenient})`;
  return `${asked}gold: ${gold ?? "none"} | reply: ${reply}`;
}

/** Words a verdict for this reply: a comparison's verdict says which position won. */
function ofVerdict({ judge, judged, against }: ShownVerdict): Passage {
  const isOtherFirst = against?.shownFirst === true;
  const pair = against && ` against ${against.method}, ${isOtherFirst ? "the other" : "this"} reply first`;
  const title = `verdict of ${judge}${pair ?? ""}`;
  if (judged.kind === "failed") return [title, `failed: ${judged.error}`];
  if (judged.kind === "unjudged")
    return [title, `unjudged: ${judged.replies.map((reply) => JSON.stringify(reply)).join("; ")}`];
  const { value, why, confidence } = judged;
  const gain = Math.sign(isOtherFirst ? -value : value);
  const said = against === undefined ? value : gain === 0 ? "neither is better" : gain > 0 ? "better" : "worse";
  const sure = confidence === undefined ? "" : `, confidence ${confidence}`;
  return [title, `${said}${sure}${why === "" ? "" : `: ${why}`}`];
}

/** One titled text of a transcript; without a text it heads those that follow in its group. */
export type Passage = readonly [title: string, text?: string];

/** Returns one group of passages for each note of a trace, then for each of its calls that no note shows. */
export function passagesOf(trace: Trace, calls: readonly StoredCall[]): Passage[][] {
  const notes = trace.notes.map(readNote);
  const others = calls.filter((call) => !notes.some((note) => isShownIn(note, call)));
  const ofCalls = others.map((call, c) =>
    others.length === 1 ? ofCall(call) : [[`call ${c + 1} of ${others.length}`] as const, ...ofCall(call)],
  );
  return [...trace.notes.map(ofNote), ...ofCalls];
}

/** Returns whether a note is a trajectory with this call: of the same system prompt and question. */
function isShownIn(note: Note, { request }: StoredCall): boolean {
  if (note.kind !== "agent" && note.kind !== "reasoning") return false;
  const opening = request.messages[0];
  const asked = opening?.role === "user" ? opening.content : "";
  return note.data.system === request.system && asked.includes(note.data.question);
}

function ofCall({ request, reply }: StoredCall): Passage[] {
  const messages = request.messages.map((message): Passage => {
    const isTool = message.role === "tool";
    return [message.role, isTool ? message.results.map(({ content }) => content).join("\n") : message.content];
  });
  return [
    ...(request.system === undefined ? [] : [["system", request.system] as const]),
    ...messages,
    [`reply, ${reply.stop}, ${reply.usage.in} + ${reply.usage.out} tokens`, reply.text],
  ];
}

function ofNote(stored: StoredNote): Passage[] {
  const note = readNote(stored);
  switch (note.kind) {
    case "agent":
      return ofAgent(note.data);
    case "custom":
      return ofFields(note.data.name, note.data.data);
    case "persona": {
      const { version, outcome, gradients, persona } = note.data;
      const learned = gradients.map(({ event, text }, g) => [`gradient ${g + 1}, from ${event}`, text] as const);
      return [[`persona P${version} (${outcome})`], ...learned, ["persona", persona]];
    }
    case "selection":
      return [ofSelection(note.data)];
    case "memory":
      if ("query" in note.data) return [[`retrieved for ${JSON.stringify(note.data.query)}`, plain(note.data.events)]];
  }
  return ofFields(note.kind, stored.data);
}

/** Characters of a field that stands in the heading of its note, and of a query in a title. */
const [SHORT, SHOWN_QUERY] = [40, 120];

/** Short fields of a note behind its name, then a passage for each long one. */
function ofFields(name: string, data: Json): Passage[] {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return [[name, plain(data)]];
  const fields = Object.entries(data).map(([field, value]) => [field, plain(value)] as const);
  const isShort = ([, text]: readonly [string, string]): boolean => text.length <= SHORT && !text.includes("\n");
  const short = fields.filter(isShort).map((field) => field.join(" "));
  const heading = short.length === 0 ? name : `${name}: ${short.join(", ")}`;
  return [[heading], ...fields.filter((field) => !isShort(field))];
}

function ofAgent({ phase, label, system, question, protocol, steps, answer, forced }: NoteForms["agent"]): Passage[] {
  const of = label === undefined ? "" : ` of ${label}`;
  const ending = forced === "no" ? "" : ", out of steps: a final answer was asked for without tools";
  const turns = steps.flatMap(({ text, calls, feedback, cut }, index): Passage[] => {
    const turn = `turn ${index + 1}${cut ? ", cut at the token limit" : ""}`;
    const called = calls.flatMap(({ tool, input, observation }): Passage[] => [
      [`${turn}: call ${tool}`, plain(input)],
      ["observation", observation],
    ]);
    const reply: Passage[] = calls.length > 0 && text === "" ? [] : [[turn, text]];
    return [...reply, ...called, ...(feedback === null ? [] : [["feedback", feedback] as const])];
  });
  return [
    [`agent run, ${phase}${of}, ${protocol}${ending}`],
    ["system", system],
    ["question", question],
    ...turns,
    ["answer", answer],
  ];
}

function ofSelection({ selector, query, chosen, abstained }: NoteForms["selection"]): Passage {
  const lines = chosen.map(
    ({ event, reason, score }) => `${event}  ${reason}${score === undefined ? "" : `  ${score.toFixed(3)}`}`,
  );
  const none = abstained === undefined ? "nothing was chosen" : `nothing was chosen: ${abstained}`;
  const title = `selected by ${selector} for ${JSON.stringify(query.slice(0, SHOWN_QUERY))}`;
  return [title, lines.length === 0 ? none : lines.join("\n")];
}

/** A text as it is, a list of texts with commas, other lists with a line an item, anything else as JSON. */
function plain(value: Json): string {
  if (typeof value === "string") return value;
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  if (items.length === 0) return JSON.stringify(value);
  return items.every((item) => typeof item === "string") ? items.join(", ") : items.map(plain).join("\n");
}

import { type AgentStep, type Note, type NoteForms, readNote, type StoredNote } from "../notes/note.js";
import type { Json, ModelReply, ModelRequest, Trace } from "../types/index.js";

/** A call as the response store keeps it. */
export interface StoredCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** One titled text of a transcript; without a text it heads those that follow in its group. */
export interface Passage {
  readonly title: string;
  readonly text?: string;
}

/** The notes of a trace, then those of its calls that no note shows, in order: one group of passages for each note or call. */
export function passagesOf(trace: Trace, calls: readonly StoredCall[]): Passage[][] {
  const untold = calls.filter((call) => !isTold(call, trace));
  const headed = untold.map((call, c) =>
    untold.length === 1 ? ofCall(call) : [heading(`call ${c + 1} of ${untold.length}`), ...ofCall(call)],
  );
  return [...trace.notes.map(ofNote), ...headed];
}

/** Whether a trajectory of the trace shows this call: one with the same system prompt that asks the same question. */
function isTold({ request }: StoredCall, { notes }: Trace): boolean {
  const opening = request.messages[0];
  const asked = opening?.role === "user" ? opening.content : "";
  const shows = (note: Note) =>
    (note.kind === "agent" || note.kind === "reasoning") &&
    note.data.system === request.system &&
    asked.includes(note.data.question);
  return notes.map(readNote).some(shows);
}

const heading = (title: string): Passage => ({ title });
const block = (title: string, text: string): Passage => ({ title, text });

function ofCall({ request, reply }: StoredCall): Passage[] {
  const messages = request.messages.map((message) =>
    block(
      message.role,
      message.role === "tool" ? message.results.map(({ content }) => content).join("\n") : message.content,
    ),
  );
  const system = request.system === undefined ? [] : [block("system", request.system)];
  return [
    ...system,
    ...messages,
    block(`reply, ${reply.stop}, ${reply.usage.in} + ${reply.usage.out} tokens`, reply.text),
  ];
}

function ofNote(stored: StoredNote): Passage[] {
  const note = readNote(stored);
  switch (note.kind) {
    case "agent":
      return ofAgent(note.data);
    case "custom":
      return ofFields(note.data.name, note.data.data);
    case "persona":
      return ofPersona(note.data);
    case "selection":
      return [ofSelection(note.data)];
    case "memory":
      if ("query" in note.data)
        return [block(`retrieved for ${JSON.stringify(note.data.query)}`, plain(note.data.events))];
      break;
  }
  return ofFields(note.kind, stored.data);
}

/** Characters of a field that stands in the heading of its note. */
const SHORT = 40;

/** Short fields of a note behind its name, then a passage for each long one; one passage for anything but an object. */
function ofFields(name: string, data: Json): Passage[] {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return [block(name, plain(data))];
  const fields = Object.entries(data).map(([field, value]) => [field, plain(value)] as const);
  const isShort = ([, text]: readonly [string, string]): boolean => text.length <= SHORT && !text.includes("\n");
  const short = fields.filter(isShort).map((field) => field.join(" "));
  return [
    heading(short.length === 0 ? name : `${name}: ${short.join(", ")}`),
    ...fields.filter((field) => !isShort(field)).map(([field, text]) => block(field, text)),
  ];
}

function ofAgent({ phase, label, system, question, protocol, steps, answer, forced }: NoteForms["agent"]): Passage[] {
  const of = label === undefined ? "" : ` of ${label}`;
  const ending = forced === "no" ? "" : `, out of steps: ${forced}`;
  return [
    heading(`agent run, ${phase}${of}, ${protocol}${ending}`),
    block("system", system),
    block("question", question),
    ...steps.flatMap(ofStep),
    block("answer", answer),
  ];
}

function ofStep(step: AgentStep, index: number): Passage[] {
  const turn = `turn ${index + 1}${step.cut ? ", cut at the token limit" : ""}`;
  const calls = step.calls.flatMap(({ tool, input, observation }) => [
    block(`${turn}: call ${tool}`, plain(input)),
    block("observation", observation),
  ]);
  const reply = calls.length > 0 && step.text === "" ? [] : [block(turn, step.text)];
  const feedback = step.feedback === null ? [] : [block("feedback", step.feedback)];
  return [...reply, ...calls, ...feedback];
}

const ofPersona = ({ version, outcome, gradients, persona }: NoteForms["persona"]): Passage[] => [
  heading(`persona P${version} (${outcome})`),
  ...gradients.map(({ event, text }, g) => block(`gradient ${g + 1}, from ${event}`, text)),
  block("persona", persona),
];

const SHOWN_QUERY = 120;

function ofSelection({ selector, query, chosen, abstained }: NoteForms["selection"]): Passage {
  const lines = chosen.map(
    ({ event, reason, score }) => `${event}  ${reason}${score === undefined ? "" : `  ${score.toFixed(3)}`}`,
  );
  const none = abstained === undefined ? "nothing was chosen" : `nothing was chosen: ${abstained}`;
  const title = `selected by ${selector} for ${JSON.stringify(query.slice(0, SHOWN_QUERY))}`;
  return block(title, lines.length === 0 ? none : lines.join("\n"));
}

/** A text as it is, a list of texts separated by commas, other lists with a line an item, anything else as JSON. */
function plain(value: Json): string {
  if (typeof value === "string") return value;
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  if (items.length === 0) return JSON.stringify(value);
  return items.every((item) => typeof item === "string") ? items.join(", ") : items.map(plain).join("\n");
}

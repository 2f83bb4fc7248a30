import { type AgentStep, type Note, type NoteForms, readNote, type StoredNote } from "../notes/note.js";
import { nounOf } from "../text/count.js";
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
      return [block(note.data.name, plain(note.data.data))];
    case "fact":
      return [block(`remembered, now ${note.data.known} ${nounOf(note.data.known, "fact")}`, toldOf(note.data))];
    case "facts":
      return [
        block(
          `facts recalled, of ${note.data.known} known (${note.data.search} search)`,
          note.data.recalled.join("\n") || "none",
        ),
      ];
    case "memory":
      return "query" in note.data
        ? [block(`retrieved for ${JSON.stringify(note.data.query)}`, plain(note.data.events))]
        : [block(note.kind, plain(note.data))];
    case "preference":
      return [
        block(`preferences asked: ${JSON.stringify(note.data.query)}`, note.data.answer),
        block("from the profile and these past events", plain(note.data.events)),
      ];
    case "profile":
      return [
        heading(`profile of ${note.data.days.length} ${note.data.days.length === 1 ? "day" : "days"}`),
        ...note.data.days.map(({ name, events, summary }) => block(`${name}: ${events.join(", ")}`, summary)),
        block("profile", note.data.profile),
      ];
    case "persona":
      return ofPersona(note.data);
    case "reasoning":
      return ofReasoning(note.data);
    case "selection":
      return [ofSelection(note.data)];
    case "utilities":
      return ofUtilities(note.data);
    case "simulation":
      return [heading(simulated(note.data))];
    default:
      return [block(note.kind, plain(stored.data))];
  }
}

const toldOf = ({ fact, isNew }: NoteForms["fact"]): string =>
  fact === null ? "no new fact" : `${fact}${isNew ? "" : " (known already)"}`;

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

const ofReasoning = ({ phase, system, question, reply, answer }: NoteForms["reasoning"]): Passage[] => [
  heading(`one call, ${phase}`),
  block("system", system),
  block("question", question),
  block("reply", reply),
  block("answer", answer),
];

const ofPersona = ({ version, outcome, gradients, persona }: NoteForms["persona"]): Passage[] => [
  heading(`persona P${version} (${outcome})`),
  ...gradients.map(({ event, text }, g) => block(`gradient ${g + 1}, from ${event}`, text)),
  block("persona", persona),
];

function ofSelection({ selector, query, chosen, abstained }: NoteForms["selection"]): Passage {
  const lines = chosen.map(
    ({ event, reason, score }) => `${event}  ${reason}${score === undefined ? "" : `  ${score.toFixed(3)}`}`,
  );
  const none = abstained === undefined ? "nothing was chosen" : `nothing was chosen: ${abstained}`;
  return block(
    `selected by ${selector} for ${JSON.stringify(query.slice(0, SHOWN_QUERY))}`,
    lines.length === 0 ? none : lines.join("\n"),
  );
}

const SHOWN_QUERY = 120;
const BAR = 24;

/** Bars from the least to the largest utility, zero included. */
function ofUtilities({ entropy, plain, rest, threshold, scored, best }: NoteForms["utilities"]): Passage[] {
  const top = Math.max(1e-9, ...scored.map(({ utility }) => Math.abs(utility)));
  const lines = scored.map(({ events, utility }) => {
    const bar = (utility < 0 ? "-" : "#").repeat(Math.round((Math.abs(utility) / top) * BAR));
    return `${utility.toFixed(3).padStart(7)}  ${bar.padEnd(BAR)}  ${events.join(" + ")}`;
  });
  const without = plain === null ? "not measured" : `${plain.toFixed(3)} nats`;
  return [
    heading(`utilities by ${entropy} entropy: ${without} without the past, ${rest.toFixed(3)} of it untold`),
    block(
      `utility of ${scored.length} ${nounOf(scored.length, "subset")}, nats; threshold ${threshold}, best ${best?.toFixed(3) ?? "none"}`,
      lines.join("\n"),
    ),
  ];
}

const simulated = ({ event, expected, response, visible }: NoteForms["simulation"]): string =>
  `simulated ${event}: expected ${expected}, response ${response} (${visible} ${nounOf(visible, "memory", "memories")} visible)`;

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

/** A text as it is, a list of texts separated by commas, anything else as JSON. */
function plain(value: Json): string {
  if (typeof value === "string") return value;
  const texts: readonly Json[] = Array.isArray(value) ? value : [];
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts.join(", ") : JSON.stringify(value);
}

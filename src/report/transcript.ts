import type { Json, ModelReply, ModelRequest, Row, Trace } from "../types.js";
import { readPersonaVersion } from "./persona.js";

/** A call as the response store keeps it. */
export interface StoredCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** What is printed for one question, or for the preparation of one unit (`row` absent). */
export interface TranscriptSource {
  readonly title: string;
  readonly row?: Row;
  readonly trace: Trace;
  /** The trace's calls that the store holds. Those that no trajectory of the trace tells are shown. */
  readonly calls: readonly StoredCall[];
}

/** A readable transcript: every prompt, tool call, observation and reply, in order. */
export function renderTranscript({ title, row, trace, calls }: TranscriptSource): string {
  return [
    rule(title),
    ...(row === undefined ? [] : [outcomeOf(row)]),
    ...trace.notes.map(({ kind, data }) => renderNote(kind, data)),
    ...calls.filter((call) => !isTold(call, trace)).map(renderCall),
  ].join("\n\n");
}

// --- internal ---

const rule = (title: string): string => `=== ${title} ${"=".repeat(Math.max(3, 90 - title.length))}`;
const block = (title: string, text: string): string => `[${title}]\n${text.replace(/^/gm, "  ")}`;

/** Notes that tell their calls themselves. */
const trajectories = new Set(["agent", "reasoning"]);

/** Whether a trajectory of the trace shows this call: one of the same system prompt that asks its question. */
function isTold({ request }: StoredCall, { notes }: Trace): boolean {
  const opening = request.messages[0];
  const asked = opening?.role === "user" ? opening.content : "";
  return notes.some(
    ({ kind, data }) =>
      trajectories.has(kind) &&
      isFields(data) &&
      data.system === request.system &&
      typeof data.question === "string" &&
      asked.includes(data.question),
  );
}

function outcomeOf({ gold, outcome }: Row): string {
  if (outcome.kind === "failed") return `failed: ${outcome.error}`;
  const lenient = outcome.lenient === undefined ? "unreadable" : JSON.stringify(outcome.lenient);
  return `gold: ${gold ?? "none"} | reply: ${JSON.stringify(outcome.reply)} (${outcome.kind}; lenient reading: ${lenient})`;
}

function renderCall({ request, reply }: StoredCall): string {
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
  ].join("\n");
}

type Fields = { readonly [key: string]: Json };

function renderNote(kind: string, data: Json): string {
  const render = isFields(data) ? renderers[kind] : undefined;
  return render === undefined ? block(kind, plain(data)) : render(data as Fields);
}

const renderers: Readonly<Record<string, (data: Fields) => string>> = {
  agent({ phase, label, system, question, protocol, steps, answer, forced }) {
    const turns = list(steps).filter(isFields).map(renderStep);
    const ending = forced === "no" ? "" : `, out of steps: ${plain(forced)}`;
    return [
      `--- agent run, ${plain(phase)}${label === undefined ? "" : ` of ${plain(label)}`}, ${plain(protocol)}${ending}`,
      block("system", plain(system)),
      block("question", plain(question)),
      ...turns,
      block("answer", plain(answer)),
    ].join("\n");
  },
  reasoning: ({ phase, system, question, reply, answer }) =>
    [
      `--- one call, ${plain(phase)}`,
      block("system", plain(system)),
      block("question", plain(question)),
      block("reply", plain(reply)),
      block("answer", plain(answer)),
    ].join("\n"),
  persona(data) {
    const version = readPersonaVersion(data);
    if (version === undefined) return block("persona", plain(data));
    return [
      `--- persona P${version.version} (${version.outcome})`,
      ...version.gradients.map(({ event, text }, g) => block(`gradient ${g + 1}, from ${event}`, text)),
      block("persona", version.persona),
    ].join("\n");
  },
  memory: ({ query, events }) => block(`retrieved for ${JSON.stringify(query)}`, plain(events)),
  simulation: ({ event, expected, response, visible }) =>
    `--- simulated ${plain(event)}: expected ${plain(expected)}, response ${plain(response)} (${plain(visible)} memories visible)`,
};

function renderStep(step: Fields, index: number): string {
  const turn = `turn ${index + 1}${step.cut === true ? ", cut at the token limit" : ""}`;
  const calls = list(step.calls)
    .filter(isFields)
    .map(
      ({ tool, input, observation }) =>
        `${block(`${turn}: call ${plain(tool)}`, plain(input))}\n${block("observation", plain(observation))}`,
    );
  const said = calls.length > 0 && step.text === "" ? [] : [block(turn, plain(step.text))];
  const feedback = typeof step.feedback === "string" ? [block("feedback", step.feedback)] : [];
  return [...said, ...calls, ...feedback].join("\n");
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
/** A text as it is, a list of texts separated by commas, anything else as JSON. */
function plain(value: Json | undefined): string {
  if (typeof value === "string") return value;
  const texts = list(value);
  return texts.length > 0 && texts.every((text) => typeof text === "string")
    ? texts.join(", ")
    : JSON.stringify(value ?? null);
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

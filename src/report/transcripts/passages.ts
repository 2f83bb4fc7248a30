import type { Json, ModelReply, ModelRequest, Trace } from "../../types.js";
import { readPersonaVersion } from "../personas/persona.js";

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

/** What a trace tells, then those of its calls that it does not tell itself: one group a note or call, in order. */
export function passagesOf(trace: Trace, calls: readonly StoredCall[]): Passage[][] {
  return [
    ...trace.notes.map(({ kind, data }) => ofNote(kind, data)),
    ...calls.filter((call) => !isTold(call, trace)).map(ofCall),
  ];
}

/** Whether a trajectory of the trace shows this call: one of the same system prompt that asks its question. */
export function isTold({ request }: StoredCall, { notes }: Trace): boolean {
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

// --- internal ---

const heading = (title: string): Passage => ({ title });
const block = (title: string, text: string): Passage => ({ title, text });

/** Notes that tell their calls themselves. */
const trajectories = new Set(["agent", "reasoning"]);

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

type Fields = { readonly [key: string]: Json };

function ofNote(kind: string, data: Json): Passage[] {
  const tell = isFields(data) ? tellers[kind] : undefined;
  return tell === undefined ? [block(kind, plain(data))] : tell(data as Fields);
}

const tellers: Readonly<Record<string, (data: Fields) => Passage[]>> = {
  agent({ phase, label, system, question, protocol, steps, answer, forced }) {
    const ending = forced === "no" ? "" : `, out of steps: ${plain(forced)}`;
    return [
      heading(
        `agent run, ${plain(phase)}${label === undefined ? "" : ` of ${plain(label)}`}, ${plain(protocol)}${ending}`,
      ),
      block("system", plain(system)),
      block("question", plain(question)),
      ...list(steps).filter(isFields).flatMap(ofStep),
      block("answer", plain(answer)),
    ];
  },
  reasoning: ({ phase, system, question, reply, answer }) => [
    heading(`one call, ${plain(phase)}`),
    block("system", plain(system)),
    block("question", plain(question)),
    block("reply", plain(reply)),
    block("answer", plain(answer)),
  ],
  persona(data) {
    const version = readPersonaVersion(data);
    if (version === undefined) return [block("persona", plain(data))];
    return [
      heading(`persona P${version.version} (${version.outcome})`),
      ...version.gradients.map(({ event, text }, g) => block(`gradient ${g + 1}, from ${event}`, text)),
      block("persona", version.persona),
    ];
  },
  memory: ({ query, events }) => [block(`retrieved for ${JSON.stringify(query)}`, plain(events))],
  simulation: ({ event, expected, response, visible }) => [
    heading(
      `simulated ${plain(event)}: expected ${plain(expected)}, response ${plain(response)} (${plain(visible)} memories visible)`,
    ),
  ],
};

function ofStep(step: Fields, index: number): Passage[] {
  const turn = `turn ${index + 1}${step.cut === true ? ", cut at the token limit" : ""}`;
  const calls = list(step.calls)
    .filter(isFields)
    .flatMap(({ tool, input, observation }) => [
      block(`${turn}: call ${plain(tool)}`, plain(input)),
      block("observation", plain(observation)),
    ]);
  const said = calls.length > 0 && step.text === "" ? [] : [block(turn, plain(step.text))];
  const feedback = typeof step.feedback === "string" ? [block("feedback", step.feedback)] : [];
  return [...said, ...calls, ...feedback];
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

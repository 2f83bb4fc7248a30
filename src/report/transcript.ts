import type { Json, ModelReply, ModelRequest, Row, Trace } from "../types.js";

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
  /** The trace's calls that the store holds. Shown where the trace has no trajectory of its own. */
  readonly calls: readonly StoredCall[];
}

/** A readable transcript: every prompt, tool call, observation and reply, in order. */
export function renderTranscript({ title, row, trace, calls }: TranscriptSource): string {
  const steps = trace.notes.map(({ kind, data }) => renderNote(kind, data));
  const told = trace.notes.some(({ kind }) => trajectories.has(kind));
  return [
    rule(title),
    ...(row === undefined ? [] : [outcomeOf(row)]),
    ...steps,
    ...(told ? [] : calls.map(renderCall)),
  ].join("\n\n");
}

// --- internal ---

const rule = (title: string): string => `=== ${title} ${"=".repeat(Math.max(3, 90 - title.length))}`;
const block = (title: string, text: string): string => `[${title}]\n${text.replace(/^/gm, "  ")}`;

/** Notes that tell the calls themselves. */
const trajectories = new Set(["agent", "reasoning"]);

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
  return render === undefined ? block(kind, typeof data === "string" ? data : plain(data)) : render(data as Fields);
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
  persona: ({ version, outcome, gradients, persona }) =>
    [
      `--- persona P${plain(version)} (${plain(outcome)})`,
      ...list(gradients).map((gradient, g) => block(`gradient ${g + 1}`, plain(gradient))),
      block("persona", plain(persona)),
    ].join("\n"),
  simulation: ({ event, expected, response, visible }) =>
    `--- simulated ${plain(event)}: expected ${plain(expected)}, response ${plain(response)} (${plain(visible)} memories visible)`,
};

function renderStep(step: Fields, index: number): string {
  const calls = list(step.calls)
    .filter(isFields)
    .map(
      ({ tool, input, observation }) =>
        `${block(`call ${plain(tool)}`, plain(input))}\n${block("observation", plain(observation))}`,
    );
  const said = typeof step.text === "string" && step.text !== "" ? [block(`turn ${index + 1}`, step.text)] : [];
  const feedback = typeof step.feedback === "string" ? [block("feedback", step.feedback)] : [];
  return [...said, ...calls, ...feedback].join("\n");
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const plain = (value: Json | undefined): string => (typeof value === "string" ? value : JSON.stringify(value ?? null));

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

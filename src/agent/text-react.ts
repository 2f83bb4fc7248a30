import type { AgentCall } from "../notes/note.js";
import { pyStrip } from "../text/python.js";
import { trimSigns } from "../text/scan.js";
import type { AskRequest, Json, ModelReply, Tool, ToolCall } from "../types/index.js";

const OBSERVATION = "\nObservation";
/** Small models write the headers in lower case: a server compares stop strings letter by letter. */
const STOP = [OBSERVATION, OBSERVATION.toLowerCase()];

/** The text ReAct protocol: one growing prompt, one action per turn (METHODS 5.1). */
export function textReactConversation(system: string, question: string, tools: readonly Tool[]): Conversation {
  const opening = openingOf(question, tools);
  let scratchpad = "";
  const request = (ending = ""): AskRequest => ({
    system,
    messages: [{ role: "user", content: opening + scratchpad + ending }],
    stop: STOP,
  });
  const write = (turn: AgentReply, observation: string): void => {
    scratchpad += `${turn.text}${OBSERVATION}: ${observation}\nThought: `;
  };
  return {
    request: () => request(),
    read(reply) {
      const { text, incidents } = asProtocol(reply.text, question);
      const turn = { reply, text, incidents };
      const reading = parseReact(text);
      if (reading.kind === "action")
        return { ...turn, kind: "calls", calls: [{ id: "action", name: reading.tool, arguments: reading.input }] };
      const noAnswer = reading.kind === "malformed" && tools.length === 0;
      return noAnswer ? { ...turn, kind: "malformed", feedback: MISSING_ANSWER } : { ...turn, ...reading };
    },
    observe: (turn, done) => write(turn, done.map(({ observation }) => observation).join("\n")),
    reject(turn, feedback) {
      write(turn.kind === "answer" ? { ...turn, text: `Final Answer: ${turn.text}` } : turn, feedback);
    },
    lastRequest: () => request(`\n\n${ANSWER_NOW}`),
    readLast: (reply) => finalAnswer(asProtocol(reply.text, question).text),
  };
}

/** A header at the start of a line, in any case, with marks of Markdown around it. */
const HEADER =
  /^[ \t>*_#]{0,8}(question|thought|observation|final answer|action(?: ?\d{1,3})?(?: ?input(?: ?\d{1,3})?)?)[*_ \t]{0,4}:[*_]{0,3}/gim;

/**
 * Returns a reply as the protocol writes it: headers spelled as in the prompt, the repeated question left out, and nothing from the
 * first observation or further question on, which the model invented. Names what was changed. LangChain's reading has none of this.
 */
function asProtocol(reply: string, question: string): { text: string; incidents: string[] } {
  const spelled = reply.replace(HEADER, (header, name: string) => {
    const canonical = `${name.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}:`;
    return header.trimStart() === canonical ? header : canonical;
  });
  const own = withoutQuestion(spelled, question);
  const answered = own.search(/^[ \t]*Final Answer:/m);
  const asked = answered < 0 ? -1 : own.slice(answered).search(/^Question:/m);
  const observed = own.search(/^[ \t]*Observation:/m);
  const end = Math.min(...[observed, asked < 0 ? -1 : answered + asked].map((at) => (at < 0 ? own.length : at)));
  const incidents = [
    ...(spelled === reply ? [] : ["agent-headers-respelled"]),
    ...(own === spelled ? [] : ["agent-question-repeated"]),
    ...(end === own.length ? [] : ["agent-invented-text"]),
  ];
  return { text: own.slice(0, end).replace(/\n$/, ""), incidents };
}

/** Leaves out a `Question:` at the beginning, which may hold lines that look like headers, and the `Thought:` that the prompt ends with. */
function withoutQuestion(text: string, question: string): string {
  const start = text.trimStart();
  if (!start.startsWith("Question:")) return text;
  const behind = start.slice("Question:".length).trimStart();
  const rest = behind.startsWith(question) ? behind.slice(question.length) : behind;
  const next = rest.search(/^(?:Thought|Action|Final Answer)\b/m);
  return next < 0 ? text : rest.slice(next).replace(/^Thought:/, "");
}

/** Built by concatenation: questions and descriptions hold braces, dollars and backticks. */
function openingOf(question: string, tools: readonly Tool[]): string {
  const names = tools.map(({ name }) => name).join(", ");
  const ifTools = (...lines: readonly string[]): readonly string[] => (tools.length === 0 ? [] : lines);
  return [
    `Answer the question below as well as you can.${tools.length === 0 ? "" : " You may use these tools:"}`,
    "",
    ...tools.map((tool) => `${tool.name}(${argumentsOf(tool.parameters)}) - ${tool.description}`),
    ...ifTools(""),
    "Write in exactly this form:",
    "",
    "Question: the question you have to answer",
    "Thought: what you know and what you still need",
    ...ifTools(
      `Action: the tool to use, one of [${names}]`,
      "Action Input: what to give the tool",
      "Observation: what the tool found",
      "... (Thought, Action, Action Input and Observation can come again)",
      "Thought: I now know the final answer",
    ),
    "Final Answer: only the answer, in the form the question asks for",
    "",
    "Begin!",
    "",
    `Question: ${question}`,
    "Thought:",
  ].join("\n");
}

/** `query: string` for `{"properties": {"query": {"type": "string"}}}`. */
function argumentsOf(schema: Json): string {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }; // a JSON Schema
  return Object.entries(properties)
    .map(([name, { type }]) => `${name}: ${type ?? "any"}`)
    .join(", ");
}

/**
 * The labels of LangChain's ReAct parser (Python, `ReActSingleInputOutputParser` and the executor's
 * `handle_parsing_errors=True`), METHODS 5.1. Its one expression over both labels takes cubic time; the labels are searched one
 * behind the other, with the same result.
 */
const ACTION = /Action\s*(?:\d+\s*)?:/;
const INPUT = /Action\s*(?:\d+\s*)?Input\s*(?:\d+\s*)?:/;
const FINAL_ANSWER = "Final Answer:";

export const MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'";
const MISSING_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'";
export const INVALID = "Invalid or incomplete response";
/** Told where there are no tools. Ours. */
const MISSING_ANSWER = "Invalid Format: Missing 'Final Answer:' after 'Thought:'";

type ReactReading =
  | { readonly kind: "action"; readonly tool: string; readonly input: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "malformed"; readonly feedback: string };

/** Reads one text ReAct reply, already written as the protocol writes it. */
export function parseReact(text: string): ReactReading {
  const action = ACTION.exec(text);
  const behind = action === null ? "" : text.slice(action.index + action[0].length);
  const input = INPUT.exec(behind);
  const answered = text.includes(FINAL_ANSWER);
  if (input !== null) {
    if (answered) return { kind: "malformed", feedback: INVALID };
    const given = behind.slice(input.index + input[0].length).trimStart();
    // Python: .strip(" ").strip('"')
    return {
      kind: "action",
      tool: pyStrip(behind.slice(0, input.index).trim()),
      input: trimSigns(trimSigns(given, " "), '"'),
    };
  }
  if (answered) return { kind: "answer", text: finalAnswer(text) };
  if (action === null) return { kind: "malformed", feedback: MISSING_ACTION };
  return { kind: "malformed", feedback: INPUT.test(text) ? INVALID : MISSING_INPUT };
}

/** Returns the text behind the last `Final Answer:`, or the whole text. */
export function finalAnswer(text: string): string {
  const at = text.lastIndexOf(FINAL_ANSWER);
  return pyStrip(at < 0 ? text : text.slice(at + FINAL_ANSWER.length));
}

/** A model's reply as the protocol reads it. */
export type AgentReply = {
  readonly reply: ModelReply;
  readonly text: string;
  /** Names what had to be changed to read it. */
  readonly incidents?: readonly string[];
} & (
  | { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly kind: "answer" }
  /** The reply breaks the protocol; `feedback` says how. */
  | { readonly kind: "malformed"; readonly feedback: string }
);

/** One protocol's side of the loop: how turns are asked for, read and written down. */
export interface Conversation {
  request(): AskRequest;
  read(reply: ModelReply): AgentReply;
  /** Writes down a turn's calls and what came back, in the order of the calls. */
  observe(turn: AgentReply & { kind: "calls" }, done: readonly AgentCall[]): void;
  /** Writes down a turn that could not be used and what the model is told about it. */
  reject(turn: AgentReply, feedback: string): void;
  /** The request for an answer when no step is left. */
  lastRequest(): AskRequest;
  readLast(reply: ModelReply): string;
}

/** LangChain's early-stopping prompt (`early_stopping_method="generate"`). */
export const ANSWER_NOW = "I now need to return a final answer based on the previous steps:";

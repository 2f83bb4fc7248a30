import type { AgentCall } from "../notes/note.js";
import { pyStrip } from "../text/python.js";
import { trimSigns } from "../text/scan.js";
import type { AskRequest, Json, ModelReply, Tool, ToolCall } from "../types/index.js";

const OBSERVATION = "\nObservation";

/** The text ReAct protocol: one growing prompt, one action per turn (METHODS 5.1). */
export function textReactConversation(system: string, question: string, tools: readonly Tool[]): Conversation {
  const opening = openingOf(question, tools);
  let scratchpad = "";
  const request = (ending = ""): AskRequest => ({
    system,
    messages: [{ role: "user", content: opening + scratchpad + ending }],
    stop: [OBSERVATION],
  });
  const write = (turn: AgentReply, observation: string): void => {
    scratchpad += `${turn.text}${OBSERVATION}: ${observation}\nThought: `;
  };
  return {
    request: () => request(),
    read(reply) {
      const text = cutAtObservation(reply);
      const reading = parseReact(text);
      if (reading.kind !== "action") return { reply, text, ...reading };
      return { kind: "calls", reply, text, calls: [{ id: "action", name: reading.tool, arguments: reading.input }] };
    },
    observe: (turn, done) => write(turn, done.map(({ observation }) => observation).join("\n")),
    reject(turn, feedback) {
      write(turn.kind === "answer" ? { ...turn, text: `Final Answer: ${turn.text}` } : turn, feedback);
    },
    lastRequest: () => request(`\n\n${ANSWER_NOW}`),
    readLast: (reply) => finalAnswer(cutAtObservation(reply)),
  };
}

/** Models without stop sequences go on and invent the observation. */
function cutAtObservation(reply: ModelReply): string {
  const text = reply.text;
  const end = text.indexOf(OBSERVATION);
  return end < 0 ? text : text.slice(0, end);
}

/** Built by concatenation: questions and descriptions hold braces, dollars and backticks. */
function openingOf(question: string, tools: readonly Tool[]): string {
  const names =
    tools.length === 0 ? "none; there are no tools" : `one of [${tools.map(({ name }) => name).join(", ")}]`;
  return [
    "Answer the question below as well as you can. You may use these tools:",
    "",
    ...tools.map((tool) => `${tool.name}(${argumentsOf(tool.parameters)}) - ${tool.description}`),
    "",
    "Write in exactly this form:",
    "",
    "Question: the question you have to answer",
    "Thought: what you know and what you still need",
    `Action: the tool to use, ${names}`,
    "Action Input: what to give the tool",
    "Observation: what the tool found",
    "... (Thought, Action, Action Input and Observation can come again)",
    "Thought: I now know the final answer",
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

type ReactReading =
  | { readonly kind: "action"; readonly tool: string; readonly input: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "malformed"; readonly feedback: string };

/** Reads one text ReAct reply (already cut at `\nObservation`). */
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
export type AgentReply = { readonly reply: ModelReply; readonly text: string } & (
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

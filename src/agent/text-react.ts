import type { AskRequest, Json, ModelReply, Tool } from "../types.js";
import { ANSWER_NOW, type Conversation, type Turn } from "./conversation.js";
import { finalAnswer, parseReact } from "./parse-react.js";

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
  const write = (turn: Turn, observation: string): void => {
    scratchpad += `${turn.text}${OBSERVATION}: ${observation}\nThought: `;
  };
  return {
    request: () => request(),
    read(reply) {
      const text = cutAtObservation(reply);
      const reading = parseReact(text);
      if (reading.kind === "answer") return { kind: "answer", reply, text: reading.text };
      if (reading.kind === "malformed") return { kind: "malformed", reply, text, feedback: reading.feedback };
      return { kind: "calls", reply, text, calls: [{ id: "action", name: reading.tool, arguments: reading.input }] };
    },
    observe: (turn, observations) => write(turn, observations.map(({ content }) => content).join("\n")),
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
  const properties = field(schema, "properties");
  if (!isObject(properties)) return "";
  return Object.entries(properties)
    .map(([name, property]) => `${name}: ${String(field(property, "type") ?? "any")}`)
    .join(", ");
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const field = (value: Json, name: string): Json | undefined => (isObject(value) ? value[name] : undefined);

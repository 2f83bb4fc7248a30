import type { Message, ModelRequest } from "../../types.js";
import { type Asked, findQuestions } from "./asked.js";

/** What one request says, before anything is concluded from it. */
export interface Prompt {
  /** The question to answer: the last one of the last user turn that holds one. */
  readonly asked: Asked | undefined;
  /** Everything shown beside that question: system text, earlier parts of the turn, other turns, tool results. */
  readonly shown: string;
  /** The last user turn: where instructions stand that are not benchmark questions. */
  readonly turn: string;
  readonly system: string;
  /** What came after the question: the scratchpad of a text protocol, the model's own turns, tool results. */
  readonly transcript: string;
}

/** Reads a request as a model would: nothing but its text. */
export function readPrompt(request: ModelRequest): Prompt {
  const system = request.system ?? "";
  const texts = request.messages.map(textOf);
  const turns = request.messages.flatMap((message, i) => (message.role === "user" ? [i] : []));
  for (const at of turns.toReversed()) {
    const text = texts[at] ?? "";
    const asked = findQuestions(text).at(-1);
    if (asked === undefined || asked.query === "") continue;
    const rest = [text.slice(0, asked.start), observations(text.slice(asked.end))];
    const shown = [system, ...texts.slice(0, at), ...rest, ...texts.slice(at + 1)].filter(Boolean).join("\n");
    const later = request.messages
      .slice(at + 1)
      .map((message) => (message.role === "assistant" ? message.content : ""));
    const transcript = [text.slice(asked.end), ...later].join("\n");
    return { asked, shown, turn: texts[turns.at(-1) ?? at] ?? "", system, transcript };
  }
  const turn = texts[turns.at(-1) ?? 0] ?? "";
  return { asked: undefined, shown: [system, ...texts].join("\n"), turn, system, transcript: "" };
}

/** A model's own words are no evidence: assistant turns are left out. */
function textOf(message: Message): string {
  if (message.role === "user") return message.content;
  if (message.role === "assistant") return "";
  return message.results.map((result) => result.content).join("\n");
}

/** Of a scratchpad, what the tools found; the model's own lines are no evidence. */
const observations = (scratchpad: string): string =>
  scratchpad.replace(/^(?:Thought|Action(?: Input)?|Final Answer)\s*:.*$/gm, "").replace(/^Observation\s*:\s*/gm, "");

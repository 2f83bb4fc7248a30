import type { ToolSpec } from "../../types.js";
import type { Prompt } from "./read-prompt.js";

/** Tools that a prompt describes for the text ReAct protocol (`name(arguments) - description`); none where it does not ask for it. */
export function describedTools(prompt: Prompt): ToolSpec[] {
  const text = `${prompt.system}\n${prompt.shown}`;
  if (!/^Action Input\s*:/m.test(text)) return [];
  return [...text.matchAll(/^([\w-]+)\(([^)\n]*)\)\s*[-:]\s*(.+)$/gm)].map((match) => ({
    name: match[1] ?? "",
    description: match[3] ?? "",
    parameters: { properties: Object.fromEntries(argumentsIn(match[2] ?? "").map((name) => [name, {}])) },
  }));
}

/** Whether answers must be wrapped as `Final Answer:`. */
export function wantsFinalAnswer(prompt: Prompt): boolean {
  return /^Final Answer\s*:/m.test(`${prompt.system}\n${prompt.shown}`);
}

/** Names of the tools already called in the scratchpad. */
export function calledInText(prompt: Prompt): Set<string> {
  return new Set(
    [...prompt.transcript.matchAll(/^[^\S\n]*Action\s*:\s*(.+)$/gm)].map(([, name = ""]) => name.trimEnd()),
  );
}

/** Whether the prompt says that no more actions may come. */
export function mustFinish(prompt: Prompt): boolean {
  return /return (?:a|the|your) final answer|final answer now/i.test(`${prompt.turn.slice(-finalInstruction)}`);
}

export const actionText = (tool: string, input: string): string =>
  `I should look at what is known before I answer.\nAction: ${tool}\nAction Input: ${input}`;

export const finalText = (answer: string): string => `I now know the final answer\nFinal Answer: ${answer}`;

/** What an action hands to a tool: bare words, or of several arguments a JSON object, with the name of the user where one is wanted. */
export function actionInput(tool: ToolSpec, words: string, { system }: Prompt): string {
  const { properties = {} } = tool.parameters as { readonly properties?: object }; // as described above
  const names = Object.keys(properties);
  if (names.length < 2) return words;
  const user = /whose name is (\S+?)\.(?:\s|$)/.exec(system)?.[1] ?? words;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, name.includes("name") ? user : words])));
}

/** `query, user_name` of `query: string, user_name: string`. */
const argumentsIn = (described: string): string[] =>
  described.split(",").flatMap((argument) => /^\s*(\w+)\s*:/.exec(argument)?.[1] ?? []);

/** Characters at the end of the turn where such an instruction stands. */
const finalInstruction = 300;

import { describe, expect, test } from "vitest";
import { ANSWER_NOW, parseReact, textReactConversation } from "../../../src/agent/text-react.js";
import { lexical } from "../../../src/models/providers/offline/lexical.js";
import { readPrompt } from "../../../src/models/providers/offline/read-prompt.js";
import { describedTools } from "../../../src/models/providers/offline/tools.js";
import type { Message, ModelRequest, ToolSpec } from "../../../src/types/index.js";
import { movieQuestion, replyTo, requestOf } from "./requests.js";

const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const memory: ToolSpec = { name: "episodic_memory", description: "Finds past interactions of the user.", parameters };
const encyclopedia: ToolSpec = { name: "wikipedia", description: "Short summary of one topic.", parameters };
const tools = [encyclopedia, memory];
const question = movieQuestion("A ferry captain bakes bread at night.");
const lines = [1, 2, 3, 4]
  .map((i) => `2020-01-0${i} | movie: A ferry captain bakes rye bread. | tag: classic`)
  .join("\n");

/** The turns after one call of `tool` that found `content`. */
function turnsAfter(tool: string, content: string): Message[] {
  const call = { id: tool, name: tool, arguments: { query: "x" } };
  return [
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", results: [{ id: tool, name: tool, content }] },
  ];
}

const turns = (system: string, ...messages: Message[]): ModelRequest => ({
  ...requestOf(question, { tools, system }),
  messages: [{ role: "user", content: question }, ...messages],
});

describe("native tool calls", () => {
  test("the user's own past is searched first, with words of the item", () => {
    const reply = lexical(turns(""));
    expect(reply).toMatchObject({ stop: "tool", text: "", toolCalls: [{ name: "episodic_memory" }] });
    expect(JSON.stringify(reply.toolCalls[0]?.arguments)).toMatch(/ferry/);
  });

  test("clear evidence ends the search, and the answer uses it", () => {
    const reply = lexical(turns("", ...turnsAfter("episodic_memory", lines)));
    expect(reply).toMatchObject({ stop: "end", text: "classic", toolCalls: [] });
  });

  test("an unsure model asks the second tool, then answers", () => {
    const first = turnsAfter("episodic_memory", "no relevant history");
    expect(lexical(turns("", ...first)).toolCalls[0]?.name).toBe("wikipedia");
    const reply = lexical(turns("", ...first, ...turnsAfter("wikipedia", "Ferry: a ship.")));
    expect(reply.toolCalls).toEqual([]);
    expect(question).toContain(reply.text);
  });

  test("a persona that demands two tools gets two", () => {
    const reply = lexical(turns("You MUST use at least TWO tools.", ...turnsAfter("episodic_memory", lines)));
    expect(reply.toolCalls[0]?.name).toBe("wikipedia");
  });

  test("no tool is called where none may be", () => {
    expect(lexical({ ...turns(""), toolChoice: "none" }).toolCalls).toEqual([]);
  });

  test("a probe without a benchmark question calls the tool it is told to call", () => {
    const reply = replyTo('Call the lookup tool once, with the query "river".', {
      tools: [{ ...encyclopedia, name: "lookup" }],
    });
    expect(reply.toolCalls).toMatchObject([{ name: "lookup", arguments: { query: "river" } }]);
  });
});

describe("the text protocol", () => {
  const conversation = textReactConversation(
    "",
    question,
    tools.map(({ name, description }) => ({
      name,
      description,
      parameters,
      run: () => Promise.reject(new Error("not called here")),
    })),
  );
  const opening = conversation
    .request()
    .messages.map((message) => (message.role === "user" ? message.content : ""))
    .join("");
  const searched = `${opening} I look.\nAction: episodic_memory\nAction Input: ferry\nObservation: ${lines}\nThought: `;

  test("the tools of the prompt are read", () => {
    expect(describedTools(readPrompt(requestOf(opening))).map(({ name }) => name)).toEqual([
      "wikipedia",
      "episodic_memory",
    ]);
    expect(describedTools(readPrompt(requestOf(question)))).toEqual([]);
  });

  test("the first turn is an action on the user's past", () => {
    const reading = parseReact(replyTo(opening).text);
    expect(reading).toMatchObject({ kind: "action", tool: "episodic_memory" });
    expect(JSON.stringify(reading)).toMatch(/ferry/);
  });

  test("observations are evidence for the final answer, in the form that is asked for", () => {
    expect(parseReact(replyTo(searched).text)).toMatchObject({ kind: "answer", text: "classic" });
  });

  test("the query ends where the scratchpad begins", () => {
    expect(readPrompt(requestOf(searched)).asked?.query).toBe("A ferry captain bakes bread at night.");
  });

  test("told to finish, it finishes", () => {
    expect(parseReact(replyTo(`${opening}\n\n${ANSWER_NOW}`).text).kind).toBe("answer");
  });
});

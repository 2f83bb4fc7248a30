import { UsageError } from "../errors.js";
import { withDeadline } from "../net/deadline.js";
import type { AgentCall } from "../notes/note.js";
import { canonicalJson } from "../text/content-id.js";
import { firstLine } from "../text/file-trouble.js";
import { jsonIn } from "../text/json.js";
import type { Json, Kit, Tool, ToolCall } from "../types/index.js";

const ERROR_CHARS = 200;
/** An observation is cut to so many Unicode characters. */
const OBSERVATION_CHARS = 4000;
/** Longest wait for one tool call. */
const TOOL_TIMEOUT_MS = 20_000;
const REPEATED = "You have made this call before. Its result was:\n";

export interface Toolbox {
  /**
   * Runs the calls of one turn in parallel; results are in the order of the calls. A tool's error becomes its observation. Throws
   * UsageError, e.g. where a result cannot be stored.
   */
  call(calls: readonly ToolCall[]): Promise<readonly AgentCall[]>;
  counts(): Readonly<Record<string, number>>;
}

/** The tools of one agent run, with its memory of earlier calls. */
export function openToolbox(tools: readonly Tool[], kit: Kit): Toolbox {
  const done = new Map<string, Promise<Result>>();
  const counts: Record<string, number> = {};

  const callOne = async ({ name, arguments: input }: ToolCall): Promise<AgentCall> => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) {
      kit.count("agent-unknown-tool");
      const known = tools.map((candidate) => candidate.name).join(", ");
      const advice = known === "" ? "there are no tools; give the final answer" : `try one of [${known}]`;
      const observation = `${name} is not a valid tool, ${advice}.`;
      return { tool: name, input, observation, outcome: "unknown" };
    }
    counts[name] = (counts[name] ?? 0) + 1;
    kit.count(`tool=${name}`);
    const key = canonicalJson([name, input]);
    const earlier = done.get(key);
    if (earlier !== undefined) {
      kit.count("agent-repeated-call");
      const observation = cutChars(REPEATED + (await earlier).observation, OBSERVATION_CHARS);
      return { tool: name, input, observation, outcome: "repeated" };
    }
    const running = attempt(tool, input, kit);
    done.set(key, running);
    const result = await running;
    if (result.outcome === "failed") {
      done.delete(key); // a failure may pass: the model can try again
      kit.count(`tool-error=${name}`);
    }
    return { tool: name, input, ...result };
  };

  return {
    call: (calls) => Promise.all(calls.map(callOne)),
    counts: () => Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

type Result = Pick<AgentCall, "observation"> & { readonly outcome: "ok" | "failed" };

/** Gives up on a tool after `TOOL_TIMEOUT_MS`, even on one that does not listen to the signal. */
async function attempt(tool: Tool, input: Json, kit: Kit): Promise<Result> {
  const { signal } = new AbortController();
  const run = (limit: AbortSignal): Promise<string> =>
    tool.run(input, {
      timeoutMs: TOOL_TIMEOUT_MS,
      signal: limit,
      note: (note) => kit.note(note),
      count: (incident) => kit.count(incident),
    });
  const error = (): Error => new Error(`no result within ${TOOL_TIMEOUT_MS} ms`);
  try {
    const observation = await (tool.timesItself === true
      ? run(signal)
      : withDeadline(run, signal, { ms: TOOL_TIMEOUT_MS, error }));
    return { observation: cutChars(observation, OBSERVATION_CHARS), outcome: "ok" };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return { observation: `Tool error: ${cutChars(firstLine(error), ERROR_CHARS)}`, outcome: "failed" };
  }
}

/** Returns the first `max` Unicode characters, as Python's `text[:max]`. */
export function cutChars(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** JSON Schema of a tool that takes one text. */
export function querySchema(description: string): Json {
  return {
    type: "object",
    properties: { query: { type: "string", description } },
    required: ["query"],
    additionalProperties: false,
  };
}

/**
 * Returns the query of a one-text tool, from `{"query": "x"}`, `"x"`, the same as JSON text, or an object with one text in it.
 * Throws an Error that tells the model what to send.
 */
export function readQuery(input: Json): string {
  const text = typeof input === "string" ? input.trim() : undefined;
  const value = text?.startsWith("{") === true ? jsonIn(text) : input;
  if (value === undefined) throw new Error("the input is not valid JSON");
  const found = (typeof value === "string" ? value : onlyText(value))?.trim();
  if (found === undefined || found === "") throw new Error('the input must be {"query": "..."} with a text in it');
  return found;
}

function onlyText(value: Json): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = value as { readonly [name: string]: Json };
  if (typeof fields.query === "string") return fields.query;
  const texts = Object.values(fields).filter((field) => typeof field === "string");
  return texts.length === 1 ? texts[0] : undefined;
}

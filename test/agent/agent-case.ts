import { type AgentJob, agentOptions, runAgent } from "../../src/agent/loop.js";
import type { AgentRun } from "../../src/notes/note.js";
import { complete, readOptions } from "../../src/registry/options.js";
import { lamp2m } from "../../src/tasks/lamp2m.js";
import type { Capabilities, ModelReply, OptionValue, Tool } from "../../src/types/index.js";
import { type FakeKit, fakeKit } from "../helpers/kit.js";
import type { Script } from "../helpers/scripted-model.js";

export interface AgentCase {
  readonly script: Script;
  readonly set?: Readonly<Record<string, OptionValue>>;
  readonly tools?: readonly Tool[];
  readonly capabilities?: Partial<Capabilities>;
  readonly question?: string;
}

/** Runs the loop on a scripted model. */
export async function agentCase(given: AgentCase): Promise<{ run: AgentRun; armKit: FakeKit }> {
  const { job, armKit } = agentJob(given);
  return { run: await runAgent(job), armKit };
}

function agentJob({ script, set = {}, tools = [echo, shout], ...rest }: AgentCase): {
  job: AgentJob;
  armKit: FakeKit;
} {
  const armKit = fakeKit({
    task: lamp2m,
    script,
    ...(rest.capabilities === undefined ? {} : { capabilities: rest.capabilities }),
  });
  const settings = readOptions(agentOptions, complete(agentOptions, set));
  const job: AgentJob = {
    kit: armKit.question("q1"),
    phase: "answer",
    system: "SYSTEM {not} a `template`",
    question: rest.question ?? "Which tag?",
    tools,
    settings,
  };
  return { job, armKit };
}

const echo = tool("echo", async (input) => `echo of ${JSON.stringify(input)}`);
const shout = tool("shout", async (input) => JSON.stringify(input).toUpperCase());

export function tool(name: string, run: Tool["run"]): Tool {
  const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
  return { name, description: `Does ${name}.`, parameters, run };
}

/** A native turn that calls tools: `calls(["echo", "a"], ["shout", "b"])`. */
export function calls(...wanted: readonly (readonly [name: string, query: string])[]): Partial<ModelReply> {
  return {
    text: "let me see",
    stop: "tool",
    toolCalls: wanted.map(([name, query], index) => ({ id: `c${index}`, name, arguments: { query } })),
  };
}

/** A text ReAct turn. */
export const action = (name: string, input: string): string => ` I look.\nAction: ${name}\nAction Input: ${input}`;

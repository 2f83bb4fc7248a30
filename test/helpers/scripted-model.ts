import { stripReasoning } from "../../src/text/strip-reasoning.js";
import type { AskRequest, ModelReply, Phase } from "../../src/types/index.js";

/** One call as a method made it. */
export interface LoggedCall {
  readonly phase: Phase;
  readonly request: AskRequest;
  readonly user: string;
  /** Absent: made while the unit was prepared. */
  readonly question?: string;
  /** All message texts joined: what the model would read, the system prompt first. */
  readonly text: string;
}

export type ScriptedReply = string | Partial<ModelReply>;

/** Replies in order (an error when they run out), or one function of the call. */
export type Script = readonly ScriptedReply[] | ((call: LoggedCall, index: number) => ScriptedReply);

/** A model that says what its script says, and the log of what it was asked. */
export function scriptedModel(script: Script): { calls: LoggedCall[]; reply(call: LoggedCall): ModelReply } {
  const calls: LoggedCall[] = [];
  return {
    calls,
    reply(call) {
      const index = calls.push(call) - 1;
      const said = typeof script === "function" ? script(call, index) : script[index];
      if (said === undefined) throw new Error(`the script has no reply number ${index} (phase ${call.phase})`);
      const usage = { in: Math.ceil(call.text.length / 4), out: 1, estimated: true };
      const plain: ModelReply = { text: "", toolCalls: [], stop: "end", usage, model: "scripted" };
      const reply = typeof said === "string" ? { ...plain, text: said } : { ...plain, ...said };
      return { ...reply, text: stripReasoning(reply.text) }; // as a run's kit hands it to methods
    },
  };
}

/** Everything a request shows the model as one text. */
export function textOf({ system, messages }: AskRequest): string {
  const texts = messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => content) : [message.content],
  );
  return [...(system === undefined ? [] : [system]), ...texts].join("\n");
}

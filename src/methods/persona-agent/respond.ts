import { AGENT_SYSTEM_PROMPT, runAgent, TURN_TOKENS } from "../../agent/loop.js";
import { finalAnswer } from "../../agent/text-react.js";
import type { EpisodicMemory } from "../../memory/episodic.js";
import type { Kit, Question, Tool } from "../../types/index.js";
import { type PersonaAgentOptions, ruledTools } from "./options.js";
import { hasMemoryTool, type Parts } from "./parts.js";
import { toolsOf } from "./tools.js";

/** One question for the personal agent, be it asked or simulated. */
interface Turn {
  readonly phase: "simulate" | "answer";
  readonly question: Question;
  /** Undefined in variants without a persona. */
  readonly persona: string | undefined;
  /** Undefined in variants without the memory tool. */
  readonly memory: EpisodicMemory | undefined;
  /** The `graph_memory` tool of this question, where the agent has it. */
  readonly graph?: Tool | undefined;
  readonly parts: Parts;
  readonly options: PersonaAgentOptions;
}

/** The agent's answer: a tool-using run, or one reasoning call in variants without action. */
export function respond(turn: Turn, kit: Kit): Promise<string> {
  return turn.parts.action ? act(turn, kit) : reason(turn, kit);
}

async function act({ phase, question, persona, memory, graph, parts, options }: Turn, kit: Kit): Promise<string> {
  const tools = toolsOf(memory, graph, options, question, kit);
  const run = await runAgent({
    kit,
    phase,
    system: persona ?? AGENT_SYSTEM_PROMPT,
    question: question.text,
    tools,
    settings: options,
    ...(phase === "simulate" ? { label: question.id } : {}),
  });
  if (phase === "answer") countToolUse(run.toolCounts, parts, kit);
  return run.answer;
}

/** "At least two tools" is only asked for in the prompt, so it is counted how often it is done (METHODS 7.3). */
function countToolUse(counts: Readonly<Record<string, number>>, parts: Parts, kit: Kit): void {
  if (Object.keys(counts).length >= 2) kit.count("runs-with-two-tools");
  if (hasMemoryTool(parts) && (counts.episodic_memory ?? 0) > 0) kit.count("runs-with-memory-call");
}

/** Ends with the line that `finalAnswer` reads. */
const REASON_AND_ANSWER = [
  "Think step by step first, then end your reply with one line of this form:",
  "Final Answer: only the answer, in exactly the form the task asks for",
].join("\n");
const NO_PERSONA = "You solve the task that the user gives you.";

async function reason({ phase, question, persona, parts, options }: Turn, kit: Kit): Promise<string> {
  const withoutTools = persona === undefined || ruledTools(parts, options) === 0 ? "You have no tools. " : "";
  const system = `${persona ?? NO_PERSONA}\n\n${withoutTools}${REASON_AND_ANSWER}`;
  const reply = await kit.ask(phase, {
    system,
    messages: [{ role: "user", content: question.text }],
    maxTokens: TURN_TOKENS,
  });
  if (reply.stop === "length") kit.count("agent-reply-cut");
  const answer = finalAnswer(reply.text);
  if (answer === "") kit.count("agent-empty-answer");
  kit.note({ kind: "reasoning", data: { phase, question: question.text, system, reply: reply.text, answer } });
  return answer;
}

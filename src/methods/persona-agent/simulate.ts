import { AGENT_SYSTEM_PROMPT, runAgent, TURN_TOKENS } from "../../agent/loop.js";
import { finalAnswer } from "../../agent/text-react.js";
import { type EpisodicMemory, episodicMemory } from "../../memory/episodic.js";
import { normalized } from "../../text/words.js";
import type { Event, Kit, Question, Tool } from "../../types/index.js";
import { withoutFailedCall } from "../calls.js";
import { type Persona, parallelWithOrderedNotes, type Sample } from "./optimizers/steps.js";
import { hasMemoryTool, type Parts, type PersonaAgentOptions, toolCountInRules } from "./options.js";
import { type OpenGraphTool, toolsOf } from "./tools.js";

/** One question for the personal agent, be it asked or simulated. */
interface AgentQuestion {
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
export function respond(turn: AgentQuestion, kit: Kit): Promise<string> {
  return turn.parts.action ? act(turn, kit) : reason(turn, kit);
}

async function act(
  { phase, question, persona, memory, graph, parts, options }: AgentQuestion,
  kit: Kit,
): Promise<string> {
  const { answer, toolCounts } = await runAgent({
    kit,
    phase,
    system: persona ?? AGENT_SYSTEM_PROMPT,
    question: question.text,
    tools: toolsOf(memory, graph, options, question, kit),
    settings: options,
    ...(phase === "simulate" ? { label: question.id } : {}),
  });
  if (phase === "simulate") return answer;
  // "At least two tools" is only asked for in the prompt, so it is counted how often it is done (METHODS 7.3).
  if (Object.keys(toolCounts).length >= 2) kit.count("runs-with-two-tools");
  if (hasMemoryTool(parts) && (toolCounts.episodic_memory ?? 0) > 0) kit.count("runs-with-memory-call");
  return answer;
}

/** Ends with the line that `finalAnswer` reads. */
const REASON_AND_ANSWER = [
  "Think step by step first, then end your reply with one line of this form:",
  "Final Answer: only the answer, in exactly the form the task asks for",
].join("\n");
const NO_PERSONA = "You solve the task that the user gives you.";

async function reason({ phase, question, persona, parts, options }: AgentQuestion, kit: Kit): Promise<string> {
  const withoutTools = persona === undefined || toolCountInRules(parts, options) === 0 ? "You have no tools. " : "";
  const system = `${persona ?? NO_PERSONA}\n\n${withoutTools}${REASON_AND_ANSWER}`;
  const reply = await kit.ask(phase, {
    system,
    messages: [{ role: "user", content: question.text }],
    maxTokens: TURN_TOKENS,
  });
  const answer = finalAnswer(reply.text);
  if (answer === "") kit.count("agent-empty-answer");
  kit.note({ kind: "reasoning", data: { phase, question: question.text, system, reply: reply.text, answer } });
  return answer;
}

/** Simulates history items under a persona; those whose calls failed for good are left out. */
export type Simulator = (events: readonly Event[], persona: Persona, kit: Kit) => Promise<readonly Sample[]>;

interface SimulatorSettings extends Pick<AgentQuestion, "parts" | "options"> {
  /** V: the whole visible history, oldest first. */
  readonly history: readonly Event[];
  /** The wording to ask in; undefined: the task's own. */
  readonly like: Question | undefined;
  readonly graph: OpenGraphTool | undefined;
}

/**
 * The memory of a simulated event holds only what `align.memoryCutoff` lets through: the leak guard (METHODS 7.4). What
 * others did is looked up as for any question: not after the event's date, and no twin of it.
 */
export function simulator({ history, like, parts, options, graph }: SimulatorSettings): Simulator {
  const pastOf = memoizeByEvent((event) => eventsVisibleAt(history, event, options["align.memoryCutoff"]));
  const memoryAt = memoizeByEvent((event, kit: Kit) =>
    episodicMemory(pastOf(event), options, kit, `memory/${event.id}`),
  );

  const simulate = async (event: Event, persona: Persona, kit: Kit): Promise<Sample | undefined> => {
    const question = kit.task.pose(event, like);
    const expected = event.label;
    if (question === undefined || expected === undefined) throw new Error(`event ${event.id} cannot be asked`);
    const memory = hasMemoryTool(parts) ? await memoryAt(event, kit) : undefined;
    const tool = await graph?.(question, pastOf(event));
    const turn = { phase: "simulate", question, persona: persona.text, memory, graph: tool, parts, options } as const;
    const response = await withoutFailedCall("simulation-failed", kit, () => respond(turn, kit));
    const said = { question: question.text, expected, response: response ?? null };
    const data = { event: event.id, persona: persona.version, ...said, visible: memory?.size ?? 0 };
    kit.note({ kind: "simulation", data });
    return response === undefined ? undefined : { event, question, expected, response };
  };

  return async (events, persona, kit) => {
    const samples = await parallelWithOrderedNotes(events, kit, (event, eventKit) =>
      simulate(event, persona, eventKit),
    );
    return samples.filter((sample) => sample !== undefined);
  };
}

/** Memoizes by event id: the same batch comes back in every iteration. */
function memoizeByEvent<T, A extends unknown[]>(
  make: (event: Event, ...more: A) => T,
): (event: Event, ...more: A) => T {
  const made = new Map<string, T>();
  return (event, ...more) => {
    const known = made.get(event.id) ?? make(event, ...more);
    made.set(event.id, known);
    return known;
  };
}

type Cutoff = "before-event" | "exclude-self" | "none";

/**
 * Returns the part of a history that may be remembered while `event` is being simulated (METHODS 7.4, leak guard):
 * `before-event` what came before it, `exclude-self` all other events, `none` everything (leaks the answer).
 * The first two also leave out events with the same content. `history` is oldest first and holds `event`.
 */
export function eventsVisibleAt(history: readonly Event[], event: Event, cutoff: Cutoff): readonly Event[] {
  if (cutoff === "none") return history;
  const at = history.findIndex(({ id }) => id === event.id);
  const earlier = cutoff === "before-event" ? history.slice(0, Math.max(0, at)) : history;
  const content = normalized(event.content);
  return earlier.filter((other) => other.id !== event.id && normalized(other.content) !== content);
}

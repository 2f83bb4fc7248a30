import { UsageError } from "../errors.js";
import type { AgentCall, AgentRun, AgentStep } from "../notes/note.js";
import { choice, integer } from "../registry/options.js";
import { pyStrip } from "../text/python.js";
import type { AskRequest, Kit, Message, ModelReply, Options, Phase, Tool, ToolSpec } from "../types/index.js";
import { ANSWER_NOW, type Conversation, type Turn, textReactConversation } from "./text-react.js";
import { openToolbox, type Toolbox } from "./toolbox.js";

/** Knobs of the reason-act loop (METHODS 5.1, 5.2). A method that runs agents spreads this table into its own. */
export const agentOptions = {
  "agent.protocol": choice({
    default: "auto",
    of: ["auto", "native", "text-react"],
    help: "native tool calls, or the text ReAct protocol; auto = native where the model's provider has tool calls (never switched within a run)",
  }),
  "agent.maxSteps": integer({
    default: 15,
    min: 1,
    max: 100,
    help: "most model turns of one agent run (LangChain: 15)",
  }),
  "agent.enforceTools": choice({
    default: "off",
    of: ["off", "remind"],
    help: "remind: one message when the model answers before it has used two different tools",
  }),
} as const;

export type AgentSettings = Options<typeof agentOptions>;

/** The system prompt of an agent that knows nothing of its user (METHODS 5.2): `react`, and `persona-agent` without a persona. */
export const AGENT_SYSTEM_PROMPT = [
  "You solve the task that the user gives you.",
  "You may use the tools you have, several times if needed; think step by step about what you still need to know.",
  "Your final answer must be the answer alone, in exactly the form the task asks for, without any explanation.",
].join("\n");

interface Protocol {
  readonly name: "native" | "text-react";
  open(system: string, question: string, tools: readonly Tool[]): Conversation;
}

const native: Protocol = { name: "native", open: nativeConversation };
const textReact: Protocol = { name: "text-react", open: textReactConversation };

/** The protocol of a run, from its settings and the model alone. Throws UsageError where the model has no tool calls. */
export function protocolOf(settings: Pick<AgentSettings, "agent.protocol">, model: Kit["model"]): Protocol {
  if (settings["agent.protocol"] === "text-react") return textReact;
  if (model.capabilities.tools) return native;
  if (settings["agent.protocol"] === "auto") return textReact;
  throw new UsageError(
    `agent.protocol=native: ${model.id} has no tool calls; use --set agent.protocol=text-react or another --model`,
  );
}

/** Tokens of one turn (METHODS 0.4). */
export const TURN_TOKENS = 1024;
/** Broken replies of one run that are fed back; the next one ends the run like running out of steps. */
const MAX_PARSE_ERRORS = 3;
const EMPTY = "There was no answer. Give the final answer now, in the form the question asks for.";
const REMINDER =
  "You have not yet used two different tools. Use the tools you have left out to find out what this user prefers, then give the final answer.";

/** One question for an agent. */
export interface AgentJob {
  readonly kit: Kit;
  /** What the turns are counted as: `answer`, or `simulate` inside alignment. */
  readonly phase: Phase;
  readonly system: string;
  readonly question: string;
  readonly tools: readonly Tool[];
  readonly settings: AgentSettings;
  /** Names this run in the trace where a question has several, e.g. the id of a simulated event. */
  readonly label?: string;
}

/**
 * Lets a model think, call tools and answer: 1 to `agent.maxSteps` calls of `kit.ask`, and one more for an answer where no step is
 * left. The whole trajectory is kept as a note, also when a call fails. Throws what `kit.ask` throws.
 */
export async function runAgent(job: AgentJob): Promise<AgentRun> {
  const protocol = protocolOf(job.settings, job.kit.model);
  const isFallback = job.settings["agent.protocol"] === "auto" && protocol.name === "text-react";
  if (isFallback) job.kit.count("agent-text-react"); // rows and tables say so
  const state: State = {
    job,
    conversation: protocol.open(job.system, job.question, job.tools),
    toolbox: openToolbox(job.tools, job.kit),
    steps: [],
    parseErrors: 0,
    truncatedReplies: 0,
    objections: new Set(),
  };
  const run: { answer: string; forced: AgentRun["forced"] } = { answer: "", forced: "no" };
  const result = (): AgentRun => ({
    ...run,
    protocol: protocol.name,
    steps: state.steps,
    toolCounts: state.toolbox.counts(),
    truncatedReplies: state.truncatedReplies,
    parseErrors: state.parseErrors,
  });
  try {
    const answer = await walk(state);
    if (answer === undefined) run.forced = "generate";
    run.answer = answer ?? (await stopEarly(state));
    if (run.answer === "") job.kit.count("agent-empty-answer");
    return result();
  } finally {
    const { phase, label, system, question, tools } = job;
    const head = { phase, ...(label === undefined ? {} : { label }), system, question };
    job.kit.note({ kind: "agent", data: { ...head, tools: tools.map(({ name }) => name), ...result() } });
  }
}

interface State {
  readonly job: AgentJob;
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly steps: AgentStep[];
  parseErrors: number;
  truncatedReplies: number;
  readonly objections: Set<string>;
}

/** The loop itself. Undefined when the run is out of steps or of patience. */
async function walk(state: State): Promise<string | undefined> {
  const { conversation, toolbox, job } = state;
  while (state.steps.length < job.settings["agent.maxSteps"]) {
    const turn = conversation.read(await ask(state, conversation.request()));
    if (turn.kind === "calls") {
      const calls = await toolbox.call(turn.calls);
      conversation.observe(
        turn,
        calls.map((call) => ({ content: call.observation, isError: isError(call) })),
      );
      keep(state, turn, calls, null);
      continue;
    }
    const objection = turn.kind === "malformed" ? breach(state, turn) : objectionTo(state, turn.text);
    keep(state, turn, [], objection ?? null);
    if (objection !== undefined) conversation.reject(turn, objection);
    else return turn.kind === "answer" ? turn.text : undefined;
  }
  return undefined;
}

/** The feedback on a reply that breaks the protocol; undefined when there were too many of them. */
function breach(state: State, turn: Turn & { kind: "malformed" }): string | undefined {
  state.parseErrors++;
  state.job.kit.count("agent-parse-error");
  return state.parseErrors > MAX_PARSE_ERRORS ? undefined : turn.feedback;
}

/** Why an answer is not taken yet: at most once for each reason. */
function objectionTo(state: State, answer: string): string | undefined {
  const { kit, settings, tools } = state.job;
  const once = (reason: string, text: string): string | undefined => {
    if (state.objections.has(reason)) return undefined;
    state.objections.add(reason);
    kit.count(reason);
    return text;
  };
  if (answer === "") return once("agent-empty-retry", EMPTY);
  const used = Object.keys(state.toolbox.counts()).length;
  if (settings["agent.enforceTools"] === "remind" && used < Math.min(2, tools.length))
    return once("agent-reminded", REMINDER);
  return undefined;
}

async function stopEarly(state: State): Promise<string> {
  const { conversation, job } = state;
  job.kit.count("agent-forced=generate");
  const reply = await ask(state, conversation.lastRequest());
  const text = conversation.readLast(reply);
  keep(state, { kind: "answer", reply, text }, [], null);
  return text;
}

async function ask(state: State, request: AskRequest): Promise<ModelReply> {
  const { kit, phase } = state.job;
  const { stop, ...rest } = request;
  const sent = stop === undefined || !kit.model.capabilities.stop ? rest : { ...rest, stop };
  const reply = await kit.ask(phase, { ...sent, maxTokens: TURN_TOKENS });
  if (reply.stop === "length") {
    state.truncatedReplies++;
    kit.count("agent-reply-cut");
  }
  return reply;
}

function keep(state: State, turn: Turn, calls: readonly AgentCall[], feedback: string | null): void {
  state.steps.push({ text: turn.text, calls, feedback, cut: turn.reply.stop === "length" });
}

const isError = ({ outcome }: AgentCall): boolean => outcome === "failed" || outcome === "unknown";

/** Providers refuse an assistant turn without text. */
const NO_TEXT = "(no answer)";

/** Native tool calls: the loop ends with the first reply that calls no tool (langgraph `create_react_agent`). */
function nativeConversation(system: string, question: string, tools: readonly Tool[]): Conversation {
  const messages: Message[] = [{ role: "user", content: question }];
  const specs = tools.map(({ name, description, parameters }): ToolSpec => ({ name, description, parameters }));
  const request = (): AskRequest => ({
    system,
    messages: [...messages],
    ...(specs.length === 0 ? {} : { tools: specs, toolChoice: "auto" }),
  });
  return {
    request,
    read(reply) {
      const text = pyStrip(reply.text);
      return reply.toolCalls.length > 0
        ? { kind: "calls", reply, text, calls: reply.toolCalls }
        : { kind: "answer", reply, text };
    },
    observe({ reply, text, calls }, observations) {
      messages.push({
        role: "assistant",
        content: text,
        toolCalls: calls,
        ...(reply.opaque === undefined ? {} : { opaque: reply.opaque }),
      });
      const results = calls.map(({ id, name }, index) => {
        const { content, isError } = observations[index]!; // one observation per call
        return { id, name, content, ...(isError ? { isError } : {}) };
      });
      messages.push({ role: "tool", results });
    },
    reject({ text }, feedback) {
      messages.push({ role: "assistant", content: text === "" ? NO_TEXT : text });
      messages.push({ role: "user", content: feedback });
    },
    lastRequest() {
      const last = request();
      return {
        ...last,
        messages: [...last.messages, { role: "user", content: ANSWER_NOW }],
        ...(last.tools === undefined ? {} : { toolChoice: "none" }),
      };
    },
    readLast: (reply) => pyStrip(reply.text),
  };
}

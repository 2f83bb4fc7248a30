import { UsageError } from "../errors.js";
import type { AgentCall, AgentRun, AgentStep } from "../notes/note.js";
import { choice, integer } from "../registry/options.js";
import { isObject, jsonIn } from "../text/json.js";
import { pyStrip } from "../text/python.js";
import type {
  AskRequest,
  Json,
  Kit,
  Message,
  ModelReply,
  Options,
  Phase,
  Tool,
  ToolCall,
  ToolSpec,
} from "../types/index.js";
import { type AgentReply, ANSWER_NOW, type Conversation, textReactConversation } from "./text-react.js";
import { openToolbox } from "./toolbox.js";

/** Options of the reason-act loop (METHODS 5.1, 5.2). A method that runs agents spreads this table into its own. */
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

type Open = (system: string, question: string, tools: readonly Tool[]) => Conversation;

const protocols: Readonly<Record<"native" | "text-react", Open>> = {
  native: nativeConversation,
  "text-react": textReactConversation,
};

/** Names the protocol of a run, from its settings and the model alone. Throws UsageError where the model has no tool calls. */
export function protocolOf(
  { "agent.protocol": wanted }: Pick<AgentSettings, "agent.protocol">,
  model: Kit["model"],
): keyof typeof protocols {
  if (wanted === "text-react") return wanted;
  if (model.capabilities.tools) return "native";
  if (wanted === "auto") return "text-react";
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
  /** The phase that the calls are counted in: `answer`, or `simulate` inside alignment. */
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
  const { kit, phase, system, question, tools, settings, label } = job;
  const protocol = protocolOf(settings, kit.model);
  if (settings["agent.protocol"] === "auto" && protocol === "text-react") kit.count("agent-text-react");
  const conversation = protocols[protocol](system, question, tools);
  const toolbox = openToolbox(tools, kit);
  const steps: AgentStep[] = [];
  const objections = new Set<string>();
  const run = { answer: "", forced: "no" as AgentRun["forced"], truncatedReplies: 0, parseErrors: 0 };

  const ask = async ({ stop, ...rest }: AskRequest): Promise<ModelReply> => {
    const stopSequences = stop !== undefined && kit.model.capabilities.stop ? { stop } : {};
    const reply = await kit.ask(phase, { ...rest, ...stopSequences, maxTokens: TURN_TOKENS });
    if (reply.stop === "length") run.truncatedReplies++;
    return reply;
  };
  const keep = (
    { text, reply }: Pick<AgentReply, "text" | "reply">,
    calls: readonly AgentCall[],
    feedback: string | null,
  ) => void steps.push({ text, calls, feedback, cut: reply.stop === "length" });

  /** Returns the feedback that rejects an answer, at most once for each reason; undefined: the answer is accepted. */
  const rejectionOf = (answer: string): string | undefined => {
    const used = Object.keys(toolbox.counts()).length;
    const usesTooFewTools = settings["agent.enforceTools"] === "remind" && used < Math.min(2, tools.length);
    const reason = answer === "" ? "agent-empty-retry" : usesTooFewTools ? "agent-reminded" : undefined;
    if (reason === undefined || objections.has(reason)) return undefined;
    objections.add(reason);
    kit.count(reason);
    return answer === "" ? EMPTY : REMINDER;
  };
  /** Counts a reply that breaks the protocol. Returns the feedback; undefined after too many of them. */
  const countParseError = (feedback: string): string | undefined => {
    run.parseErrors++;
    kit.count("agent-parse-error");
    return run.parseErrors > MAX_PARSE_ERRORS ? undefined : feedback;
  };

  /** Runs the loop. Returns undefined at the step limit or after too many parse errors. */
  const runSteps = async (): Promise<string | undefined> => {
    while (steps.length < settings["agent.maxSteps"]) {
      const turn = conversation.read(await ask(conversation.request()));
      for (const incident of turn.incidents ?? []) kit.count(incident);
      if (turn.kind === "calls") {
        const calls = await toolbox.call(turn.calls);
        conversation.observe(turn, calls);
        keep(turn, calls, null);
        continue;
      }
      const objection = turn.kind === "malformed" ? countParseError(turn.feedback) : rejectionOf(turn.text);
      keep(turn, [], objection ?? null);
      if (objection === undefined) return turn.kind === "answer" ? turn.text : undefined;
      conversation.reject(turn, objection);
    }
    return undefined;
  };
  const forceAnswer = async (): Promise<string> => {
    run.forced = "generate";
    kit.count("agent-forced=generate");
    const reply = await ask(conversation.lastRequest());
    const text = conversation.readLast(reply);
    keep({ reply, text }, [], null);
    return text;
  };
  const result = (): AgentRun => ({ ...run, protocol, steps, toolCounts: toolbox.counts() });
  try {
    run.answer = (await runSteps()) ?? (await forceAnswer());
    if (run.answer === "") kit.count("agent-empty-answer");
    if (tools.length > 0 && Object.keys(toolbox.counts()).length === 0) kit.count("agent-no-tool-call");
    return result();
  } finally {
    const head = { phase, ...(label === undefined ? {} : { label }), system, question };
    kit.note({ kind: "agent", data: { ...head, tools: tools.map(({ name }) => name), ...result() } });
  }
}

const WRITTEN_CALL = /(?:```\w*|<tool_call>)\s*(\{[\s\S]*?)(?:```|<\/tool_call>|$)/g;

/**
 * Reads calls that a server passed on as text, as small models write them: JSON objects whose `name` is a tool's, fenced, between
 * `<tool_call>` marks (Hermes, Qwen), or one that is the whole reply. Undefined for every other text.
 */
function callsAsText(
  text: string,
  tools: readonly Tool[],
): { text: string; calls: Omit<ToolCall, "id">[] } | undefined {
  const marked = [...text.matchAll(WRITTEN_CALL)];
  const calls = (marked.length === 0 ? [text] : marked.map(([, body = ""]) => body)).flatMap((body) => {
    const call = jsonIn(body);
    if (!isObject(call) || !tools.some(({ name }) => name === call.name)) return [];
    const given = (call.arguments ?? call.parameters ?? {}) as Json; // parsed JSON
    return [{ name: String(call.name), arguments: typeof given === "string" ? (jsonIn(given) ?? given) : given }];
  });
  return calls.length === 0 ? undefined : { text: text.slice(0, marked[0]?.index ?? 0).trimEnd(), calls };
}

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
      if (reply.toolCalls.length > 0) return { kind: "calls", reply, text, calls: reply.toolCalls };
      const written = callsAsText(text, tools);
      if (written === undefined) return { kind: "answer", reply, text };
      const calls = written.calls.map((call, index) => ({ id: `text${messages.length}n${index}`, ...call }));
      return { kind: "calls", reply, text: written.text, calls, incidents: ["agent-call-as-text"] };
    },
    observe({ reply: { opaque, toolCalls }, text, calls }, done) {
      const kept = opaque === undefined || toolCalls.length === 0 ? {} : { opaque };
      messages.push({ role: "assistant", content: text, toolCalls: calls, ...kept });
      const results = calls.map(({ id, name }, index) => {
        const { observation: content, outcome } = done[index]!; // one a call
        const isError = outcome === "failed" || outcome === "unknown";
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

import { isDeepStrictEqual } from "node:util";
import { ModelError, UsageError } from "../errors.js";
import { stripReasoning } from "../text/strip-reasoning.js";
import type { AskRequest, ModelReply } from "../types/index.js";

const TOOL = "lookup";

/**
 * Checks by one call that the endpoint really does tool calls: servers of open models accept `tools` and ignore
 * them unless started with a tool parser. Returns the reply. Throws UsageError naming the flag; never switches the protocol itself.
 */
export async function probeToolCalls(
  modelId: string,
  ask: (request: AskRequest) => Promise<ModelReply>,
): Promise<ModelReply> {
  const reply = await ask(PROBE).catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    throw refusesTools(error) ? noTools(modelId, error.message) : error;
  });
  if (!reply.toolCalls.some(({ name }) => name === TOOL)) throw noTools(modelId, withoutCall(reply.text));
  return reply;
}

/** Statuses with which servers refuse a `tools` field. */
const REFUSED = new Set([400, 422, 501]);

/** OpenRouter: 404, "No endpoints found that support tool use"; otherwise a 404 is a model id that is not there. */
const refusesTools = ({ status, scope, message }: ModelError): boolean =>
  (scope === "call" && REFUSED.has(status ?? 0) && (!OTHER_FIELDS.test(message) || /\btool/i.test(message))) ||
  (status === 404 && /\btool/i.test(message));

/** The probe's other fields: a refusal of these does not refuse tools. */
const OTHER_FIELDS = /\b(temperature|max_tokens|max_completion_tokens|effort)\b/i;

const PROBE: AskRequest = {
  system: "You can look things up. Use the tool before you answer.",
  messages: [{ role: "user", content: `Call the ${TOOL} tool once, with the query "river", then say what it found.` }],
  tools: [
    {
      name: TOOL,
      description: "Search for a short summary of one topic. Input: a clear topic name.",
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    },
  ],
  toolChoice: "auto",
  maxTokens: 1024,
};

/** Returns whether a request is the probe. */
export const isProbe = (request: Pick<AskRequest, "system" | "messages"> | undefined): boolean =>
  request?.system === PROBE.system && isDeepStrictEqual(request?.messages, PROBE.messages);

const CALL_AS_TEXT = new RegExp(`<tool_?call>|${TOOL}["'\`]?\\s*[({,]`);

/** Says what was replied in the place of a call. */
function withoutCall(text: string): string {
  const said = stripReasoning(text).replace(/\s+/g, " ").trim();
  if (said === "") return "it answered without a tool call and without text";
  const quote = JSON.stringify(said.length > 80 ? `${said.slice(0, 80)}...` : said);
  return CALL_AS_TEXT.test(said)
    ? `what looks like a call came written as text: ${quote}`
    : `it answered without a tool call: ${quote}`;
}

function noTools(modelId: string, reason: string): UsageError {
  return new UsageError(
    `${modelId}: no tool calls (${reason}); start the server with its tool parser (vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; llama.cpp: --jinja) or use --set agent.protocol=text-react`,
  );
}

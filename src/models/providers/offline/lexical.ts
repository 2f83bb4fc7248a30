import { contentId } from "../../../text/content-id.js";
import type { ModelReply, ModelRequest, ToolSpec } from "../../../types/index.js";
import { critique, revise } from "./alignment.js";
import { answersTo } from "./answers.js";
import { converse, factTold, repliesToLine } from "./converse.js";
import { decide, pick, verdict } from "./judge.js";
import { type Prompt, readPrompt } from "./read-prompt.js";
import { answerLogprobs, draw, finishReply } from "./reply.js";
import { dayOfCommands, fillProfile, summarize, tellPreferences } from "./summarize.js";
import {
  actionInput,
  actionText,
  calledInText,
  calledTools,
  describedTools,
  fillArguments,
  finalText,
  mustFinish,
  nextTool,
  searchWords,
  wantsFinalAnswer,
} from "./tools.js";

/** What selectors, optimizers, judges, profilers and assistants ask for; the first that is asked for is answered. */
const demands: readonly ((prompt: Prompt) => string | undefined)[] = [
  ({ turn }) => pick(turn),
  ({ turn }) => decide(turn),
  ({ turn }) => critique(turn),
  ({ turn }) => revise(turn),
  verdict,
  ({ turn }) => fillProfile(turn),
  ({ turn }) => dayOfCommands(turn),
  ({ turn }) => tellPreferences(turn),
  ({ turn }) => factTold(turn),
  converse,
];

/** Answers a request by lexical statistics over its own text. A pure function: equal requests, equal replies. */
export function lexical(request: ModelRequest): ModelReply {
  const prompt = readPrompt(request);
  for (const demand of demands) {
    const text = demand(prompt);
    if (text !== undefined) return finishReply(request, { text });
  }
  return prompt.asked === undefined ? withoutQuestion(request, prompt) : answer(request, prompt);
}

/** A summary is wanted, or a tool is to be tried, or a line of a dialogue is to be answered with probabilities, as RUMS wants it. */
function withoutQuestion(request: ModelRequest, prompt: Prompt): ModelReply {
  const [tool] = request.toolChoice === "none" ? [] : (request.tools ?? []);
  if (tool !== undefined && calledTools(request).size === 0) return call(request, prompt, tool, "");
  if (request.logprobs === undefined) return finishReply(request, { text: summarize(prompt.turn) });
  const possible = repliesToLine(prompt.turn);
  const text = draw(possible, request);
  return finishReply(request, { text, logprobs: answerLogprobs(possible, text, request.logprobs) });
}

function answer(request: ModelRequest, prompt: Prompt): ModelReply {
  const answers = answersTo(prompt);
  const leading = draw(answers, request);
  const confidence = answers.get(leading) ?? 0;
  const described = mustFinish(prompt) ? [] : describedTools(prompt);
  const inText = nextTool(described, prompt, { confidence, used: calledInText(prompt) });
  if (inText !== undefined) {
    const input = actionInput(inText, searchWords(inText, prompt, leading), prompt);
    return finishReply(request, { text: actionText(inText.name, input) });
  }
  const native = request.toolChoice === "none" ? [] : (request.tools ?? []);
  const tool = nextTool(native, prompt, { confidence, used: calledTools(request) });
  if (tool !== undefined) return call(request, prompt, tool, leading);
  if (wantsFinalAnswer(prompt)) return finishReply(request, { text: finalText(leading) });
  const logprobs = request.logprobs === undefined ? undefined : answerLogprobs(answers, leading, request.logprobs);
  return finishReply(request, { text: leading, logprobs });
}

function call(request: ModelRequest, prompt: Prompt, tool: ToolSpec, leading: string): ModelReply {
  const input = fillArguments(tool, searchWords(tool, prompt, leading));
  const id = `call_${contentId([request.messages, tool.name]).slice(0, 12)}`;
  return finishReply(request, { text: "", toolCalls: [{ id, name: tool.name, arguments: input }] });
}

import { contentId } from "../../../text/content-id.js";
import type { ModelReply, ModelRequest, ToolSpec } from "../../../types/index.js";
import { critique, readJudged, readRevision, revise } from "./alignment.js";
import { answersTo } from "./answers.js";
import { converse, factOf, isConversation, readTold, replyToLine } from "./converse.js";
import { decided, pick, readPicking, readVerdictAsked, verdictOn } from "./judge.js";
import { type Prompt, readPrompt } from "./read-prompt.js";
import { answerLogprobs, draw, finishReply } from "./reply.js";
import {
  fillProfile,
  readDayOfCommands,
  readPreferencesAsked,
  readWantedProfile,
  summarize,
  tellPreferences,
} from "./summarize.js";
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

/** Answers a request by lexical statistics over its own text. A pure function: equal requests, equal replies. */
export function lexical(request: ModelRequest): ModelReply {
  const prompt = readPrompt(request);
  const picking = readPicking(prompt.turn);
  if (picking !== undefined) return finishReply(request, { text: pick(picking) });
  const decision = decided(prompt.turn);
  if (decision !== undefined) return finishReply(request, { text: decision });
  const judged = readJudged(prompt.turn);
  if (judged !== undefined) return finishReply(request, { text: critique(judged) });
  const revision = readRevision(prompt.turn);
  if (revision !== undefined) return finishReply(request, { text: revise(revision) });
  const told = memoryReply(prompt);
  if (told !== undefined) return finishReply(request, { text: told });
  return prompt.asked === undefined ? withoutQuestion(request, prompt) : answer(request, prompt);
}

/** What profilers, assistants and judges ask for; undefined for any other prompt. */
function memoryReply(prompt: Prompt): string | undefined {
  const verdict = readVerdictAsked(prompt);
  if (verdict !== undefined) return verdictOn(verdict);
  const wanted = readWantedProfile(prompt.turn);
  if (wanted !== undefined) return fillProfile(wanted);
  const day = readDayOfCommands(prompt.turn);
  if (day !== undefined) return day;
  const preferences = readPreferencesAsked(prompt.turn);
  if (preferences !== undefined) return tellPreferences(preferences);
  const said = readTold(prompt.turn);
  if (said !== undefined) return factOf(said);
  return prompt.asked === undefined && isConversation(prompt) ? converse(prompt) : undefined;
}

/** A summary is wanted, or a tool is to be tried. */
function withoutQuestion(request: ModelRequest, prompt: Prompt): ModelReply {
  const [tool] = request.toolChoice === "none" ? [] : (request.tools ?? []);
  if (tool !== undefined && calledTools(request).size === 0) return call(request, prompt, tool, "");
  if (request.logprobs !== undefined) return measured(request, prompt);
  return finishReply(request, { text: summarize(prompt.turn) });
}

/** A line of a dialogue whose reply is wanted with its probabilities, as RUMS wants it. */
function measured(request: ModelRequest, { turn }: Prompt): ModelReply {
  const replies = replyToLine(turn);
  const text = draw(replies, request);
  return finishReply(request, { text, logprobs: answerLogprobs(replies, text, request.logprobs ?? 0) });
}

function answer(request: ModelRequest, prompt: Prompt): ModelReply {
  const answers = answersTo(prompt);
  const leading = draw(answers, request);
  const confidence = answers.get(leading) ?? 0;
  const described = describedTools(prompt);
  if (described.length > 0 && !mustFinish(prompt)) {
    const tool = nextTool(described, prompt, { confidence, leading, used: calledInText(prompt) });
    if (tool !== undefined)
      return finishReply(request, {
        text: actionText(tool.name, actionInput(tool, searchWords(tool, prompt, leading), prompt)),
      });
  }
  const native = request.toolChoice === "none" ? [] : (request.tools ?? []);
  const tool =
    native.length === 0 ? undefined : nextTool(native, prompt, { confidence, leading, used: calledTools(request) });
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

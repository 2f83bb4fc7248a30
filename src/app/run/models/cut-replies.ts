import { nounOf } from "../../../text/count.js";
import { stripReasoning } from "../../../text/strip-reasoning.js";
import type { ModelReply } from "../../../types.js";

/** Whether a reply ended at its limit of tokens before an answer began: all its room went into thinking. */
export const isCut = ({ stop, text, toolCalls }: ModelReply): boolean =>
  stop === "length" && toolCalls.length === 0 && stripReasoning(text).trim() === "";

/** One line on such replies, where they are more than one in a hundred; empty where they are fewer. */
export function cutReplies({ replies, cut }: { readonly replies: number; readonly cut: number }): string[] {
  if (cut === 0 || cut <= replies / 100) return [];
  return [
    `${cut} of ${replies} ${nounOf(replies, "reply", "replies")} ended at ${nounOf(cut, "its", "their")} limit of tokens with no answer: give thinking room with --set model.answerTokens=4096, or less to think with --set model.effort=low`,
  ];
}

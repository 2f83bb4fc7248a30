import { pyStrip } from "../text/python.js";

const BLOCK = /<(think|thinking|reasoning)>[\s\S]*?<\/\1>/gi;
/** Chat templates that open the block in the prompt leave only its end in the reply (DeepSeek-R1, QwQ). */
const CLOSED_ONLY = /^[\s\S]*<\/(?:think|thinking|reasoning)>/i;
/** A reply cut inside its reasoning has no answer. */
const NEVER_CLOSED = /<(?:think|thinking|reasoning)>[\s\S]*$/i;

/** The reply without reasoning written into the text (`<think>...</think>`), stripped of outer blanks when one was found. */
export function stripReasoning(text: string): string {
  const rest = text.replace(BLOCK, "").replace(CLOSED_ONLY, "").replace(NEVER_CLOSED, "");
  return rest === text ? text : pyStrip(rest);
}

import { pyStrip } from "../../text/python.js";
import type { Kit, Message, Phase } from "../../types.js";

/** The text of one reply without reasoning blocks; empty for a refusal. `draw` 1 asks the same once more. */
export async function askText(
  kit: Kit,
  phase: Phase,
  content: string | readonly Message[],
  limits: { readonly maxTokens: number; readonly draw?: number },
): Promise<string> {
  const messages: readonly Message[] = typeof content === "string" ? [{ role: "user", content }] : content;
  const reply = await kit.ask(phase, { messages, ...limits });
  return reply.stop === "refusal" ? "" : pyStrip(reply.text);
}

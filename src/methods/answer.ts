import { cutChars } from "../agent/toolbox.js";
import { ModelError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { AskRequest, Kit } from "../types/index.js";

/**
 * Asks the question's one answer call with one user message and returns the reply without reasoning written into its text.
 * No system prompt where it is empty. `opening`: characters that other questions begin with too. A reply that was refused or cut at its token limit is counted.
 */
export async function answer(kit: Kit, content: string, system = "", opening = 0): Promise<string> {
  const { text, stop } = await kit.ask("answer", {
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content }],
    ...(opening === 0 ? {} : { opening }),
  });
  if (stop === "length") kit.count("answer-cut");
  if (stop === "refusal") kit.count("answer-refused");
  const answer = text;
  if (answer === "") kit.count("answer-empty");
  return answer;
}

/** METHODS 6.2: a failed summary is the raw text cut to 400 tokens, here at 4 characters each. */
const FALLBACK_CHARS = 1600;

/**
 * What a summary call wrote; where it failed, was refused or gave no text, the first characters of its material, counted as
 * `incident`. Throws what stops the whole run.
 */
export async function writtenOr(request: AskRequest, material: string, kit: Kit, incident: string): Promise<string> {
  try {
    const reply = await kit.ask("summary", request);
    const summary = reply.stop === "refusal" ? "" : pyStrip(reply.text);
    if (summary !== "") return summary;
  } catch (error) {
    if (!(error instanceof ModelError) || error.scope !== "call") throw error;
  }
  kit.count(incident);
  return cutChars(material, FALLBACK_CHARS);
}

import { cutChars } from "../agent/cut-chars.js";
import { ModelError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { AskRequest, Kit } from "../types.js";

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

import { type PersonaReading, readPersona } from "../../../memory/persona.js";
import type { Kit } from "../../../types.js";
import { askText } from "../ask-text.js";
import type { OptimizerOptions } from "./optimizer.js";

/** TextGrad's budget for an improved variable. */
const REWRITE_TOKENS = 2000;

/** What a reply holds before the persona rules are applied to it; undefined where it breaks the asked form. */
type Unwrap = (reply: string) => string | undefined;

/**
 * Asks for a rewritten persona. An unusable one (empty, too short, too long, not in the asked form) is asked for once
 * more; undefined, counted as `persona_update_failed`, when that is unusable too (METHODS 7.4).
 */
export async function rewrite(
  request: string,
  options: OptimizerOptions,
  kit: Kit,
  unwrap: Unwrap = (reply) => reply,
): Promise<string | undefined> {
  const maxPersonaTokens = options["align.maxPersonaTokens"];
  const maxTokens = Math.max(REWRITE_TOKENS, maxPersonaTokens);
  const refused: string[] = [];
  for (const draw of [0, 1]) {
    const content = unwrap(await askText(kit, "update", request, { maxTokens, draw }));
    const reading: PersonaReading | undefined =
      content === undefined ? undefined : readPersona(content, maxPersonaTokens);
    if (reading?.kind === "persona") return reading.text;
    refused.push(reading?.reason ?? "not in the asked form");
  }
  kit.count("persona_update_failed");
  kit.note({ kind: "persona-refused", data: refused });
  return undefined;
}

/** Calls of one rewrite: an unusable one is asked for once more. */
export const REWRITE_CALLS = { low: 1, high: 2 } as const;

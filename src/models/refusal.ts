import type { ModelError } from "../errors.js";
import type { Json, ProviderSettings } from "../types.js";
import type { Endpoint } from "./endpoint.js";
import { failure, type Speaker } from "./failure.js";

/** What was sent, and to what. */
export interface Attempt {
  readonly sent: Readonly<Record<string, Json>>;
  readonly endpoint: Endpoint;
  readonly settings: Pick<ProviderSettings, "unsupported">;
}

/**
 * What a refusal (400, 422) that names a field of the body comes to: an error that another try follows at once, written
 * otherwise; or the end of the run, where a parameter that changes replies would have to be left out and `--unsupported` does
 * not allow it. Undefined for every other failure.
 */
export function refusalOf(
  speaker: Speaker,
  thrown: unknown,
  { sent, endpoint, settings }: Attempt,
): ModelError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, param, message } = thrown as Error & { readonly status?: number; readonly param?: unknown };
  if (status !== 400 && status !== 422) return undefined;
  const field = typeof param === "string" ? param : undefined;
  const refusal = endpoint.refused(sent, { field, text: message }, settings.unsupported === "drop");
  if (refusal === undefined) return undefined;
  const facts = { status, text: message };
  if ("adapted" in refusal) return failure(speaker, { ...facts, retryable: true });
  return failure(speaker, {
    ...facts,
    scope: "stop",
    fix: `the endpoint takes no ${refusal.needed}: --unsupported drop leaves it out, and tables say so`,
  });
}

import type { ModelError } from "../errors.js";
import type { Json, ModelReply, ModelRequest, ProviderSettings } from "../types.js";
import type { Endpoint } from "./endpoint.js";
import { failure, type Speaker } from "./failure.js";
import { fieldsOf } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/** What was sent, and to what. */
interface Attempt {
  readonly sent: Readonly<Record<string, Json>>;
  readonly endpoint: Endpoint;
  readonly settings: Pick<ProviderSettings, "unsupported">;
}

/**
 * What a refusal (400, 422) that names a field of the body comes to: an error that another try follows at once, written
 * otherwise; or the end of the run, where parameters that change replies would have to be left out and `--unsupported` does
 * not allow it. Undefined for every other failure.
 */
export function refusalOf(speaker: Speaker, thrown: unknown, attempt: Attempt): ModelError | undefined {
  const { sent, endpoint, settings } = attempt;
  if (!(thrown instanceof Error)) return undefined;
  const { status, param, message } = thrown as Error & { readonly status?: number; readonly param?: unknown };
  if (status !== 400 && status !== 422) return undefined;
  const field = typeof param === "string" ? param : undefined;
  const refusal = endpoint.refused(sent, { status, field, text: message }, settings.unsupported ?? "first");
  if (refusal === undefined) return endOfSearch(speaker, endpoint);
  if ("adapted" in refusal) return failure(speaker, { status, text: message, retryable: true });
  return needsAll(speaker, refusal.needed, endpoint.needed?.first ?? { status, text: message });
}

/**
 * The reply that an error of content moderation stands for: a refusal of this one question. OpenRouter serves 403 with
 * `metadata.reasons` and bills nothing (its reference, Errors and debugging); Azure and OpenAI 400 with a code, and Azure bills the
 * prompt (Plan to manage costs for Azure OpenAI). Undefined for every other error.
 */
export function moderated(status: number | undefined, error: unknown, request: ModelRequest): ModelReply | undefined {
  const { code, message, metadata } = fieldsOf(error);
  const isFree = status === 403 && Array.isArray(fieldsOf(metadata).reasons);
  const isFiltered = FILTERED.has(String(code)) || (code === "invalid_prompt" && /usage policy/i.test(String(message)));
  if (!isFree && !(status === 400 && isFiltered)) return undefined;
  const none = { text: "", toolCalls: [] };
  const told = { out: 0, inHoldsCache: true, ...(isFree ? { billedUsd: 0 } : {}) };
  return { ...none, stop: "refusal", usage: readUsage(told, request, none), model: "" };
}

const FILTERED = new Set(["content_filter", "content_policy_violation"]);

/** The end of the run, naming every parameter that its endpoint refused and that it may not go without; undefined where there is none. */
export function endOfSearch(speaker: Speaker, { needed }: Endpoint): ModelError | undefined {
  return needed === undefined ? undefined : needsAll(speaker, needed.names, needed.first);
}

function needsAll(
  speaker: Speaker,
  names: readonly string[],
  { status, text }: { readonly status: number; readonly text: string },
): ModelError {
  const them = names.length === 1 ? "it" : "them";
  return failure(speaker, {
    status,
    text,
    scope: "stop",
    fix: `the endpoint takes no ${names.join(", ")}: --unsupported drop leaves ${them} out, and tables say so`,
  });
}

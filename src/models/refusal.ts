import type { ModelError } from "../errors.js";
import type { Json, ModelReply, ModelRequest } from "../types/index.js";
import { failure, type Speaker } from "./failure.js";
import { fieldsOf } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

type Body = Readonly<Record<string, Json>>;

/** The body without the fields that `model.omit` names. */
export const withoutFields = (body: Body, omit: readonly string[] = []): Body =>
  omit.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !omit.includes(name)));

/** Fields without which nothing can be asked. */
const NEEDED = new Set(["model", "messages", "input", "system", "tools", "tool_choice"]);

/** What servers say of a field that they do not take. Without such words a name in a text means something else. */
const REFUSES =
  /unsupported|not supported|(does ?n[o'’]t|do not) support|not (permitted|allowed|accepted)|unknown|unrecogni[sz]ed|unexpected|deprecated|only the default|extra (inputs|fields|keys)|extra_forbidden|must be (equal to )?1\b|use '?\w+'? instead/i;

/** The end of the run where a refusal (400, 422) names a field of the body that was sent. Undefined for every other failure. */
export function refusedField(speaker: Speaker, thrown: unknown, sent: Body): ModelError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, param, message } = thrown as Error & { readonly status?: number; readonly param?: unknown };
  if ((status !== 400 && status !== 422) || !REFUSES.test(message)) return undefined;
  const fields = Object.keys(sent).filter((name) => !NEEDED.has(name));
  const [told] = typeof param === "string" ? param.split(/[.[]/) : [];
  const field = fields.find((name) => name === told) ?? fields.find((name) => isNamed(message, name));
  if (field === undefined) return undefined;
  const fix = `use --set model.omit=${field} to leave it out`;
  return failure(speaker, { status, text: message, scope: "stop", fix });
}

const isNamed = (text: string, field: string): boolean =>
  new RegExp(`(^|[^\\w.])["'\`]?${field}["'\`]?($|[^\\w])`).test(text);

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

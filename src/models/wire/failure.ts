import { ModelError } from "../../errors.js";
import { type HeaderBag, retryAfterMs } from "../../net/retry.js";
import { redactor, withoutUrlSecrets } from "../../net/secrets.js";
import type { LimitHeaders } from "../../types/index.js";
import { readLimits } from "./limits.js";
import { fieldsOf } from "./reply.js";

/** Facts about an opened model for its error messages: names, secrets, billing and limit headers. */
export interface ModelAccess {
  /** `provider/model-id`. */
  readonly model: string;
  /** Name of the login in messages: an environment variable, or "the login". */
  readonly keyName: string;
  /** Removed from every message. */
  readonly secrets: readonly string[];
  /** True if the server is known to bill replies only. Others may have billed an error. */
  readonly billsRepliesOnly: boolean;
  readonly limitHeaders: LimitHeaders;
  /** True if a web page in the place of a reply is waited out: batches run for hours. */
  readonly pagesMayPass?: true;
}

export interface FailureFacts {
  /** HTTP status; absent where no complete reply came. */
  readonly status?: number | undefined;
  readonly headers?: HeaderBag | undefined;
  /** The parsed error object of the body. */
  readonly served?: unknown;
  /** Message of the provider or of the network. */
  readonly text: string;
  /** The provider's own error code or type. */
  readonly code?: string | undefined;
  readonly requestId?: unknown;
  /** The network's code where no reply came: `ECONNREFUSED`. */
  readonly network?: string | undefined;
  /** These override the rules for the status and the network's code. */
  readonly retryable?: boolean | undefined;
  readonly scope?: "call" | "stop" | undefined;
  readonly bill?: ModelError["bill"];
  readonly throttled?: boolean | undefined;
  /** Advice. Default: by the status. */
  readonly fix?: string | undefined;
}

/** Returns the ModelError of a failed call: decides whether to retry or to stop, and what to advise. All wires use it. */
export function failure(access: ModelAccess, given: FailureFacts): ModelError {
  const facts = redirected(ofPage(access, given));
  const { status = 0, headers, text } = facts;
  const words = [facts.code ?? "", text, ...quotasOf(facts.served)].join(" ");
  const fatal = fatalPatterns.find((one) => one.statuses.includes(status) && one.words.test(words));
  const scope = facts.scope ?? (STOPPING.has(status) || fatal !== undefined ? "stop" : "call");
  const mayPass = facts.retryable ?? mayRetry(facts.status, headers);
  const retryable = scope === "call" && mayPass;
  const isRefused = status === 400 || status === 422;
  const tooLong = status === 413 || (isRefused && TOO_LONG.test(text));
  const fix = facts.fix ?? fatal?.fix(access) ?? (tooLong ? SHOW_LESS : fixOf(access, status, scope));
  const quote = redactor(access.secrets).text(text).replace(/\s+/g, " ").trim().slice(0, LONGEST_QUOTE);
  const id = typeof facts.requestId === "string" ? facts.requestId.replace(/[^\x21-\x7e]/g, "?").slice(0, 100) : "";
  const code = status === 0 || quote.startsWith(String(status)) ? "" : `${status} `;
  const where = id === "" ? "" : ` (request id ${id})`;
  return new ModelError(`${access.model}: ${code}${quote}${where}${retryable || !fix ? "" : `; ${fix}`}`, {
    ...{ retryable, scope, status: facts.status, tooLong },
    bill: facts.bill ?? billOf(facts, access),
    throttled: retryable && (facts.throttled ?? THROTTLES.has(status)),
    retryAfterMs: retryAfterMs(headers ?? { get: () => undefined }, facts.served),
    limits: headers === undefined ? undefined : readLimits(headers, access.limitHeaders),
  });
}

/** Replaces the text of a web page by a description. With status 200 it is a login page, a proxy or a wrong address: the run stops. */
function ofPage({ pagesMayPass }: ModelAccess, facts: FailureFacts): FailureFacts {
  const { text, status } = facts;
  if (!isPage(text)) return facts;
  const [, title = ""] = /<title[^>]*>\s*([^<]*?)\s*</i.exec(text) ?? [];
  const said = { ...facts, text: `a web page in the place of JSON${title === "" ? "" : ` (${title})`}` };
  const mayPass = pagesMayPass === true || (status !== undefined && !STOPPING.has(status));
  return mayPass ? said : { ...said, scope: "stop", fix: CHECK_ADDRESS };
}

const CHECK_ADDRESS = "check the address (--base-url), the proxy in between and the login";

/** Tells whether a text is a web page; the SDKs put its status before it, and parsers name its first sign. */
export const isPage = (text: string): boolean =>
  /^\s*(\d{3}\s+)?(<!doctype|<!--|<\?xml|<(html|head|body|title|script|meta|center|h1|div)\b|Unexpected token '<')/i.test(
    text,
  );

/** A redirect is not followed: the key was not meant for another address. */
function redirected(facts: FailureFacts): FailureFacts {
  const { status = 0, headers } = facts;
  const target = status >= 300 && status < 400 ? headers?.get("location") : undefined;
  if (!target) return facts;
  return {
    ...facts,
    ...{ text: `the server redirects to ${withoutUrlSecrets(target)}`, scope: "stop", bill: "none" },
    fix: "no redirect is followed: if that address is right, give it as --base-url (baseUrl of an endpoint)",
  };
}

/** Returns the error of a body that is no reply. It is retried, unless it is a web page. */
export function malformed(access: ModelAccess, what: string, body: unknown): ModelError {
  if (typeof body === "string" && isPage(body)) return failure(access, { text: body, bill: "due" });
  const begins = body === undefined ? "" : `; it begins ${beginning(body)}`;
  return failure(access, { text: `malformed reply: ${what}${begins}`, retryable: true, bill: "due" });
}

/** Returns the first few thousand characters of a body, as JSON. Redact it before cutting it further: half a secret is not found. */
export function beginning(served: unknown): string {
  try {
    return (JSON.stringify(served) ?? "nothing").slice(0, 10 * LONGEST_QUOTE);
  } catch (error) {
    return `(nested too deep: ${String(error)})`;
  }
}

const LONGEST_QUOTE = 500;

/** Too many calls: of this account (429, RFC 6585), or of all (529, Anthropic). */
const THROTTLES: ReadonlySet<number> = new Set([429, 529]);

/** Refused before a model began: logins, unknown models, rate limits, overload. */
const UNBILLED: ReadonlySet<number> = new Set([401, 402, 403, 404, 429, 529]);

/** Not billed by providers that bill replies. Not 408 and 504: a model may have worked. */
const UNBILLED_AT_PROVIDERS: ReadonlySet<number> = new Set([400, 413, 422, 500, 502, 503]);

/** Nothing was sent: no connection, no such name, no socket. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EMFILE", "ENFILE"]);

function billOf({ status, network = "" }: FailureFacts, { billsRepliesOnly }: ModelAccess): ModelError["bill"] {
  if (status === undefined) return UNSENT.has(network) ? "none" : "unknown";
  return UNBILLED.has(status) || (billsRepliesOnly && UNBILLED_AT_PROVIDERS.has(status)) ? "none" : "due";
}

/** Statuses below 500 that are retried (RFC 9110, RFC 6585, RFC 8470). All from 500 on are. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Of a server that was started without this ability. */
const NOT_IMPLEMENTED = 501;

function mayRetry(status: number | undefined, headers: HeaderBag | undefined): boolean {
  const advice = headers?.get("x-should-retry");
  if (advice === "true" || advice === "false") return advice === "true";
  return status === undefined || (status >= 500 && status !== NOT_IMPLEMENTED) || PASSING.has(status);
}

/** No later call can succeed: refused login, no credit, unknown model. */
const STOPPING: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** Returns the names of Gemini's exceeded quotas (google.rpc.QuotaFailure): only they say whether a quota is per day. */
const quotasOf = (served: unknown): unknown[] =>
  [fieldsOf(served).details]
    .flat()
    .flatMap((detail) => fieldsOf(detail).violations)
    .map((violation) => fieldsOf(violation).quotaId);

const RAISE_LIMIT = "raise the account's limit or wait for it to renew, then run again to resume";
const CHECK_MODEL = "check the model id after the slash in --model, and --base-url";
const checkKey = ({ keyName }: ModelAccess): string => `check ${keyName} and what it may use`;

/** Messages that stop the run although their status does not. The first match counts. */
const fatalPatterns: readonly {
  readonly statuses: readonly number[];
  readonly words: RegExp;
  fix(access: ModelAccess): string;
}[] = [
  {
    // OpenAI, Anthropic, Bedrock, Groq, Gemini. Gemini's "current quota" with "retry in N s" is a limit per minute
    statuses: [400, 429],
    words:
      /insufficient_quota|billing_(hard_limit|error)|spend[_ ]limit|credit balance|reached your specified (workspace )?api usage limits|exceeded your current quota(?![\s\S]*retry in \d+(\.\d+)?s\b)|(requests|tokens) per day|PerDay|daily (limit|quota)/i,
    fix: () => RAISE_LIMIT,
  },
  {
    statuses: [400, 422],
    words: /api[_ ]key[_ ](is )?(not valid|invalid)|(invalid|incorrect|malformed) api key/i,
    fix: checkKey,
  },
  {
    // LiteLLM's proxy: budgets of keys, users and teams (auth_checks.py), and keys that it cannot look up or does not have
    statuses: [400, 422, 429],
    words: /budget_exceeded|budget has been exceeded|(exceeded|crossed) (\w+ )?budget/i,
    fix: () => "raise the budget at the gateway or wait for it to renew, then run again to resume",
  },
  {
    statuses: [400, 422],
    words:
      /no connected db|no_db_connection|invalid proxy server token|virtual key expected|token_not_found_in_db|expired_key/i,
    fix: checkKey,
  },
  {
    // chat templates of Gemma and early Mistral (llama.cpp answers 500), Gemini's API for Gemma
    statuses: [400, 422, 500],
    words: /system role not supported|only user and assistant roles|developer instruction is not enabled/i,
    fix: () => "use --set model.system=fold, which puts the system prompt before the first message",
  },
  {
    // Bedrock; `global.` profiles are the cheapest
    statuses: [400],
    words: /on-demand throughput/i,
    fix: ({ model }) =>
      `it is served through inference profiles only: --model ${model.replace(/^(bedrock\/)?/, "$1global.")} (or us., eu., ... for a region)`,
  },
  {
    statuses: [400, 422],
    words:
      /not a valid model|model[ _]not[ _](exist|found)|model identifier is invalid|invalid model(?! (parameter|input|request))/i,
    fix: () => CHECK_MODEL,
  },
];

/** Server messages on a prompt that does not fit (OpenAI, Anthropic, Bedrock, vLLM, llama.cpp, TGI, Ollama). */
const TOO_LONG =
  /context[_ ](length|size|window)|maximum context|prompt is too long|(input|prompt|request) is too long|too many (input )?tokens|exceeds? the (available )?context|input length and .max_tokens. exceed|tokens .{0,40}must be <=|reduce the length/i;

/** Returns whether a failed call's message says that its prompt was too long. */
export const isTooLongText = (message: string): boolean => message.includes(SHOW_LESS);

const SHOW_LESS =
  "the prompt is too long for the model: show less (--set with a smaller rag.k, rag.maxTokens or events.maxWords, or --set history.limit=latest:N), or take a model with a longer context";

function fixOf(access: ModelAccess, status: number, scope: "call" | "stop"): string | undefined {
  if (status === 401 || status === 403) return checkKey(access);
  if (status === 404) return CHECK_MODEL;
  if (scope === "stop") return RAISE_LIMIT;
  if (status !== 400 && status !== 422) return undefined;
  return "if it names a parameter that the model does not take: --set model.omit=NAME";
}

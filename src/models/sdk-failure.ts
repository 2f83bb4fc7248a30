import { TooLongReply } from "../net/bounded-body.js";
import type { HeaderBag } from "../net/retry-after.js";
import { type FailureFacts, failure, malformed, type Speaker } from "./failure.js";

/**
 * Given to every SDK so that none falls back to a shorter limit of its own. The deadline that counts is the
 * retrying wrapper's: SDK timeouts cover the headers but not a stalled body (docs/MODELS.md, Retries).
 */
export const SDK_TIMEOUT_MS = 3_600_000;

/** What the errors of the Stainless SDKs (openai, @anthropic-ai/sdk) carry, told by shape: two SDKs, two class trees. */
interface SdkError extends Error {
  readonly status?: number;
  readonly headers?: HeaderBag;
  readonly error?: unknown;
  readonly code?: unknown;
  readonly errorCode?: unknown;
  readonly type?: unknown;
  readonly requestID?: string | null;
}

/**
 * The failure behind what an SDK call threw. An abort of `signal` comes back as its own reason;
 * `more` says what to do where the caller knows better. The SDK's error itself is not kept as the cause, because its text may echo a key.
 */
export function sdkFailure(
  speaker: Speaker,
  thrown: unknown,
  signal: AbortSignal,
  more: Pick<FailureFacts, "fix"> = {},
): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  if (thrown instanceof RangeError) return malformed(speaker, "nested too deep to be read", undefined);
  const error: SdkError = thrown;
  if (error.status === undefined && !isTransport(error)) return thrown;
  const facts: FailureFacts = {
    status: error.status,
    headers: error.headers,
    served: error.error,
    text: error.status === undefined ? transportText(error) : error.message,
    code: [error.code, error.errorCode, error.type].filter((part) => typeof part === "string").join(" "),
    requestId: error.requestID,
    network: networkCode(error),
    ...(error instanceof SyntaxError ? { bill: "due" } : {}),
    ...more,
  };
  return failure(speaker, facts);
}

/** Connection errors and timeouts of the SDK, a cut body, a body that is not JSON; anything else is a mistake of ours. */
function isTransport(error: Error): boolean {
  return /^API/.test(error.constructor.name) || error instanceof SyntaxError || "code" in error;
}

/** The code of the network's error, which SDKs keep as a cause. */
function networkCode(error: SdkError): string | undefined {
  const { code, cause } = error;
  if (typeof code === "string") return code;
  return cause instanceof Error ? networkCode(cause) : undefined;
}

function transportText(error: Error): string {
  if (error instanceof SyntaxError) return `malformed reply: ${error.message}`;
  const cause = error.cause instanceof Error ? error.cause : undefined;
  return cause === undefined ? error.message : `${error.message} ${cause.message || networkCode(error)}`; // of several addresses: a code only
}

/** What the errors of the AWS SDK carry, told by shape. */
interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly code?: unknown;
}

/** The failure behind what a Converse call threw. An abort of `signal` comes back as its own reason. */
export function bedrockFailure(speaker: Speaker, thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  if (thrown instanceof RangeError) return malformed(speaker, "nested too deep to be read", undefined);
  if (thrown instanceof TooLongReply) {
    const [text = ""] = thrown.message.split("\n"); // the SDK adds lines of its own
    return failure(speaker, { text, retryable: true });
  }
  const error: AwsError = thrown;
  const status = error.$metadata?.httpStatusCode;
  const broken = error instanceof SyntaxError;
  if (/Credential|TokenProvider/.test(error.name))
    return failure(speaker, { text: error.message, scope: "stop", bill: "none", fix: AWS_LOGIN });
  if (status === undefined && !broken && !("code" in error) && !TRANSPORT.has(error.name)) return thrown;
  const whole = status !== undefined && status >= 300;
  return failure(speaker, {
    status: whole ? status : undefined,
    headers: headersOf(error),
    text: broken ? `malformed reply: ${error.message}` : `${error.name}: ${error.message}`,
    code: error.name,
    requestId: error.$metadata?.requestId,
    network: typeof error.code === "string" ? error.code : undefined,
    ...(broken ? { bill: "due" } : {}),
    retryable: whole ? OWN_RULES[error.name] : true,
    ...(error.name === "ThrottlingException" ? { throttled: true } : {}),
    scope: error.name === "ServiceQuotaExceededException" ? "stop" : undefined,
  });
}

/** The ways to log in that need no file of ours. */
export const AWS_LOGIN =
  "set AWS_PROFILE (after `aws sso login`), AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK";

const TRANSPORT = new Set(["TimeoutError", "AbortError"]);

/** Where the name of an error says more than its status (Bedrock runtime API reference, Converse errors). */
const OWN_RULES: Readonly<Record<string, boolean>> = {
  ModelErrorException: true,
  ModelTimeoutException: true,
  ModelNotReadyException: true,
  ThrottlingException: true,
};

function headersOf(error: AwsError): HeaderBag | undefined {
  const headers = error.$response?.headers;
  return headers === undefined ? undefined : { get: (name) => headers[name] };
}

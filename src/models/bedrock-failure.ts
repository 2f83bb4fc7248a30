import { TooLongReply } from "../retry/bounded-body.js";
import type { HeaderBag } from "../retry/retry-after.js";
import { failure, malformed, type Speaker } from "./failure.js";

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

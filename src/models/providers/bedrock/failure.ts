import { failure, malformed, type Speaker } from "../../wire/failure.js";
import { AWS_LOGIN } from "./client.js";

/** What the errors of the AWS SDK carry, told by shape. */
interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly code?: unknown;
}

/** Returns the failure behind what a Converse call threw. An abort of `signal` comes back as its own reason. */
export function bedrockFailure(speaker: Speaker, thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  if (thrown instanceof RangeError) return malformed(speaker, "nested too deep to be read", undefined);
  const error: AwsError = thrown;
  const { name, message, code, $metadata = {}, $response } = error;
  if (/Credential|TokenProvider/.test(name))
    return failure(speaker, { text: message, scope: "stop", bill: "none", fix: AWS_LOGIN });
  const { httpStatusCode: status, requestId } = $metadata;
  const isBroken = error instanceof SyntaxError;
  const isTransport = "code" in error || name === "TimeoutError" || name === "AbortError";
  if (status === undefined && !isBroken && !isTransport) return thrown; // a mistake of ours
  const isWhole = status !== undefined && status >= 300;
  const headers = $response?.headers;
  return failure(speaker, {
    status: isWhole ? status : undefined,
    headers: headers && { get: (header) => headers[header] },
    text: isBroken ? `malformed reply: ${message}` : `${name}: ${message}`,
    code: name,
    requestId,
    network: typeof code === "string" ? code : undefined,
    ...(isBroken ? { bill: "due" } : {}),
    retryable: isWhole ? (PASSING.has(name) ? true : undefined) : true,
    throttled: name === "ThrottlingException" ? true : undefined,
    scope: name === "ServiceQuotaExceededException" ? "stop" : undefined,
  });
}

/** Where the name of an error says more than its status (Bedrock runtime API reference, Converse errors). */
const PASSING = new Set([
  "ModelErrorException",
  "ModelTimeoutException",
  "ModelNotReadyException",
  "ThrottlingException",
]);

import type https from "node:https";
import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime";
import { UsageError } from "../../../errors.js";
import type { ProviderSettings } from "../../../types/index.js";
import type { FailureFacts } from "../../wire/failure.js";
import { agentFor, serverAddress } from "../../wire/http.js";
import { SDK_TIMEOUT_MS } from "../../wire/sdk.js";

/** The variable that may name the address. */
export const ADDRESS = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME";

/** The ways to log in that need no file of ours. */
const AWS_LOGIN =
  "set AWS_PROFILE (after `aws sso login`), AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK";

const CONNECTION_TIMEOUT_MS = 10_000;

/** Returns the SDK's client and its one command. Both packages are loaded here. */
export async function openBedrockClient(region: string, settings: ProviderSettings) {
  const [{ BedrockRuntimeClient, ConverseCommand }, { NodeHttpHandler }] = await Promise.all([
    import("@aws-sdk/client-bedrock-runtime"),
    import("@smithy/node-http-handler"),
  ]);
  const endpoint = serverAddress(settings, ADDRESS);
  const url = new URL(endpoint ?? `https://bedrock-runtime.${region}.amazonaws.com`);
  const agent = await agentFor(url, settings.env, { keepAlive: true, maxSockets: settings.concurrency });
  const client = new BedrockRuntimeClient({
    region,
    maxAttempts: 1,
    ...loginOf(settings),
    ...(endpoint === undefined ? {} : { endpoint }),
    // the default handler opens a new TLS connection per call (docs/MODELS.md, Connections)
    requestHandler: new NodeHttpHandler({
      ...(url.protocol === "https:" ? { httpsAgent: agent as https.Agent } : { httpAgent: agent }),
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: SDK_TIMEOUT_MS,
      socketTimeout: SDK_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    }),
  });
  client.middlewareStack.add(
    (next) => (given) => {
      Object.assign((given.request as { headers: object }).headers, settings.endpoint?.headers);
      return next(given);
    },
    { name: "endpointHeaders", step: "build" },
  );
  return { client, ConverseCommand };
}

/** Returns a Bedrock API key, the environment's own keys, or (nothing set here) the SDK's default chain. */
function loginOf({ env }: ProviderSettings): Partial<BedrockRuntimeClientConfig> {
  if (env.AWS_BEARER_TOKEN_BEDROCK)
    return { token: { token: env.AWS_BEARER_TOKEN_BEDROCK }, authSchemePreference: ["httpBearerAuth"] };
  if (env.AWS_PROFILE) return { profile: env.AWS_PROFILE };
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey) return {};
  return { credentials: { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) } };
}

/**
 * Returns the parts of the login that must never be written down, as they are found: those of variables, and those that the SDK's
 * chain reads from files or is given by a service. Throws UsageError where there is no login; a dry run needs none.
 */
export async function loginSecrets(client: BedrockRuntimeClient, { env, sendsNothing }: ProviderSettings) {
  const ofEnv = [env.AWS_BEARER_TOKEN_BEDROCK, env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN];
  const secrets = ofEnv.flatMap((value) => value?.trim() || []);
  if (sendsNothing === true || env.AWS_BEARER_TOKEN_BEDROCK) return secrets;
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials();
    return [...secrets, accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
  } catch (error) {
    throw new UsageError(`provider bedrock: ${(error as Error).message.trim()} (${AWS_LOGIN})`);
  }
}

/** Fields of the AWS SDK's errors, told by shape. */
interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly code?: unknown;
}

/** Returns what an error of a Converse call says; undefined for one that is not of the SDK. */
export function awsFacts(error: AwsError): FailureFacts | undefined {
  const { name, message, code, $metadata = {}, $response } = error;
  if (/Credential|TokenProvider/.test(name)) return { text: message, scope: "stop", bill: "none", fix: AWS_LOGIN };
  const { httpStatusCode, requestId } = $metadata;
  const isTransport = error instanceof SyntaxError || "code" in error || /^(Timeout|Abort)Error$/.test(name);
  if (httpStatusCode === undefined && !isTransport) return undefined;
  const status = httpStatusCode !== undefined && httpStatusCode >= 300 ? httpStatusCode : undefined;
  const headers = $response?.headers;
  return {
    status,
    text: error instanceof SyntaxError ? message : `${name}: ${message}`,
    code: name,
    requestId,
    headers: headers && { get: (header) => headers[header] },
    network: typeof code === "string" ? code : undefined,
    retryable: status === undefined || PASSING.has(name) ? true : undefined,
    throttled: name === "ThrottlingException" ? true : undefined,
    scope: name === "ServiceQuotaExceededException" ? "stop" : undefined,
  };
}

/** Names of errors that say more than their status (Bedrock runtime API reference, Converse errors). */
const PASSING = new Set([
  "ModelErrorException",
  "ModelTimeoutException",
  "ModelNotReadyException",
  "ThrottlingException",
]);

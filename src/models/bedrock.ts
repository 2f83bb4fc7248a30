import type https from "node:https";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type {
  BedrockRuntimeClient,
  BedrockRuntimeClientConfig,
  ConverseCommandOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { UsageError } from "../errors.js";
import { MOST_REPLY_BYTES, tooLong } from "../net/bounded-body.js";
import type { Json, ModelRequest, Provider, ProviderSettings } from "../types/index.js";
import { serverAddress } from "./base-url.js";
import type { CacheSetting } from "./cache-marks.js";
import { capabilitiesOf } from "./capabilities.js";
import { claudeFamily } from "./claude.js";
import { type BedrockWire, toConverse } from "./convert-bedrock.js";
import { malformed, type Speaker } from "./failure.js";
import { agentFor } from "./http-fetch.js";
import { readConverse } from "./read-bedrock.js";
import { AWS_LOGIN, bedrockFailure, SDK_TIMEOUT_MS } from "./sdk-failure.js";

/** Any model of Amazon Bedrock through the Converse API. */
export const bedrock: Provider = {
  name: "bedrock",
  summary: "Amazon Bedrock, Converse API (AWS default credentials: environment, profile, SSO, OIDC; AWS_REGION)",
  async open(modelId, given) {
    const settings = withKeyOf(given);
    const region = regionOf(modelId, settings);
    const { client, ConverseCommand } = await clientOf(region, settings);
    if (settings.sendsNothing !== true && needsChain(settings)) await client.config.credentials().catch(refuseLogin);
    const id = `${settings.endpoint?.name ?? "bedrock"}/${modelId}`;
    const speaker: Speaker = {
      model: id,
      keyName: settings.endpoint?.keyEnv || `the AWS credentials in use for ${region}`,
      secrets: [...secrets(settings), ...(settings.endpoint?.secrets ?? [])],
      address: settings.baseUrl ?? settings.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME,
    };
    const wire = wireOf(modelId, settings.cache ?? "auto");
    const spoilt = new WeakSet<ModelRequest>();
    return {
      id,
      capabilities: wire.capabilities,
      simulated: false,
      noBatch:
        "Bedrock's need a bucket and a role of your account and are not built; cheaper there are its global. profiles, and its flex tier, which is not asked for",
      async complete(request, signal) {
        let output: ConverseCommandOutput;
        try {
          output = await client.send(new ConverseCommand(toConverse(request, wire)), { abortSignal: signal });
        } catch (thrown) {
          throw bedrockFailure(speaker, thrown, signal);
        }
        const reply = readConverse(output, request, modelId);
        if ("misfit" in reply) throw malformed(speaker, reply.misfit, output);
        const reason = String(output.stopReason);
        if (!reason.startsWith("malformed_") || spoilt.has(request)) return reply;
        spoilt.add(request); // another try often brings a whole one; the second is taken as it is
        throw malformed(speaker, `stopReason: ${reason}`, output);
      },
    };
  },
};

const CONNECTION_TIMEOUT_MS = 10_000;

/** The SDK's client, loaded when it is needed. */
async function clientOf(region: string, settings: ProviderSettings) {
  const [{ BedrockRuntimeClient, ConverseCommand }, { NodeHttpHandler }] = await Promise.all([
    import("@aws-sdk/client-bedrock-runtime"),
    import("@smithy/node-http-handler"),
  ]);
  const endpoint = serverAddress(settings, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME");
  const url = new URL(endpoint ?? `https://bedrock-runtime.${region}.amazonaws.com`);
  const agent = await agentFor(url, settings.env, { keepAlive: true, maxSockets: settings.concurrency });
  const client = new BedrockRuntimeClient({
    region,
    maxAttempts: 1,
    ...credentials(settings),
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
  boundReplies(client);
  client.middlewareStack.add(
    (next) => (given) => {
      Object.assign((given.request as { headers: object }).headers, settings.endpoint?.headers);
      return next(given);
    },
    { name: "endpointHeaders", step: "build" },
  );
  return { client, ConverseCommand };
}

function regionOf(modelId: string, { env, sendsNothing }: ProviderSettings): string {
  const region =
    /^arn:[^:]*:bedrock:([a-z0-9-]+):/.exec(modelId)?.[1] ?? (env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim());
  if (region && /^[a-z0-9-]+$/.test(region)) return region;
  if (region) throw new UsageError(`AWS_REGION ${region}: not a region; write it like us-east-1`);
  if (sendsNothing === true) return "us-east-1"; // any will do
  throw new UsageError("provider bedrock: no region: set AWS_REGION, for example AWS_REGION=us-east-1");
}

/** The variable that an endpoint names stands in the place of the Bedrock API key's. */
function withKeyOf(settings: ProviderSettings): ProviderSettings {
  const { endpoint, env, sendsNothing } = settings;
  if (!endpoint?.keyEnv) return settings;
  const key = env[endpoint.keyEnv]?.trim();
  if (!key && sendsNothing !== true)
    throw new UsageError(`endpoint ${endpoint.name}: ${endpoint.keyEnv} is not set; set it`);
  return { ...settings, env: { ...env, AWS_BEARER_TOKEN_BEDROCK: key } };
}

/** A Bedrock API key, the environment's own keys, or (nothing set here) the SDK's default chain. */
function credentials({ env }: ProviderSettings): Partial<BedrockRuntimeClientConfig> {
  if (env.AWS_BEARER_TOKEN_BEDROCK)
    return { token: { token: env.AWS_BEARER_TOKEN_BEDROCK }, authSchemePreference: ["httpBearerAuth"] };
  if (env.AWS_PROFILE) return { profile: env.AWS_PROFILE };
  if (!env.AWS_ACCESS_KEY_ID || !env.AWS_SECRET_ACCESS_KEY) return {};
  return {
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
      ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {}),
    },
  };
}

/** True when only the SDK's default chain can tell whether there is a login: it is asked before the first call. */
function needsChain({ env }: ProviderSettings): boolean {
  return (
    !env.AWS_BEARER_TOKEN_BEDROCK && (Boolean(env.AWS_PROFILE) || !(env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY))
  );
}

function refuseLogin(error: Error): never {
  throw new UsageError(`provider bedrock: ${error.message.trim()} (${AWS_LOGIN})`);
}

function secrets({ env }: ProviderSettings): string[] {
  const values = [
    env.AWS_BEARER_TOKEN_BEDROCK,
    env.AWS_ACCESS_KEY_ID,
    env.AWS_SECRET_ACCESS_KEY,
    env.AWS_SESSION_TOKEN,
  ];
  return values.filter((value) => value !== undefined);
}

function wireOf(modelId: string, cache: CacheSetting): BedrockWire {
  const capabilities = capabilitiesOf("bedrock", modelId);
  if (!modelId.includes("anthropic.claude-")) return { modelId, capabilities, cache };
  const { thinking, effort } = claudeFamily(modelId);
  const extra: { readonly [name: string]: Json } = {
    ...(thinking === undefined ? {} : { thinking: { type: thinking } }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
  return { modelId, capabilities, cache, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

/** Lets a client of the AWS SDK read no reply beyond what any has: its call then fails with `TooLongReply`. */
function boundReplies({ middlewareStack }: BedrockRuntimeClient): void {
  middlewareStack.add(
    (next) => async (given) => {
      const output = await next(given);
      const response = output.response as { body?: unknown }; // of the handler: Node's own
      if (response.body instanceof Readable) response.body = bounded(response.body);
      return output;
    },
    { name: "boundReplies", step: "deserialize", priority: "low" }, // before the SDK's own reading
  );
}

function bounded(body: Readable): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > MOST_REPLY_BYTES) done(tooLong(MOST_REPLY_BYTES));
      else done(null, chunk);
    },
  });
  pipeline(body, counted).catch((error: Error) => counted.destroy(error)); // who reads it is told
  return counted;
}

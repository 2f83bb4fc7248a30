import { UsageError } from "../../../errors.js";
import type { ModelRequest, Provider, ProviderPrices, ProviderSettings } from "../../../types/index.js";
import type { ModelAccess } from "../../wire/failure.js";
import { billsRepliesOnly, wellFormedJson } from "../../wire/http.js";
import { readWhole, thrownFailure } from "../../wire/sdk.js";
import { claudePrices } from "../anthropic/prices.js";
import { ADDRESS, awsFacts, loginSecrets, openBedrockClient } from "./client.js";
import { jsonOf, onConverse, readConverse, toConverse } from "./converse.js";

/** Claude costs what it does at Anthropic; where ids name a region, or none, 1.1 times that of `global.`. */
const prices: ProviderPrices = {
  rows: claudePrices("bedrock"),
  listed(modelId) {
    const [whole = "", region] = /^(?:(global|us|eu|jp|au|apac|us-gov)\.)?anthropic\./.exec(modelId) ?? [];
    return {
      model: modelId.slice(whole.length).replace(/-v\d+(:\d+)?$/, ""),
      factor: whole === "" || region === "global" ? 1 : 1.1,
    };
  },
};

/** Any model of Amazon Bedrock through the Converse API, which tells nothing of limits. */
export const bedrock: Provider = {
  name: "bedrock",
  summary: "Amazon Bedrock, Converse API (AWS default credentials: environment, profile, SSO, OIDC; AWS_REGION)",
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"],
  addressVariable: ADDRESS,
  prices,
  async open(modelId, given) {
    const settings = withKeyOf(given);
    const { env, endpoint, baseUrl = env[ADDRESS], cache = "auto" } = settings;
    const region = regionOf(modelId, settings);
    const { client, ConverseCommand } = await openBedrockClient(region, settings);
    const secrets = await loginSecrets(client, settings);
    const id = `${endpoint?.name ?? "bedrock"}/${modelId}`;
    const access: ModelAccess = {
      model: id,
      keyName: endpoint?.keyEnv || `the AWS credentials in use for ${region}`,
      secrets: [...secrets, ...(endpoint?.secrets ?? [])],
      billsRepliesOnly: billsRepliesOnly(baseUrl, [/\.amazonaws\.com$/]),
      limitHeaders: [],
    };
    return {
      id,
      capabilities: onConverse(modelId),
      simulated: false,
      secrets,
      noBatch: "batches need a bucket and a role of your account; a global. inference profile is cheaper",
      async complete(request, signal) {
        let output: unknown;
        try {
          const sent = JSON.parse(wellFormedJson(JSON.stringify(request))) as ModelRequest; // a request is JSON
          const command = new ConverseCommand(toConverse(sent, modelId, cache));
          output = jsonOf(await client.send(command, { abortSignal: signal }));
        } catch (thrown) {
          throw thrownFailure(access, thrown, signal, awsFacts);
        }
        return readWhole(access, output, (body) => readConverse(body, request, modelId));
      },
    };
  },
};

function regionOf(modelId: string, { env, sendsNothing }: ProviderSettings): string {
  const [, ofArn] = /^arn:[^:]*:bedrock:([a-z0-9-]+):/.exec(modelId) ?? [];
  const region = ofArn ?? (env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim());
  if (region && /^[a-z0-9-]+$/.test(region)) return region;
  if (region) throw new UsageError(`AWS_REGION ${region}: not a region; write it like us-east-1`);
  if (sendsNothing === true) return "us-east-1"; // any will do
  throw new UsageError("provider bedrock: no region: set AWS_REGION, for example AWS_REGION=us-east-1");
}

/** Returns the settings with the variable that an endpoint names in the place of the Bedrock API key's. */
function withKeyOf(settings: ProviderSettings): ProviderSettings {
  const { endpoint, env, sendsNothing } = settings;
  if (!endpoint?.keyEnv) return settings;
  const key = env[endpoint.keyEnv]?.trim();
  if (!key && sendsNothing !== true)
    throw new UsageError(`endpoint ${endpoint.name}: ${endpoint.keyEnv} is not set; set it`);
  return { ...settings, env: { ...env, AWS_BEARER_TOKEN_BEDROCK: key } };
}

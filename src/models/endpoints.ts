import * as z from "zod";
import { UsageError } from "../errors.js";
import { isSecretName, withoutUrlSecrets } from "../net/secrets.js";
import { suggest } from "../registry/registry.js";
import { defined } from "../text/json.js";
import type { EndpointFacts, OpenaiApi, Provider, ProviderSettings, Registry } from "../types/index.js";
import { allQuirks } from "./providers/openai/quirks.js";
import { sendableKey } from "./wire/http.js";

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "expected the name of a variable");
const perMinute = z.number().positive().optional();

export const openaiApis = ["auto", "chat", "responses", "completions"] as const satisfies readonly OpenaiApi[];

/** A server that a config names. */
const endpointSchema = z.strictObject({
  /** The provider whose protocol it speaks: `openai`, `anthropic`, `bedrock`. */
  provider: z.string(),
  /** Its address. Absent: the provider's own. */
  baseUrl: z.url().optional(),
  /** The variable that holds its key. Absent: no key is sent to a `baseUrl`, the usual one to the provider's own. */
  keyEnv: variable.optional(),
  /** Sent with every call; a value may be taken from a variable, and a secret one must. */
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "expected the name of a header"),
      z.union([z.string().regex(/^[\x20-\x7e]*$/, "expected ASCII"), z.strictObject({ env: variable })]),
    )
    .optional(),
  /** Of OpenAI's protocols. `auto`: as its address says. */
  api: z.enum(openaiApis).optional(),
  /** Rules of the server, by name (docs/MODELS.md). Absent: as its address says. */
  quirks: z.string().optional(),
  /** Requests, input and output tokens a minute. Absent: as the server's headers say. */
  rpm: perMinute,
  itpm: perMinute,
  otpm: perMinute,
  /** Most calls in flight. */
  concurrency: z.int().positive().max(1000).optional(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const endpointsSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits and .-_"),
  endpointSchema,
);
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** The fields of endpoints that decide replies, as a log keeps them: no key, no limits. */
type PlannedEndpoints = Record<string, Pick<Endpoint, "provider" | "baseUrl" | "api" | "quirks">>;

/** A registry that names are looked up in. */
type Known<P> = Pick<Registry<P & { readonly name: string }>, "names" | "find" | "get">;

/**
 * Reads `NAME/model-id`, NAME being an endpoint or a provider; the id may hold slashes. Throws UsageError, with `where` in front, on
 * another form and on a name that is neither.
 */
export function readModelName<P>(id: string, endpoints: Endpoints, providers: Known<P>, where = "--model") {
  const slash = id.indexOf("/");
  const name = id.slice(0, slash);
  const modelId = id.slice(slash + 1);
  const named = Object.keys(endpoints);
  const ownNames = named.length === 0 ? "" : `endpoints: ${named.join(", ")}; `;
  const list = `${ownNames}providers: ${providers.names.join(", ")}`;
  if (slash <= 0 || modelId === "") throw new UsageError(`${where} ${id}: expected provider/model-id; ${list}`);
  const endpoint = endpointOf(endpoints, id);
  const address = LIKE_OPENAI.get(name.toLowerCase());
  if (endpoint === undefined && address !== undefined && providers.find(name) === undefined)
    throw new UsageError(`${where} ${id}: no provider "${name}"; use ${where} openai/${modelId} --base-url ${address}`);
  if (endpoint === undefined && named.length > 0 && providers.find(name) === undefined) {
    const hint = suggest(name, [...named, ...providers.names]);
    throw new UsageError(`${where} ${id}: no endpoint or provider "${name}"${hint}; ${list}`);
  }
  if (endpoint === undefined) return { name, modelId, provider: providers.get(name, `${where} ${id}`) };
  return { name, modelId, provider: providers.get(endpoint.provider, `endpoints.${name}.provider`), endpoint };
}

/** Servers that speak OpenAI's protocol, by names that people try, as their documentation has them on 2026-11-28. */
const LIKE_OPENAI: ReadonlyMap<string, string> = new Map([
  ["ollama", "http://localhost:11434/v1"],
  ["vllm", "http://localhost:8000/v1"],
  ["lmstudio", "http://localhost:1234/v1"],
  ["llama.cpp", "http://localhost:8080/v1"],
  ["gemini", "https://generativelanguage.googleapis.com/v1beta/openai"],
  ["google", "https://generativelanguage.googleapis.com/v1beta/openai"],
  ["mistral", "https://api.mistral.ai/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["groq", "https://api.groq.com/openai/v1"],
  ["together", "https://api.together.xyz/v1"],
  ["deepseek", "https://api.deepseek.com/v1"],
]);

/** Returns the endpoint that a model names; undefined if it names a provider. */
export function endpointOf<E>(endpoints: Readonly<Record<string, E>>, modelId: string): E | undefined {
  const name = modelId.slice(0, modelId.indexOf("/"));
  return Object.hasOwn(endpoints, name) ? endpoints[name] : undefined; // not `constructor`
}

/** Throws UsageError on an endpoint with the name of a provider, an unknown provider or quirks, a simulated provider, or a secret. */
export function checkEndpoints(endpoints: Endpoints, providers: Known<Provider>): void {
  for (const [name, { provider, quirks, headers = {} }] of Object.entries(endpoints)) {
    const secret = Object.keys(headers).find((one) => typeof headers[one] === "string" && isSecretName(one));
    if (secret !== undefined)
      throw new UsageError(
        `endpoints.${name}.headers.${secret}: a secret does not belong into a config; write { env: NAME }, the variable that holds it`,
      );
    if (quirks !== undefined) allQuirks.get(quirks, `endpoints.${name}.quirks`);
    if (providers.find(name) !== undefined)
      throw new UsageError(`endpoints.${name}: that is a provider's name; choose another`);
    if (providers.get(provider, `endpoints.${name}.provider`).simulated === true)
      throw new UsageError(`endpoints.${name}.provider ${provider}: it asks no server`);
  }
}

/** Shortest word of a literal header value that is redacted; shorter ones may stand in ordinary text. */
const SHORTEST_TOKEN = 12;

/** Returns the facts of an endpoint that its provider needs. Throws UsageError on a variable that is not set. */
export function endpointFacts(
  name: string,
  { headers: given = {}, keyEnv, baseUrl }: Endpoint,
  { env, sendsNothing }: Pick<ProviderSettings, "env" | "sendsNothing">,
): EndpointFacts {
  const headers = Object.entries(given).map(([header, value]): [header: string, value: string, secrets: string[]] => {
    if (typeof value === "string")
      return [header, value, value.split(" ").filter((word) => word.length >= SHORTEST_TOKEN)];
    const secret = env[value.env]?.trim() ?? "";
    if (secret === "" && sendsNothing !== true)
      throw new UsageError(`endpoint ${name}: ${value.env} is not set; set it (headers.${header})`);
    return [header, secret, [sendableKey(secret, value.env)]];
  });
  return {
    name,
    keyEnv: keyEnv ?? (baseUrl === undefined ? undefined : ""), // the usual key is not sent to other servers
    headers: Object.fromEntries(headers),
    secrets: headers.flatMap(([, , secrets]) => secrets),
  };
}

/** Returns the variables that endpoints take keys and headers from. */
export const variablesOf = (endpoints: Endpoints): string[] =>
  Object.values(endpoints).flatMap(({ keyEnv = [], headers = {} }) => [
    ...[keyEnv].flat(),
    ...Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : value.env)),
  ]);

/** Returns the endpoints that these models name, as a plan keeps them; undefined where they name none. */
export function plannedEndpoints(models: readonly string[], endpoints: Endpoints): PlannedEndpoints | undefined {
  const names = new Set(models.filter((id) => endpointOf(endpoints, id)).map((id) => id.slice(0, id.indexOf("/"))));
  const planned = [...names].sort().map((name): [string, PlannedEndpoints[string]] => {
    const { provider, baseUrl, api, quirks } = endpoints[name]!; // filtered
    return [name, { provider, ...defined({ baseUrl: baseUrl && withoutUrlSecrets(baseUrl), api, quirks }) }];
  });
  return planned.length === 0 ? undefined : Object.fromEntries(planned);
}

import http from "node:http";
import https from "node:https";
import { UsageError } from "../../errors.js";
import { MOST_REPLY_BYTES, tooLong } from "../../net/deadline.js";
import { shownAddress } from "../../net/secrets.js";
import type { ProviderSettings } from "../../types/index.js";

/** The part of the fetch interface that the SDKs call. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

type Environment = ProviderSettings["env"];

/**
 * Returns a `fetch` over node:http keep-alive agents: at most `maxSockets` connections, through the proxy that `env` names, no 300 s
 * limit of its own, the body read to its end before it resolves, and less CPU per call than Node's fetch. It follows no redirects.
 * Rejects on network errors, cut bodies, abort, and bodies beyond any reply's size.
 */
export function keepAliveFetch(
  maxSockets: number,
  env: Environment = {},
  onResponse?: ProviderSettings["onResponse"],
): Fetch {
  const agents = new Map<string, Promise<http.Agent>>();
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const opened = agents.get(url.origin) ?? agentFor(url, env, { keepAlive: true, maxSockets });
    agents.set(url.origin, opened);
    if (init.body && typeof init.body !== "string") throw new TypeError("keepAliveFetch sends text bodies only");
    const body = init.body ? wellFormedJson(init.body as string) : undefined;
    const headers: http.OutgoingHttpHeaders = { "accept-encoding": "identity" };
    for (const [name, value] of new Headers(init.headers)) headers[name] = value;
    if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
    const { method = "GET", signal } = init;
    const options = { method, agent: await opened, headers, ...(signal ? { signal } : {}) };
    const send = url.protocol === "https:" ? https.request : http.request;
    const most = body === undefined ? MOST_FETCHED_BYTES : MOST_REPLY_BYTES;
    const response = await exchanged(send(url, options), body, most);
    onResponse?.(response.status, response.headers);
    return response;
  };
}

/**
 * Returns JSON with U+FFFD for each half of a surrogate pair, which no UTF-8 has and providers refuse. `JSON.stringify` writes such halves,
 * and no other characters above the ASCII ones, as escapes.
 */
export const wellFormedJson = (json: string): string =>
  json.includes("\\ud") ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\\ufffd") : json;

/** Largest body of a GET, such as the results of a batch: the length limit of a JavaScript string. */
const MOST_FETCHED_BYTES = 480 * 1024 * 1024;

/** Statuses whose replies have no body (Fetch standard). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function exchanged(request: http.ClientRequest, body: string | undefined, most: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.once("response", (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > most) incoming.destroy(tooLong(most));
        else chunks.push(chunk);
      });
      incoming.once("error", reject);
      incoming.once("end", () => {
        const { statusCode: status = 0 } = incoming;
        const whole = Buffer.concat(chunks);
        if (status < 200 || status > 599)
          reject(new Error(`the server answered with status ${status}, which no reply has`));
        else
          resolve(new Response(BODILESS.has(status) ? null : whole, { status, headers: headersOf(incoming, whole) }));
      });
    });
    request.end(body);
  });
}

/** Returns the headers, with a content type of JSON for a JSON body: some gateways say text/html, and the SDKs would not parse it. */
function headersOf({ rawHeaders: raw }: http.IncomingMessage, bytes: Buffer): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  const isOther = !/json|event-stream/i.test(headers.get("content-type") ?? "");
  if (isOther && /^\s*[[{]/.test(bytes.toString("latin1", 0, 1024))) headers.set("content-type", "application/json");
  return headers;
}

/** Returns an agent for one address: through the proxy of the environment where one applies. */
export async function agentFor(url: URL, env: Environment, options: http.AgentOptions): Promise<http.Agent> {
  const isSecure = url.protocol === "https:";
  const proxy = isDirect(url, env) ? undefined : proxiesOf(env)[isSecure ? "https" : "http"];
  if (proxy === undefined) return isSecure ? new https.Agent(options) : new http.Agent(options);
  return isSecure
    ? new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, options)
    : new (await import("http-proxy-agent")).HttpProxyAgent(proxy, options);
}

/** Returns the proxies for addresses of either kind. Throws UsageError naming the variable that holds no address. */
export function proxiesOf(env: Environment): { readonly http: string | undefined; readonly https: string | undefined } {
  return { http: addressIn(env, "HTTP_PROXY"), https: addressIn(env, "HTTPS_PROXY") };
}

/** Returns the hosts that need no proxy: those of NO_PROXY, and this machine. */
export const directHosts = (env: Environment): string[] =>
  [...(variableIn(env, "NO_PROXY") ?? "").split(/[\s,]+/), "localhost", "127.0.0.1", "[::1]"].filter(
    (one) => one !== "",
  );

/** Returns the value of a variable. Lower-case names come first, as for curl. */
const variableIn = (env: Environment, name: string): string | undefined =>
  env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;

function addressIn(env: Environment, name: string): string | undefined {
  const value = variableIn(env, name);
  if (value === undefined) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new UsageError(`${name} ${shownAddress(value)}: not the address of a proxy; write it like http://proxy:8080`);
}

/** Tells whether NO_PROXY names an address. Entries: `*`, a host, or a domain (`.corp`, `*.corp`, `corp`), each with or without a port. */
function isDirect({ hostname, port, protocol }: URL, env: Environment): boolean {
  return directHosts(env).some((entry) => {
    const [, name = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const isPort = only === undefined || only === (port || (protocol === "https:" ? "443" : "80"));
    return entry === "*" || (isPort && (hostname === name || hostname.endsWith(`.${name}`)));
  });
}

/** Returns the client settings of a base URL: the SDKs put paths behind it, so its query goes with every request by itself. */
export function clientUrl(address: string): { baseURL: string; defaultQuery: Record<string, string> } {
  const url = new URL(address);
  const defaultQuery = Object.fromEntries(url.searchParams);
  return { baseURL: url.search === "" ? address : address.replace(/[?#].*$/, ""), defaultQuery };
}

/** Returns `baseUrl`, as `flag` gave it, else what the variable holds; undefined where neither is set. Throws UsageError naming which is no address. */
export function serverAddress(
  { baseUrl, env }: Pick<ProviderSettings, "baseUrl" | "env">,
  variable: string,
  flag = "--base-url",
): string | undefined {
  const given = baseUrl ?? env[variable];
  const url = given?.trim();
  if (given === undefined || url === undefined) return undefined;
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  const from = baseUrl === undefined ? variable : flag;
  throw new UsageError(`${from} ${shownAddress(given)}: not a URL; write it like http://localhost:8000/v1`);
}

/** Tells whether a server bills replies only: the provider's own hosts (`known`), and local servers. */
export function billsRepliesOnly(address: string | undefined, known: readonly RegExp[]): boolean {
  if (address === undefined) return true;
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return [LOCAL, ...known].some((hosts) => hosts.test(hostname));
}

/** This machine, and private networks (RFC 1918). */
const LOCAL = /^(localhost|127\..+|\[::1\]|10\..+|192\.168\..+|172\.(1[6-9]|2\d|3[01])\..+)$/;

/** Returns a key as headers can carry it. Throws UsageError naming its variable, and never the key. */
export function sendableKey(key: string, variable: string): string {
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  throw new UsageError(
    `${variable}: holds characters that no key has (not ASCII, or a line break); copy the key again`,
  );
}

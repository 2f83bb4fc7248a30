import http from "node:http";
import https from "node:https";
import { UsageError } from "../errors.js";
import { MOST_REPLY_BYTES, tooLong } from "../net/bounded-body.js";
import { shownAddress } from "../net/url.js";
import type { ProviderSettings } from "../types/index.js";

/** The part of the fetch interface that the SDKs call. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` over node:http keep-alive agents: at most `maxSockets` connections, through the proxy that `env` names, no 300 s limit of its own,
 * the body read to its end before it resolves, and less CPU per call than Node's fetch (docs/MODELS.md, Connections).
 * Rejects on network errors, cut bodies, abort, and bodies beyond any reply's size. Follows no redirects.
 */
export function keepAliveFetch(
  maxSockets: number,
  onResponse?: (status: number, headers: Headers) => void,
  env: ProviderSettings["env"] = {},
): Fetch {
  const agents = new Map<string, Promise<http.Agent>>();
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const opened = agents.get(url.origin) ?? agentFor(url, env, { keepAlive: true, maxSockets });
    agents.set(url.origin, opened);
    const agent = await opened;
    const send = url.protocol === "https:" ? https.request : http.request;
    const body = textBody(init.body);
    const headers: http.OutgoingHttpHeaders = { "accept-encoding": "identity" };
    const given = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    for (const [name, value] of given) headers[name] = value;
    if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
    const signal = init.signal ?? undefined;
    const asked = { method: init.method ?? "GET", agent, headers, ...(signal ? { signal } : {}) };
    const most = body === undefined ? MOST_FETCHED_BYTES : MOST_REPLY_BYTES;
    for (;;) {
      try {
        const { status, headers, bytes } = await exchanged(send(url, asked), body, most);
        onResponse?.(status, headers);
        return new Response(BODILESS.has(status) ? null : bytes, { status, headers });
      } catch (error) {
        const open = Object.values(agent.sockets).reduce((sum, list) => sum + (list?.length ?? 0), 0);
        if (!/^E[MN]FILE$/.test(String(Object(error).code)) || open <= 1) throw error;
        agent.maxSockets = Math.floor(open / 2); // the rest is for files; the call waits for one of these
      }
    }
  };
}

/** Sends a request. Gives its answer, the body read to its end. */
function exchanged(
  request: http.ClientRequest,
  body: string | undefined,
  most: number,
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.once("response", (incoming) => {
      const { statusCode: status = 0 } = incoming;
      if (status < 200 || status > 599)
        incoming.destroy(new Error(`the server answered with status ${status}, which no reply has`));
      collect(incoming, most).then((bytes) => resolve({ status, headers: headersOf(incoming, bytes), bytes }), reject);
    });
    request.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      reject(new Error(`the server answered with status ${statusCode} and left HTTP`));
    });
    request.end(body);
  });
}

/** Statuses whose replies have no body (Fetch standard). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function textBody(body: RequestInit["body"]): string | undefined {
  if (body === null || body === undefined || typeof body === "string") return body ?? undefined;
  throw new TypeError("keepAliveFetch sends text bodies only");
}

/** What is only fetched may be the results of a whole batch: as much as one text can hold. */
const MOST_FETCHED_BYTES = 480 * 1024 * 1024;

function collect(incoming: http.IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) incoming.destroy(tooLong(most));
      else chunks.push(chunk);
    });
    incoming.once("error", reject);
    incoming.once("end", () => resolve(Buffer.concat(chunks)));
  });
}

/** JSON is called so: some gateways send it as text/plain, and the SDKs then parse nothing. */
function headersOf(incoming: http.IncomingMessage, bytes: Buffer): Headers {
  const raw = incoming.rawHeaders;
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  const isOther = !/json|html|event-stream/i.test(headers.get("content-type") ?? "");
  if (isOther && /^\s*[[{]/.test(bytes.toString("latin1", 0, 1024))) headers.set("content-type", "application/json");
  return headers;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** An agent for one address: through the proxy of the environment where one applies. */
export async function agentFor(url: URL, env: Environment, options: http.AgentOptions): Promise<http.Agent> {
  const isSecure = url.protocol === "https:";
  const proxy = isDirect(url, env) ? undefined : proxiesOf(env)[isSecure ? "https" : "http"];
  if (proxy === undefined) return isSecure ? new https.Agent(options) : new http.Agent(options);
  return isSecure
    ? new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, options)
    : new (await import("http-proxy-agent")).HttpProxyAgent(proxy, options);
}

/** The proxies for addresses of either kind. Throws UsageError naming the variable that holds no address. */
export function proxiesOf(env: Environment): { readonly http: string | undefined; readonly https: string | undefined } {
  return { http: addressIn(env, "HTTP_PROXY"), https: addressIn(env, "HTTPS_PROXY") };
}

/** Hosts that are asked without a proxy: those of NO_PROXY, and always this machine. */
export const directHosts = (env: Environment): string[] =>
  [...(held(env, "NO_PROXY") ?? "").split(/[\s,]+/), "localhost", "127.0.0.1", "[::1]"].filter((one) => one !== "");

/** The small letters count first, as for curl. */
const held = (env: Environment, name: string): string | undefined =>
  env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;

function addressIn(env: Environment, name: string): string | undefined {
  const value = held(env, name);
  if (value === undefined) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new UsageError(`${name} ${shownAddress(value)}: not the address of a proxy; write it like http://proxy:8080`);
}

/** An entry is `*`, a host, or a domain with all below it (`.corp`, `*.corp`, `corp`), with or without a port. */
function isDirect({ hostname, port, protocol }: URL, env: Environment): boolean {
  return directHosts(env).some((entry) => {
    const [, name = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const isPort = only === undefined || only === (port || (protocol === "https:" ? "443" : "80"));
    return entry === "*" || (isPort && (hostname === name || hostname.endsWith(`.${name}`)));
  });
}

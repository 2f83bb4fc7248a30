import http from "node:http";
import https from "node:https";
import { UsageError } from "../errors.js";
import { shownAddress } from "../secrets/url.js";

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

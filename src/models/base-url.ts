import { UsageError } from "../errors.js";
import { shownAddress } from "../net/url.js";

/** The client settings of a base URL: the SDKs put paths behind it, so its query goes with every request by itself. */
export function clientUrl(address: string): {
  readonly baseURL: string;
  readonly defaultQuery: Record<string, string>;
} {
  const url = new URL(address);
  const defaultQuery = Object.fromEntries(url.searchParams);
  return { baseURL: url.search === "" ? address : address.replace(/[?#].*$/, ""), defaultQuery };
}

/** The server of a provider: `baseUrl`, else what the variable says; undefined where neither is. Throws UsageError naming which is no address. */
export function serverAddress(
  {
    baseUrl,
    env,
  }: { readonly baseUrl?: string | undefined; readonly env: Readonly<Record<string, string | undefined>> },
  variable: string,
): string | undefined {
  const given = baseUrl ?? env[variable];
  const url = given?.trim();
  if (given === undefined || url === undefined) return undefined;
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  const from = baseUrl === undefined ? variable : "--base-url";
  throw new UsageError(`${from} ${shownAddress(given)}: not a URL; write it like http://localhost:8000/v1`);
}

/** Whether the host is known to bill replies alone: a provider's own, or a local server, which bills nothing. */
export function billsRepliesOnly(address: string | undefined): boolean {
  if (address === undefined) return true;
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return KNOWN_HOSTS.test(hostname) || OWN_HOSTS.test(hostname);
}

const KNOWN_HOSTS =
  /^(api\.openai\.com|api\.anthropic\.com|openrouter\.ai|api\.x\.ai|api\.deepseek\.com|generativelanguage\.googleapis\.com|api\.mistral\.ai|api\.groq\.com|api\.together\.(xyz|ai)|.+\.(openai\.azure|amazonaws)\.com)$/;
/** This machine, and private networks (RFC 1918). */
const OWN_HOSTS = /^(localhost|127\..+|\[::1\]|10\..+|192\.168\..+|172\.(1[6-9]|2\d|3[01])\..+)$/;

/** A key as headers can carry it. Throws UsageError naming its variable, and never the key. */
export function sendableKey(key: string, variable: string): string {
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  throw new UsageError(`${variable}: holds signs that no key has (not ASCII, or a line break); copy the key again`);
}

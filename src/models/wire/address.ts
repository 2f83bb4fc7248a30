import { UsageError } from "../../errors.js";
import { shownAddress } from "../../net/secrets.js";
import type { ProviderSettings } from "../../types/index.js";

/** Returns the client settings of a base URL: the SDKs put paths behind it, so its query goes with every request by itself. */
export function clientUrl(address: string): { baseURL: string; defaultQuery: Record<string, string> } {
  const url = new URL(address);
  const defaultQuery = Object.fromEntries(url.searchParams);
  return { baseURL: url.search === "" ? address : address.replace(/[?#].*$/, ""), defaultQuery };
}

/** Returns `baseUrl`, else what the variable holds; undefined where neither is set. Throws UsageError naming which is no address. */
export function serverAddress(
  { baseUrl, env }: Pick<ProviderSettings, "baseUrl" | "env">,
  variable: string,
): string | undefined {
  const given = baseUrl ?? env[variable];
  const url = given?.trim();
  if (given === undefined || url === undefined) return undefined;
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  const from = baseUrl === undefined ? variable : "--base-url";
  throw new UsageError(`${from} ${shownAddress(given)}: not a URL; write it like http://localhost:8000/v1`);
}

/** Tells whether only replies are billed: at the provider's own hosts (`known`), and at local servers, which bill nothing. */
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
  throw new UsageError(`${variable}: holds signs that no key has (not ASCII, or a line break); copy the key again`);
}

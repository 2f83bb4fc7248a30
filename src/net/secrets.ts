import { basename } from "node:path";
import { ModelError } from "../errors.js";
import { escapeRegExp } from "../text/words.js";
import type { Json } from "../types/index.js";

/**
 * Returns true where a name (of a variable, of a field in an address) says that what it holds is secret: `OPENAI_API_KEY`,
 * `AWS_SESSION_TOKEN`, `x-api-key`, `authToken`. Names that end in FILE, PATH, DIR, ... tell only where it is.
 */
export function isSecretName(name: string): boolean {
  if (/^(OLD)?PWD$/i.test(name)) return false; // the shell's working folder
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  if (PLACE.test(last)) return false;
  return words.some((word) => SECRET.test(word)) || SECRET_ENDING.test(last);
}

const SECRET =
  /^((API)?KEYS?|(AUTH)?TOKEN|SECRETS?|PASS(WORD|WD|PHRASE)?|CREDENTIALS?|AUTH(ORIZATION)?|BEARER|COOKIE|PAT|JWT|SAS|SIG(NATURE)?)$/;
/** `PGPASSWORD`, `MYSQLPWD`. */
const SECRET_ENDING = /(PASSWORD|PASSWD|PWD|TOKEN|SECRET|KEY|CREDENTIALS)$/;
const PLACE = /^(FILE|PATH|DIR|FOLDER|SOCK|SOCKET|PARALLELISM)$/;

/** Returns the password of an address and the secret values of its query, decoded and as written. */
export function urlSecrets(text: string): string[] {
  const [address] = text.match(ADDRESSES) ?? [];
  if (address === undefined || !URL.canParse(address)) return [];
  const url = new URL(address);
  const inQuery = [...url.searchParams].filter(([name]) => isSecretField(name)).map(([, value]) => value);
  return [plain(url.password), url.password, ...inQuery].filter((secret) => secret !== "");
}

/** Returns a text without the logins and secret query fields of its addresses. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(ADDRESSES, (address) => {
    const bare = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, "$1");
    return bare.replace(/[?]([^#]*)/, (_, query: string) => {
      const kept = query.split("&").filter((field) => !isSecretField(plain(field.replace(/=.*/s, ""))));
      return kept.length === 0 ? "" : `?${kept.join("&")}`;
    });
  });
}

/** Tells whether an address holds a login or a secret query field. */
export const holdsUrlSecret = (address: string): boolean => withoutUrlSecrets(address) !== address;

/** Returns a text that is no valid address as a message may show it: without a login and all behind a question mark. */
export const shownAddress = (text: string): string => text.replace(/^.*@/s, "").replace(/[?].*$/s, "?...");

const ADDRESSES = /[a-z][a-z0-9+.-]*:\/\/\S+/gi;

/** Azure Functions call theirs `code`. */
const isSecretField = (name: string): boolean => isSecretName(name) || name.toLowerCase() === "code";

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter values are not redacted: they occur in ordinary text by chance. */
const SHORTEST_SECRET = 8;

/**
 * Returns what must never be written down: values of variables whose names say so and of those in `keys` (named by a config), logins
 * and keys in addresses that variables hold, and those in `addresses` (given by flags).
 */
export function knownSecrets(
  env: Environment,
  addresses: readonly string[] = [],
  keys: readonly string[] = [],
): readonly string[] {
  const held = Object.entries(env).flatMap(([name, value]) => secretsIn(name, value, keys));
  const all = [...held, ...addresses.flatMap(urlSecrets)].filter(({ length }) => length >= SHORTEST_SECRET);
  return [...new Set(all)];
}

/** Returns the environment of a child process: without secrets and `keys`, except `allowed` and addresses of proxies. */
export function withoutSecrets(
  env: Environment,
  allowed: readonly string[],
  keys: readonly string[] = [],
): Environment {
  const stays = ([name, value]: readonly [string, string | undefined]): boolean =>
    allowed.includes(name) || PROXY.test(name) || secretsIn(name, value, keys).length === 0;
  return Object.fromEntries(Object.entries(env).filter(stays));
}

const PROXY = /^(https?|all|ftp|no)_proxy$/i;

function secretsIn(name: string, value = "", keys: readonly string[] = []): string[] {
  const trimmed = value.trim();
  if (trimmed === "") return [];
  return keys.includes(name) || isSecretName(name) ? [trimmed, ...urlSecrets(trimmed)] : urlSecrets(trimmed);
}

/** Returns a warning about variables whose secrets are too short to be redacted. */
export function shortSecrets(env: Environment): string[] {
  const isShort = ({ length }: string): boolean => length < SHORTEST_SECRET;
  const names = Object.keys(env).filter((name) => secretsIn(name, env[name]).some(isShort));
  const each = names.sort().join(", ");
  return names.length === 0 ? [] : [`${each}: under ${SHORTEST_SECRET} characters, which cannot be masked in files`];
}

/** Replaces secrets by `[redacted]`. */
export interface Redactor {
  text(text: string): string;
  /** Redacts values and names of fields. Returns the same object if nothing is secret. */
  json<T extends Json>(value: T): T;
}

/** Returns a redactor of these values: plain, in JSON, in JSON within JSON, and in addresses. */
export function redactor(secrets: readonly string[]): Redactor {
  const forms = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf));
  if (forms.size === 0) return { text: (text) => text, json: (value) => value };
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join("|"), "g");
  const text = (clear: string): string => clear.replace(pattern, "[redacted]");
  const clean = (value: Json): Json => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(clean);
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [text(name), clean(field)]));
  };
  const isClean = (json: string): boolean => text(json) === json;
  return { text, json: <T extends Json>(value: T) => (isClean(JSON.stringify(value)) ? value : (clean(value) as T)) }; // texts for texts, lists for lists
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const inAddresses = [encoded, encoded.replaceAll("%20", "+"), encoded.replace(/%../g, (code) => code.toLowerCase())];
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, JSON.stringify(inJson).slice(1, -1), ...inAddresses]; // a program's line of JSON may quote JSON
}

/** Returns an error, a ModelError with a redacted message and without its cause, which may hold a secret. */
export function redactedError(thrown: unknown, redact: Redactor): unknown {
  if (!(thrown instanceof ModelError)) return thrown;
  const clean = redact.text(thrown.message);
  return clean === thrown.message ? thrown : thrown.worded(clean);
}

/** Returns a value with every text in it changed. */
export const mapTexts = <T>(value: T, change: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === "string" ? change(part) : part))) as T; // only texts differ

/** Returns the last part of a path, and no address: `/home/me/pages.json`, `C:\me\pages.json`, `onnx//home/me/model`, `http://me:key@host/v1`. */
export function withoutFolder(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "(an address)";
  const path = /^([\w-]+\/)?((?:\/|[A-Za-z]:[\\/]|\\\\).+)$/.exec(text);
  return path === null ? text : `${path[1] ?? ""}${basename((path[2] ?? "").replaceAll("\\", "/"))}`;
}

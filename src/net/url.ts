/**
 * Whether a name (of a variable, of a field in an address) says that what it holds is secret: `OPENAI_API_KEY`,
 * `AWS_SESSION_TOKEN`, `x-api-key`, `authToken`. Names of files, folders and sockets hold only where a secret is.
 */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== "");
  if (PLACES.has(words.at(-1) ?? "")) return false;
  return words.some((word) => SECRET.has(word)) || (words.length > 1 && words.at(-1) === "PWD");
}

const SECRET = new Set([
  "KEY",
  "KEYS",
  "APIKEY",
  "TOKEN",
  "AUTHTOKEN",
  "SECRET",
  "SECRETS",
  "PASS",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "CREDENTIAL",
  "CREDENTIALS",
  "AUTH",
  "AUTHORIZATION",
  "BEARER",
  "COOKIE",
  "PAT",
  "JWT",
  "SAS",
  "SIG",
  "SIGNATURE",
]);

const PLACES = new Set(["FILE", "PATH", "DIR", "FOLDER", "SOCK", "SOCKET", "PARALLELISM"]);

/** The password of an address and the values of its query whose names say that they are secret, plain and as they stand. */
export function urlSecrets(text: string): string[] {
  const [address] = ADDRESS.exec(text) ?? [];
  if (address === undefined || !URL.canParse(address)) return [];
  const url = new URL(address);
  const inQuery = [...url.searchParams].filter(([name]) => isSecretField(name)).map(([, value]) => value);
  return [plain(url.password), url.password, ...inQuery].filter((secret) => secret !== "");
}

/** Text with the login of every address in it cut out, and the secret fields of its query: as it may be written down. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(ADDRESSES, (address) => {
    const bare = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, "$1");
    const [before = "", query, ...rest] = bare.split(/([?][^#]*)/);
    if (query === undefined) return bare;
    const kept = query
      .slice(1)
      .split("&")
      .filter((field) => !isSecretField(plain(field.replace(/=.*/s, ""))));
    return [before, ...(kept.length === 0 ? [] : [`?${kept.join("&")}`]), ...rest].join("");
  });
}

/** Whether an address holds anything that must not be written down. */
export const holdsUrlSecret = (address: string): boolean => withoutUrlSecrets(address) !== address;

/** An address that is none, as a message may show it: without a login and all behind a question mark. */
export const shownAddress = (text: string): string => text.replace(/^.*@/s, "").replace(/[?].*$/s, "?...");

const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/\S+/i;
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

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

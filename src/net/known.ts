import { isSecretName, urlSecrets } from "./url.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter values are not looked for: they would stand in ordinary text by chance. */
export const SHORTEST_SECRET = 8;

interface KnownSecrets {
  readonly values: readonly string[];
  /** Variables that hold a secret too short to be looked for. */
  readonly exempt: readonly string[];
}

/**
 * What must never be written down: values of variables whose names say so and of those in `keys` (named by a config), logins
 * and keys in addresses that variables hold, and those in `addresses` (given by flags).
 */
export function knownSecrets(
  env: Environment,
  addresses: readonly string[] = [],
  keys: readonly string[] = [],
): KnownSecrets {
  const held = Object.entries(env).flatMap(([name, value]) =>
    secretsIn(name, value ?? "", keys).map((secret) => ({ name, secret })),
  );
  const all = [...held, ...addresses.flatMap(urlSecrets).map((secret) => ({ name: "the address", secret }))];
  const isShort = ({ secret }: { readonly secret: string }): boolean => secret.length < SHORTEST_SECRET;
  return {
    values: [...new Set(all.filter((one) => !isShort(one)).map(({ secret }) => secret))],
    exempt: [...new Set(all.filter(isShort).map(({ name }) => name))].sort(),
  };
}

/** The environment of a child: without the variables that hold a secret and those in `keys`, but for `allowed` and addresses of proxies. */
export function withoutSecrets(
  env: Environment,
  allowed: readonly string[],
  keys: readonly string[] = [],
): Environment {
  const stays = ([name, value]: readonly [string, string | undefined]): boolean =>
    allowed.includes(name) || PROXY.test(name) || secretsIn(name, value ?? "", keys).length === 0;
  return Object.fromEntries(Object.entries(env).filter(stays));
}

const PROXY = /^(https?|all|ftp|no)_proxy$/i;

function secretsIn(name: string, value: string, keys: readonly string[]): string[] {
  const trimmed = value.trim();
  if (trimmed === "") return [];
  return keys.includes(name) || isSecretName(name) ? [trimmed, ...urlSecrets(trimmed)] : urlSecrets(trimmed);
}

/** Names the variables whose secrets are too short to be told from ordinary text. */
export function shortSecrets(env: Environment): string[] {
  const { exempt } = knownSecrets(env);
  if (exempt.length === 0) return [];
  const [are, they] = exempt.length === 1 ? ["is", "it"] : ["are", "they"];
  return [`${exempt.join(", ")} ${are} under ${SHORTEST_SECRET} characters: ${they} cannot be masked in files`];
}

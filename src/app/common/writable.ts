import { knownSecrets } from "../../secrets/known.js";
import { redactor } from "../../secrets/redactor.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import type { Io } from "../io.js";

/** Arguments as a manifest may hold them: without the secrets of addresses and of the environment. */
export function writable(argv: readonly string[], env: Io["env"]): string[] {
  const redact = redactor(knownSecrets(env).values);
  return argv.map((argument) => redact.text(withoutUrlSecrets(argument)));
}

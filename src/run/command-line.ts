import { knownSecrets, redactor, withoutUrlSecrets } from "../net/secrets.js";
import { shellWord } from "../text/words.js";
import type { Io } from "./io.js";

/** A command line as a person would type it, without these flags (`--out`) and their values. */
export const commandWithout = (argv: readonly string[], ...flags: readonly string[]): string =>
  ["lamp-eval", ...withoutFlags(argv, ...flags).map(shellWord)].join(" ");

/** The words of a command line without these flags and their values. */
const withoutFlags = (argv: readonly string[], ...flags: readonly string[]): string[] =>
  argv.filter((word, w) => !flags.some((flag) => word === flag || argv[w - 1] === flag || word.startsWith(`${flag}=`)));

/** Arguments as a manifest may hold them: without the secrets of addresses and of the environment. */
export function writable(argv: readonly string[], env: Io["env"]): string[] {
  const redact = redactor(knownSecrets(env));
  return argv.map((argument) => redact.text(withoutUrlSecrets(argument)));
}

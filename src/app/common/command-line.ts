/** A command line as a person would type it, without these flags (`--out`) and their values. */
export const commandWithout = (argv: readonly string[], ...flags: readonly string[]): string =>
  ["lamp-eval", ...withoutFlags(argv, ...flags).map(quoted)].join(" ");

/** The words of a command line without these flags and their values. */
export const withoutFlags = (argv: readonly string[], ...flags: readonly string[]): string[] =>
  argv.filter((word, w) => !flags.some((flag) => word === flag || argv[w - 1] === flag || word.startsWith(`${flag}=`)));

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

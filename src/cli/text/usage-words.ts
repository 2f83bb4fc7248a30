/** What the reader of flags says of a command line, as every other message here: the flag with its value, a colon, what is expected. */
export function usageWords(message: string): string {
  const line = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return words.reduce((text, [found, plain]) => text.replace(found, plain), line);
}

const words: readonly (readonly [found: RegExp, plain: string])[] = [
  [/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*?)' is invalid\. (.*?)\.?$/s, "$1 $2: $3"],
  [/^command-argument value '(.*?)' is invalid for argument '(.*?)'\. (.*?)\.?$/s, "$2 $1: $3"],
  [/: Allowed choices are (\S+)$/, ": expected $1, or no value"],
  [/: Allowed choices are /, ": expected one of "],
  [/^unknown option '(.*?)'/, "unknown flag $1"],
  [/ \(Did you mean (.*?)\?\)$/, "; did you mean $1?"],
  [/^option '(?:-\w, )?(--[^']+)' argument missing$/, "$1: its value is missing"],
  [/^required option '(?:-\w, )?(--[^']+)' not specified$/, "$1 is needed"],
  [/^missing required argument '(.*?)'$/, "$1 is missing; the command with --help tells what it takes"],
  [
    /^too many arguments(?: for '(.*?)')?\. Expected (\d+) arguments? but got (\d+).*$/,
    "$1: expected $2 before the flags, not $3",
  ],
];

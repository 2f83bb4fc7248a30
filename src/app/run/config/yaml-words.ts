/** What the YAML reader says of a file, in words that name the way out. Others stand as they are, with their line and column. */
export function yamlProblem(message: string): string {
  const [line = ""] = message.split("\n");
  return plainWords.reduce((text, [found, plain]) => text.replace(found, plain), line.replace(/:$/, ""));
}

const plainWords: readonly (readonly [found: RegExp, plain: string])[] = [
  [/^Excessive alias count.*/, "its aliases (*name) unfold to too many values; write the values out"],
  [/^Converting circular structure to JSON.*/, "an alias (*name) stands within what it names; write the value out"],
  [/^Maximum call stack size exceeded/, "too many brackets within brackets"],
  [/^Flow sequence in block collection must be sufficiently indented and end with a \]/, "a [ without its ]"],
  [/^Flow map in block collection must be sufficiently indented and end with a \}/, "a { without its }"],
  [/^With stringKeys, all keys must be strings/, "a key must be a word, not a list"],
  [/^Unresolved tag: (\S+)/, "a config takes no tags; leave out $1"],
];

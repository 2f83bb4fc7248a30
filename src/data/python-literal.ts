import { jsonIn } from "../text/json.js";
import type { Json } from "../types/index.js";

/**
 * Reads a Python literal as `ast.literal_eval` does: strings, numbers, None, True, False, lists and dicts of them. Nothing is
 * executed: its strings and words are rewritten, and the rest must be JSON. Undefined for anything else.
 */
export function pythonLiteral(text: string): Json | undefined {
  const json = text.trim().replace(TOKEN, (token, single?: string, double?: string) => {
    const string = single ?? double;
    return string === undefined ? WORDS[token]! : JSON.stringify(string.replace(ESCAPE, unescaped));
  });
  return jsonIn(json);
}

/** A string in either quotes, a word that JSON spells otherwise, or a comma before a closing bracket. */
const TOKEN = /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"|\b(?:None|True|False)\b|,(?=\s*[\]}])/g;
const WORDS: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false", ",": "" };

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "\\": "\\", "'": "'", '"': '"', n: "\n", r: "\r", t: "\t", "\n": "", a: "\x07", b: "\b", f: "\f", v: "\v" },
};

function unescaped(whole: string, x?: string, u?: string, long?: string, letter?: string): string {
  const code = x ?? u ?? long;
  if (code === undefined) return ESCAPES[letter ?? ""] ?? whole; // Python keeps an escape that it does not know
  return u === undefined
    ? String.fromCodePoint(Number.parseInt(code, 16))
    : String.fromCharCode(Number.parseInt(code, 16));
}

/** Text as LaTeX prints it: every special character escaped. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}$&#%_^~<>|]/g, (letter) => escapes[letter] ?? letter).replace(/[^\x20-\x7e]/g, ascii);
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
};

/** Letters of Latin-1 are left to the document's encoding; what old engines refuse is named by its number. */
const ascii = (letter: string): string => {
  if (letter === "\u00b7") return "\\textperiodcentered{}";
  if (letter >= "\u00a0" && letter <= "\u017f") return letter;
  return /\s/.test(letter) ? " " : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
};

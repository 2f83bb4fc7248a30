/** Text that is HTML or XML already: the only thing that enters a document unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns XML; what XML 1.0 cannot hold, even escaped (https://www.w3.org/TR/xml/#charsets), is replaced. */
export const xmlOf = ({ text }: Markup): string =>
  text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");

type Part = string | number | Markup | undefined | readonly Part[];

/** Returns HTML, or XML, with its holes filled: texts escaped, Markup as it is, lists joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((string, s) => string + (s < parts.length ? fill(parts[s]) : "")).join(""));
}

function fill(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(fill).join("") : escaped(String(part));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

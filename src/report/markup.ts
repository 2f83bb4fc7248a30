/** Text that is HTML already: the only thing that enters a page unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly Part[];

/** HTML with its holes filled: texts escaped (for content and for quoted attributes), Markup as it is, lists joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((string, s) => string + (s < parts.length ? fill(parts[s]) : "")).join(""));
}

function fill(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(fill).join("") : escapeText(String(part));
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

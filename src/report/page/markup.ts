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

/** JSON as it may stand inside a `<script>` element: no character in it can end the element or a line. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function fill(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(fill).join("") : escapeText(String(part));
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A part of the page with an entry in its navigation. */
export interface PageSection {
  /** Unique in the page; its address. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** A section that opens and closes: closed, it is its title alone. On paper all are open. */
export const sectionMarkup = ({ id, title, body }: PageSection, isOpen: boolean): Markup =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><details class="part"${new Markup(isOpen ? " open" : "")}><summary><h2 id="${id}-heading">${title}</h2></summary>
${body}
</details></section>
`;

import { html, Markup } from "./markup.js";

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

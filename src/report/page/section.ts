import { html, type Markup } from "./markup.js";

/** A part of the page with a place in its navigation. */
export interface PageSection {
  /** Unique in the page; its address. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export const sectionMarkup = ({ id, title, body }: PageSection): Markup =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${title}</h2>
${body}
</section>
`;

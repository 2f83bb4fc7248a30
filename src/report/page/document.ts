import { createHash } from "node:crypto";
import { html, Markup } from "../markup.js";
import { pageScript } from "./script.js.js";
import { style } from "./style.css.js";

/** A part of the page with an entry in its navigation. */
export interface PageSection {
  /** Unique in the page; its address. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

interface Document {
  readonly title: string;
  /** `lamp-eval 0.1.0`. */
  readonly madeBy: string;
  /** Name, banners, and what stands above the sections. */
  readonly header: Markup;
  readonly sections: readonly PageSection[];
  /** What the script reads. */
  readonly data?: Markup | undefined;
}

/** A page as one file that asks nothing of any server. */
export function renderDocument({ title, madeBy, header, sections, data }: Document): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${madeBy}">
<title>${title} · lamp-eval</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header class="page">
${header}
</header>
<nav class="page" aria-label="Sections"><div><ul>${sections.map(
    ({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`,
  )}</ul></div></nav>
<main id="main" tabindex="-1">
${sections.map(
  ({
    id,
    title: name,
    body,
  }) => html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${name}</h2>
${body}
</section>
`,
)}
</main>
<footer>Made by ${madeBy}. This file holds everything it shows and asks nothing of any server.</footer>
${data}
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}

/** Only this script runs, and nothing is fetched, framed or sent. Styles: positions in charts of gains are style attributes. */
const contentPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

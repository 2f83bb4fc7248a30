import { createHash } from "node:crypto";
import { html, Markup, type PageSection } from "./markup.js";
import { pageScript } from "./script.js.js";
import { style } from "./style.css.js";

interface Document {
  readonly title: string;
  /** `lamp-eval 0.1.0`. */
  readonly madeBy: string;
  /** Name, banners, and what stands above the sections. */
  readonly header: Markup;
  readonly sections: readonly Pick<PageSection, "id" | "title">[];
  /** Buttons beside the links to the sections. */
  readonly buttons?: Markup;
  readonly main: Markup;
  /** What the script reads, and chunks of it. */
  readonly data?: Markup;
}

/** A page as one file that asks nothing of any server. */
export function renderDocument({ title, madeBy, header, sections, buttons, main, data }: Document): string {
  return html`<!doctype html>
<html lang="en" data-theme="auto">
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
  )}</ul>
${buttons}<button type="button" id="theme">Theme: auto</button></div></nav>
<main id="main" tabindex="-1">
${main}
</main>
<footer>Made by lamp-eval. This file holds everything it shows and asks nothing of any server.</footer>
${data}
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}

/** Only this script runs, and nothing is fetched, framed or sent. Styles: charts carry style attributes. */
const contentPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

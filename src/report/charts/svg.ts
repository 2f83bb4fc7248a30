import type { Json } from "../../types.js";
import { type DrawnText, textWidth } from "./text-width.js";
import { sentinel } from "./theme.js";

declare module "vega" {
  // what vega 6 exports and its typings leave out
  const textMetrics: { width: (item: DrawnText, text: unknown) => number };
  function resetSVGDefIds(): void;
}

/**
 * Draws a vega-lite specification. Equal specifications give equal bytes on every machine and at every call. The libraries
 * are loaded at the first call only.
 */
export async function renderSvg(spec: Json): Promise<string> {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  vega.textMetrics.width = textWidth;
  const copy: Parameters<typeof compile>[0] = JSON.parse(JSON.stringify(spec)); // compile writes into what it gets
  const view = new vega.View(vega.parse(compile(copy).spec), { renderer: "none" });
  await view.runAsync();
  vega.resetSVGDefIds(); // ids of gradients and clips count on from picture to picture otherwise
  const svg = await view.toSVG();
  view.finalize();
  return svg.replace(NOT_XML, "\uFFFD"); // of names that came from data
}

/** What no XML may hold, even escaped (XML 1.0, Char). */
const NOT_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * The drawing as a part of a page: ink is `currentColor`, other lines are `--chart-muted` and `--chart-grid` of the page's
 * style sheet, the background is left out, ids are its own, and a reader of screens hears its title.
 */
export function inlineSvg(svg: string, figure: { readonly name: string; readonly title: string }): string {
  const id = figure.name.replace(/[^\w-]/g, "-");
  const themed = Object.entries(themes).reduce(
    (text, [color, themed]) => text.replaceAll(`"${color}"`, `"${themed}"`),
    svg.replace(/<rect [^>]*class="background"[^>]*>/, (rect) => rect.replaceAll(sentinel.background, "none")),
  );
  return themed
    .replace(/ id="([^"]+)"/g, (_, name: string) => ` id="${id}-${name}"`)
    .replace(/url\(#([^)]+)\)/g, (_, name: string) => `url(#${id}-${name})`)
    .replace(/href="#([^"]+)"/g, (_, name: string) => `href="#${id}-${name}"`)
    .replace(
      /<svg ([^>]*)>/,
      `<svg role="img" aria-labelledby="${id}-title" $1><title id="${id}-title">${escaped(figure.title)}</title>`,
    );
}

const themes: Readonly<Record<string, string>> = {
  [sentinel.ink]: "currentColor",
  [sentinel.muted]: `var(--chart-muted, ${sentinel.muted})`,
  [sentinel.grid]: `var(--chart-grid, ${sentinel.grid})`,
  [sentinel.background]: "var(--chart-background, #ffffff)",
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

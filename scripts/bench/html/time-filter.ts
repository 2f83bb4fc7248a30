import type { Page } from "playwright-core";

/** Milliseconds from setting a field of the page's filter until the next frame after the list is drawn. */
export const timeFilter = (page: Page, field: string, value: string): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const input = document.getElementById(${JSON.stringify(field)});
    const begin = performance.now();
    input.value = ${JSON.stringify(value)};
    input.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  })`);

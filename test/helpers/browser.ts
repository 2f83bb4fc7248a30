import { existsSync } from "node:fs";
import { env } from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser on this machine. Where LAMP_EVAL_REQUIRE_BROWSER=1, its absence is an error and not a reason to skip. */
export function browserPath(): string | undefined {
  const found = [env.LAMP_EVAL_BROWSER, ...known].find((path) => path !== undefined && existsSync(path));
  if (found === undefined && env.LAMP_EVAL_REQUIRE_BROWSER === "1")
    throw new Error(`no browser at ${known.join(", ")}; install chromium, or name one with LAMP_EVAL_BROWSER`);
  return found;
}

/** Chromium without a window. The caller closes it. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--disable-software-rasterizer"],
  });

export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, and requests that leave the file. */
  readonly complaints: readonly string[];
}

/** The size of a page that nobody has changed. */
export const laptop = { width: 1280, height: 800 };

/** A page of laptop size, light, that keeps what should not happen. */
export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: laptop, colorScheme: "light" });
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  return { page, complaints };
}

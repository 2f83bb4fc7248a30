import http from "node:http";
import type { AddressInfo } from "node:net";

export interface ServedPage {
  readonly title: string;
  readonly extract?: string;
  /** The page only points at another one. */
  readonly redirect?: string;
  readonly disambiguation?: boolean;
}

export interface MediawikiSettings {
  readonly pages?: readonly ServedPage[];
  /** Titles found for a query, best first; titles without a page are missing pages. */
  readonly found?: Readonly<Record<string, readonly string[]>>;
  /** Answers instead of the API, by number of the request (0-based). */
  readonly faults?: Readonly<Record<number, Fault>>;
}

interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface MediawikiServer {
  readonly endpoint: string;
  readonly requests: readonly {
    readonly parameters: URLSearchParams;
    readonly userAgent: string;
  }[];
  /** The most requests that were in work at one time. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

/** A local server that speaks the part of the MediaWiki API that the wikipedia tool uses (formatversion 2). */
export async function mediawikiServer(settings: MediawikiSettings = {}): Promise<MediawikiServer> {
  const requests: { parameters: URLSearchParams; userAgent: string }[] = [];
  let inWork = 0;
  let most = 0;
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const fault = settings.faults?.[requests.length];
    const userAgent = request.headers["user-agent"] ?? "";
    requests.push({ parameters: url.searchParams, userAgent });
    most = Math.max(most, ++inWork);
    setImmediate(() => {
      inWork--;
      response.writeHead(fault?.status ?? 200, { "content-type": "application/json", ...fault?.headers });
      response.end(fault?.body ?? JSON.stringify(answer(url.searchParams, settings)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/api.php`,
    requests,
    mostAtOnce: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body of an API error, which MediaWiki sends with status 200. */
export function apiError(code: string, info: string): string {
  return JSON.stringify({ error: { code, info } });
}

function answer(parameters: URLSearchParams, { pages = [], found = {} }: MediawikiSettings): unknown {
  if (parameters.get("meta") === "siteinfo") return { batchcomplete: true, query: { general: { sitename: "Test" } } };
  if (parameters.get("list") === "search") {
    const titles = found[parameters.get("srsearch") ?? ""] ?? [];
    const limit = Number(parameters.get("srlimit"));
    return { batchcomplete: true, query: { search: titles.slice(0, limit).map((title) => ({ ns: 0, title })) } };
  }
  return { batchcomplete: true, query: queryPages((parameters.get("titles") ?? "").split("|"), pages) };
}

function queryPages(titles: readonly string[], pages: readonly ServedPage[]): unknown {
  const normalized = titles
    .map((from) => ({
      fromencoded: false,
      from,
      to: from.charAt(0).toUpperCase() + from.slice(1).replaceAll("_", " "),
    }))
    .filter(({ from, to }) => from !== to);
  const named = (title: string) => normalized.find(({ from }) => from === title)?.to ?? title;
  const redirects: { from: string; to: string }[] = [];
  const targets = titles.map((title) => {
    const page = pages.find((candidate) => candidate.title === named(title));
    if (page?.redirect === undefined) return named(title);
    redirects.push({ from: page.title, to: page.redirect });
    return page.redirect;
  });
  // The real API orders pages by id, not as asked.
  const listed = [...new Set(targets)].sort().map((title) => {
    const page = pages.find((candidate) => candidate.title === title);
    if (page === undefined) return { ns: 0, title, missing: true };
    return {
      pageid: pages.indexOf(page) + 1,
      ns: 0,
      title,
      extract: page.extract ?? "",
      ...(page.disambiguation === true ? { pageprops: { disambiguation: "" } } : {}),
    };
  });
  return {
    ...(normalized.length === 0 ? {} : { normalized }),
    ...(redirects.length === 0 ? {} : { redirects }),
    pages: listed,
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How the stand-in for the download site answers one request. */
export type Behaviour =
  | "honest" // ranges and If-Range as HTTP says
  | "ignores-range" // always 200 with the whole file
  | "cuts" // says the full length, sends half, closes
  | "cuts-silently" // sends half as if that were all
  | "page" // 200 with an HTML page, as the real site answers wrong paths
  | "page-as-json" // the same, called application/json
  | "error" // 500
  | "busy" // 429 with Retry-After: 7
  | "missing" // 404
  | "refuses-range"; // 416 to any range

export interface DownloadSite {
  /** Ends with `/`. */
  readonly url: string;
  /** Every request: path, range and If-Range headers. */
  readonly requests: readonly { readonly path: string; readonly range?: string; readonly ifRange?: string }[];
  /** How the next requests are answered, one each; then honestly. */
  script(...behaviours: Behaviour[]): void;
  /** Puts or replaces a file; its ETag changes with its text. */
  put(path: string, text: string): void;
}

/** A local HTTP server that stands in for the download site, its lies included. Closed when the test is over. */
export async function downloadSite(files: Readonly<Record<string, string>>): Promise<DownloadSite> {
  const stored = new Map(Object.entries(files));
  const requests: { path: string; range?: string; ifRange?: string }[] = [];
  const behaviours: Behaviour[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").slice(1);
    const { range } = request.headers;
    const ifRange = request.headers["if-range"];
    requests.push({ path, ...(range ? { range } : {}), ...(typeof ifRange === "string" ? { ifRange } : {}) });
    answer(stored.get(path), behaviours.shift() ?? "honest", request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    script: (...next) => void behaviours.push(...next),
    put: (path, text) => void stored.set(path, text),
  };
}

// --- internal ---

const PAGE = `<!DOCTYPE html><html><body>${"Downloads ".repeat(1600)}</body></html>`;

function answer(
  text: string | undefined,
  behaviour: Behaviour,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (behaviour === "error") return end(response, 500, {}, "oops");
  if (behaviour === "busy") return end(response, 429, { "retry-after": "7" }, "slow down");
  if (behaviour === "missing") return end(response, 404, {}, "not found");
  if (behaviour === "page-as-json") return end(response, 200, { "content-type": "application/json" }, PAGE);
  if (behaviour === "page" || text === undefined) return end(response, 200, { "content-type": "text/html" }, PAGE);
  const bytes = Buffer.from(text);
  const headers = { "content-type": "application/json", etag: etagOf(text), "accept-ranges": "bytes" };
  if (behaviour === "cuts") {
    response.writeHead(200, { ...headers, "content-length": bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => setImmediate(() => response.destroy()));
    return;
  }
  if (behaviour === "cuts-silently") return end(response, 200, headers, bytes.subarray(0, bytes.length / 2));
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const ifRange = request.headers["if-range"];
  const usesRange = from > 0 && behaviour !== "ignores-range" && (ifRange === undefined || ifRange === etagOf(text));
  if (from > 0 && behaviour === "refuses-range")
    return end(response, 416, { "content-range": `bytes */${bytes.length + 5}` }, "");
  if (!usesRange) return end(response, 200, headers, bytes);
  if (from >= bytes.length) return end(response, 416, { ...headers, "content-range": `bytes */${bytes.length}` }, "");
  const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  end(response, 206, { ...headers, "content-range": range }, bytes.subarray(from));
}

function end(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  response.end(body);
}

const etagOf = (text: string): string =>
  `"${text.length}-${[...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7)}"`;

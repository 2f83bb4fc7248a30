import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** How the stand-in for the download site answers one request. */
type Behaviour =
  | "honest" // ranges and If-Range as HTTP says
  | "ignores-range" // always 200 with the whole file
  | "cuts" // says the full length, sends half; cut() then breaks the connection
  | "cuts-silently" // sends half as if that were all
  | "page" // 200 with an HTML page, as the real site answers wrong paths
  | "page-as-json" // the same, called application/json
  | "error" // 500
  | "busy-for-days" // 429 with Retry-After: 100000
  | { readonly sendsOnTo: string } // 302
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
  /** Breaks the connections that have been sent half a file. */
  cut(): void;
}

/** A local HTTP server that stands in for the download site, its lies included. Closed when the test is over. */
export async function downloadSite(files: Readonly<Record<string, string>>): Promise<DownloadSite> {
  const stored = new Map(Object.entries(files));
  const requests: { path: string; range?: string; ifRange?: string }[] = [];
  const behaviours: Behaviour[] = [];
  const halfSent = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").slice(1);
    const { range } = request.headers;
    const ifRange = request.headers["if-range"];
    requests.push({ path, ...(range ? { range } : {}), ...(typeof ifRange === "string" ? { ifRange } : {}) });
    const behaviour = behaviours.shift() ?? "honest";
    const { status, headers, body } = answer(stored.get(path), behaviour, request);
    const bytes = Buffer.from(body);
    response.writeHead(status, { "content-length": bytes.length, ...headers });
    if (behaviour === "cuts") {
      response.write(bytes.subarray(0, bytes.length / 2));
      halfSent.add(response);
    } else response.end(bytes);
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
    cut() {
      for (const response of halfSent) response.destroy();
      halfSent.clear();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const PAGE = `<!DOCTYPE html><html><body>${"Downloads ".repeat(1600)}</body></html>`;

function answer(text: string | undefined, behaviour: Behaviour, request: IncomingMessage): Answer {
  if (behaviour === "error") return { status: 500, headers: {}, body: "oops" };
  if (behaviour === "busy") return { status: 429, headers: { "retry-after": "7" }, body: "slow down" };
  if (behaviour === "busy-for-days") return { status: 429, headers: { "retry-after": "100000" }, body: "slow down" };
  if (typeof behaviour === "object") return { status: 302, headers: { location: behaviour.sendsOnTo }, body: "" };
  if (behaviour === "missing") return { status: 404, headers: {}, body: "not found" };
  if (behaviour === "page-as-json") return { status: 200, headers: { "content-type": "application/json" }, body: PAGE };
  if (behaviour === "page" || text === undefined)
    return { status: 200, headers: { "content-type": "text/html" }, body: PAGE };
  return file(Buffer.from(text), etagOf(text), behaviour, request);
}

function file(bytes: Buffer, etag: string, behaviour: Behaviour, request: IncomingMessage): Answer {
  const headers = { "content-type": "application/json", etag, "accept-ranges": "bytes" };
  const whole = { status: 200, headers, body: bytes };
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const ifRange = request.headers["if-range"];
  if (behaviour === "cuts-silently") return { ...whole, body: bytes.subarray(0, bytes.length / 2) };
  if (from === 0 || behaviour === "ignores-range" || (ifRange !== undefined && ifRange !== etag)) return whole;
  if (behaviour === "refuses-range")
    return { status: 416, headers: { "content-range": `bytes */${bytes.length + 5}` }, body: "" };
  if (from >= bytes.length)
    return { status: 416, headers: { ...headers, "content-range": `bytes */${bytes.length}` }, body: "" };
  const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  return { status: 206, headers: { ...headers, "content-range": range }, body: bytes.subarray(from) };
}

const etagOf = (text: string): string =>
  `"${text.length}-${[...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7)}"`;

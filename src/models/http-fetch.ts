import http from "node:http";
import https from "node:https";
import { MOST_REPLY_BYTES, tooLong } from "../retry/bounded-body.js";

/** The part of the fetch interface that the SDKs call. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` over node:http keep-alive agents: at most `maxSockets` connections, no 300 s limit of its own,
 * the body read to its end before it resolves, and less CPU per call than Node's fetch (docs/PROVIDERS.md, Connections).
 * Rejects on network errors, cut bodies, abort, and bodies beyond any reply's size. Follows no redirects.
 */
export function keepAliveFetch(maxSockets: number, onResponse?: (status: number, headers: Headers) => void): Fetch {
  const options = { keepAlive: true, maxSockets };
  const plain = { send: http.request, agent: new http.Agent(options) };
  const secure = { send: https.request, agent: new https.Agent(options) };
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { send, agent } = url.protocol === "https:" ? secure : plain;
    const body = textBody(init.body);
    const headers: http.OutgoingHttpHeaders = { "accept-encoding": "identity" };
    for (const [name, value] of new Headers(init.headers)) headers[name] = value;
    if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const signal = init.signal ?? undefined;
      const request = send(url, { method: init.method ?? "GET", agent, headers, ...(signal ? { signal } : {}) });
      request.once("error", reject);
      request.once("response", (incoming) => {
        onResponse?.(incoming.statusCode ?? 0, new Headers(pairs(incoming)));
        collect(incoming, body === undefined ? MOST_FETCHED_BYTES : MOST_REPLY_BYTES).then(resolve, reject);
      });
      request.end(body);
    });
  };
}

// --- internal ---

function textBody(body: RequestInit["body"]): string | undefined {
  if (body === null || body === undefined || typeof body === "string") return body ?? undefined;
  throw new TypeError("keepAliveFetch sends text bodies only");
}

/** What is only fetched may be the results of a whole batch: as much as one text can hold. */
const MOST_FETCHED_BYTES = 480 * 1024 * 1024;

function collect(incoming: http.IncomingMessage, most: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) incoming.destroy(tooLong(most));
      else chunks.push(chunk);
    });
    incoming.once("error", reject);
    incoming.once("end", () => {
      const status = incoming.statusCode ?? 0;
      const bodyless = status === 204 || status === 205 || status === 304;
      resolve(new Response(bodyless ? null : Buffer.concat(chunks), { status, headers: pairs(incoming) }));
    });
  });
}

function pairs(incoming: http.IncomingMessage): [string, string][] {
  const raw = incoming.rawHeaders;
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push([raw[i]!, raw[i + 1]!]);
  return headers;
}

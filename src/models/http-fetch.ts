import http from "node:http";
import https from "node:https";
import { MOST_REPLY_BYTES, tooLong } from "../retry/bounded-body.js";
import type { ProviderSettings } from "../types.js";
import { agentFor } from "./proxy.js";

/** The part of the fetch interface that the SDKs call. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` over node:http keep-alive agents: at most `maxSockets` connections, through the proxy that `env` names, no 300 s limit of its own,
 * the body read to its end before it resolves, and less CPU per call than Node's fetch (docs/PROVIDERS.md, Connections).
 * Rejects on network errors, cut bodies, abort, and bodies beyond any reply's size. Follows no redirects.
 */
export function keepAliveFetch(
  maxSockets: number,
  onResponse?: (status: number, headers: Headers) => void,
  env: ProviderSettings["env"] = {},
): Fetch {
  const agents = new Map<string, Promise<http.Agent>>();
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const opened = agents.get(url.origin) ?? agentFor(url, env, { keepAlive: true, maxSockets });
    agents.set(url.origin, opened);
    const agent = await opened;
    const send = url.protocol === "https:" ? https.request : http.request;
    const body = textBody(init.body);
    const headers: http.OutgoingHttpHeaders = { "accept-encoding": "identity" };
    const given = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    for (const [name, value] of given) headers[name] = value;
    if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const signal = init.signal ?? undefined;
      const request = send(url, { method: init.method ?? "GET", agent, headers, ...(signal ? { signal } : {}) });
      request.on("error", reject);
      const read = async (incoming: http.IncomingMessage): Promise<Response> => {
        const { statusCode: status = 0 } = incoming;
        if (status < 200 || status > 599)
          throw new Error(`the server answered with status ${status}, which no reply has`);
        const response = new ReadResponse(status, pairs(incoming));
        onResponse?.(response.status, response.headers);
        return response.holding(await collect(incoming, body === undefined ? MOST_FETCHED_BYTES : MOST_REPLY_BYTES));
      };
      request.once("response", (incoming) => {
        read(incoming).then(resolve, (error: unknown) => {
          incoming.destroy();
          reject(error);
        });
      });
      request.once("upgrade", ({ statusCode }, socket) => {
        socket.destroy();
        reject(new Error(`the server answered with status ${statusCode} and left HTTP`));
      });
      request.end(body);
    });
  };
}

function textBody(body: RequestInit["body"]): string | undefined {
  if (body === null || body === undefined || typeof body === "string") return body ?? undefined;
  throw new TypeError("keepAliveFetch sends text bodies only");
}

/** What is only fetched may be the results of a whole batch: as much as one text can hold. */
const MOST_FETCHED_BYTES = 480 * 1024 * 1024;

type OfBody = "text" | "json" | "body" | "bodyUsed" | "arrayBuffer" | "blob" | "formData" | "clone";
const Head: new (body: null, init: ResponseInit) => Omit<Response, OfBody> = Response;

/**
 * A response whose body was read to its end. One that is given its body gets a stream around it, which takes more time than all else
 * that is done for a call: here that is made where something other than the text is asked for.
 */
class ReadResponse extends Head {
  #bytes: Uint8Array = new Uint8Array();
  #isRead = false;
  #made: Response | undefined;

  constructor(status: number, headers: [string, string][]) {
    super(null, { status, headers });
    if (status === 204 || status === 205 || status === 304) this.#made = new Response(null, { status, headers });
  }

  holding(bytes: Uint8Array): this {
    this.#bytes = bytes;
    const type = this.headers.get("content-type") ?? "";
    if (!/json|html|event-stream/i.test(type) && /^\s*[[{]/.test(utf8.decode(bytes.subarray(0, 1024))))
      this.headers.set("content-type", "application/json"); // some gateways say text/plain, and the SDKs then parse nothing
    return this;
  }

  async text(): Promise<string> {
    if (this.#made !== undefined || this.#isRead) return this.#whole.text();
    this.#isRead = true;
    return utf8.decode(this.#bytes);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  get body(): Response["body"] {
    return this.#isRead ? null : this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#isRead || this.#made?.bodyUsed === true;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole.arrayBuffer();
  }

  async blob(): ReturnType<Response["blob"]> {
    return this.#whole.blob();
  }

  async formData(): ReturnType<Response["formData"]> {
    return this.#whole.formData();
  }

  clone(): Response {
    return this.#whole.clone();
  }

  get #whole(): Response {
    if (this.#isRead) throw new TypeError("the body of this response was read");
    const { status, headers } = this;
    this.#made ??= new Response(this.#bytes, { status, headers });
    return this.#made;
  }
}

const utf8 = new TextDecoder();

function collect(incoming: http.IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) incoming.destroy(tooLong(most));
      else chunks.push(chunk);
    });
    incoming.once("error", reject);
    incoming.once("end", () => resolve(Buffer.concat(chunks)));
  });
}

function pairs(incoming: http.IncomingMessage): [string, string][] {
  const raw = incoming.rawHeaders;
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push([raw[i]!, raw[i + 1]!]);
  return headers;
}

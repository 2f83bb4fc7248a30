import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { replyBody, type WireName } from "./provider-replies.js";
import { bodyProblem } from "./strict/bodies.js";

/** What goes wrong with one request. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly message?: string;
      readonly code?: string;
      /** The whole body. Absent: as the protocol has it. */
      readonly served?: unknown;
    }
  /** No byte is ever sent. */
  | { readonly kind: "hang" }
  /** Headers and half a body, then silence. */
  | { readonly kind: "stall" }
  /** Headers and half a body, then the connection is destroyed. */
  | { readonly kind: "cut" }
  /** 200 with a body that is not JSON. */
  | { readonly kind: "malformed" }
  /** A login page. */
  | { readonly kind: "html"; readonly status?: number; readonly page?: string }
  | { readonly kind: "slow"; readonly delayMs: number };

export interface ServedRequest {
  /** 0-based order of arrival. */
  readonly index: number;
  /** 1 for the first request with this body. */
  readonly attempt: number;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  readonly body: any;
}

/** An answer of a `route`: JSON, or text of lines. */
export type Routed =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | { readonly status: number; readonly text: string }
  | "cut";

export interface ProviderServerSettings {
  /** Told each request when it has come in, `latencyMs` before it is answered. */
  onArrival?(request: ServedRequest): void;
  fault?(request: ServedRequest): Fault | undefined;
  /** Replaces the echo: the whole body of a 200. */
  reply?(request: ServedRequest): unknown;
  readonly latencyMs?: number;
  /** Told the address of every request, query included; paths elsewhere are without it. */
  onUrl?(url: string): void;
  /** What a GET of a path is answered; undefined: 404. Such requests stand nowhere else. */
  record?(path: string): unknown;
  /** Answers in place of the protocols; undefined: they do. `cut`: the connection is broken. Such requests stand nowhere else. */
  route?(method: string, path: string, text: string): Routed | undefined;
  /** Bodies are forgotten, and not read closely: for load tests. */
  readonly forget?: boolean;
}

export interface ProviderServer {
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  /** Requests seen, by SHA-256 of path and body. */
  readonly countByBody: ReadonlyMap<string, number>;
  readonly connections: number;
  readonly mostInFlight: number;
  /** Rejects where a body came that the real server would have refused. */
  close(): Promise<void>;
}

/**
 * A local server that speaks four protocols, told apart by path: Anthropic Messages, Bedrock Converse (HTTP/1.1 JSON),
 * OpenAI's Chat Completions and Responses. Echoes the last user text unless told otherwise, and fails on script. A body that
 * is not as the protocol's reference has it is a 400.
 */
export async function startProviderServer(settings: ProviderServerSettings = {}): Promise<ProviderServer> {
  const requests: ServedRequest[] = [];
  const countByBody = new Map<string, number>();
  const problems: string[] = [];
  let arrivals = 0;
  let connections = 0;
  let inFlight = 0;
  let mostInFlight = 0;
  const server = http.createServer(async (incoming, outgoing) => {
    inFlight++;
    mostInFlight = Math.max(mostInFlight, inFlight);
    const leave = once(() => inFlight--);
    outgoing.once("close", leave);
    const text = await readAll(incoming);
    settings.onUrl?.(incoming.url ?? "");
    const path = decodeURIComponent(incoming.url ?? "").replace(/\?.*$/, "");
    const routed = settings.route?.(incoming.method ?? "", path, text);
    if (routed !== undefined) {
      leave();
      sendRouted(outgoing, routed);
      return;
    }
    if (incoming.method === "GET") {
      const found = settings.record?.(path);
      leave();
      outgoing.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
      outgoing.end(
        JSON.stringify(found ?? { type: "error", error: { type: "not_found_error", message: "no record" } }),
      );
      return;
    }
    const hash = createHash("sha256").update(path).update(text).digest("hex");
    const attempt = (countByBody.get(hash) ?? 0) + 1;
    countByBody.set(hash, attempt);
    const request = { index: arrivals++, attempt, path, headers: incoming.headers, body: JSON.parse(text) };
    if (!settings.forget) requests.push(request);
    settings.onArrival?.(request);
    const wait = settings.latencyMs ?? 0;
    const answer = (): void => {
      const problem = settings.forget === true ? undefined : bodyProblem(path, request.body);
      if (problem !== undefined) problems.push(`${path}: ${problem}`);
      const refusal = problem === undefined ? undefined : ({ kind: "status", status: 400, message: problem } as const);
      const fault = refusal ?? settings.fault?.(request);
      if (fault === undefined || !LINGERING.has(fault.kind)) leave(); // before the client can know that it is answered
      respond(outgoing, request, settings, fault);
    };
    if (wait > 0) setTimeout(answer, wait);
    else answer();
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    countByBody,
    get connections() {
      return connections;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    close() {
      server.closeAllConnections();
      const refused =
        problems.length === 0 ? undefined : new Error(`refused bodies: ${problems.slice(0, 3).join("\n")}`);
      return new Promise((resolve, reject) => {
        server.close((error) => (refused || error ? reject(refused ?? error) : resolve()));
      });
    },
  };
}

async function readAll(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function sendRouted(outgoing: http.ServerResponse, routed: Routed): void {
  if (routed === "cut") {
    outgoing.destroy();
    return;
  }
  const isText = "text" in routed;
  const text = isText ? routed.text : JSON.stringify(routed.body);
  const type = isText ? "application/x-jsonl" : "application/json";
  const length = String(Buffer.byteLength(text));
  outgoing.writeHead(routed.status, {
    ...{ "content-type": type, "content-length": length },
    ...(isText ? {} : routed.headers),
  });
  outgoing.end(text);
}

const LINGERING: ReadonlySet<Fault["kind"]> = new Set(["hang", "stall", "slow"]);

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

function respond(
  outgoing: http.ServerResponse,
  request: ServedRequest,
  settings: ProviderServerSettings,
  fault: Fault | undefined,
): void {
  const protocol = protocolOf(request.path);
  const json = JSON.stringify(settings.reply?.(request) ?? protocol.echo(request));
  const send = (status: number, body: string, headers: Record<string, string> = {}): void => {
    const length = String(Buffer.byteLength(body));
    const id = `req_${request.index}`;
    const ids = { "request-id": id, "x-request-id": id, "x-amzn-requestid": id };
    outgoing.writeHead(status, { "content-type": "application/json", "content-length": length, ...ids, ...headers });
  };
  switch (fault?.kind) {
    case undefined:
      send(200, json);
      outgoing.end(json);
      return;
    case "status": {
      const body = JSON.stringify(
        fault.served ?? protocol.error(fault.message ?? `scripted ${fault.status}`, fault.code),
      );
      send(fault.status, body, { ...protocol.errorHeaders(fault.status), ...fault.headers });
      outgoing.end(body);
      return;
    }
    case "hang":
      return;
    case "stall":
      send(200, json);
      outgoing.write(json.slice(0, json.length / 2));
      return;
    case "cut":
      send(200, json);
      outgoing.write(json.slice(0, json.length / 2), () => outgoing.destroy());
      return;
    case "malformed":
      send(200, "{not json");
      outgoing.end("{not json");
      return;
    case "html":
      send(fault.status ?? 200, fault.page ?? "<html>login</html>", { "content-type": "text/html" });
      outgoing.end(fault.page ?? "<html>login</html>");
      return;
    case "slow":
      setTimeout(() => {
        send(200, json);
        outgoing.end(json);
      }, fault.delayMs);
  }
}

interface Protocol {
  echo(request: ServedRequest): unknown;
  error(message: string, code?: string): unknown;
  errorHeaders(status: number): Record<string, string>;
}

function protocolOf(path: string): Protocol {
  if (path.endsWith("/v1/messages")) return messages;
  if (path.endsWith("/converse")) return converse;
  if (path.endsWith("/completions")) return chat;
  if (path.endsWith("/responses")) return responses;
  if (path.endsWith("/embeddings")) return embeddings;
  throw new Error(`no protocol serves ${path}`);
}

/** A vector of a text: its length, and the code of its first letter. */
const embeddings: Protocol = {
  echo: ({ body }) => ({
    object: "list",
    model: body.model,
    data: body.input.map((text: string, index: number) => ({
      object: "embedding",
      index,
      embedding: [text.length, text.codePointAt(0) ?? 0],
    })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
  error: (message) => ({ error: { message } }),
  errorHeaders: () => ({}),
};

const echoing =
  (wire: WireName) =>
  ({ body }: ServedRequest): unknown =>
    replyBody(wire, { model: body.model, text: `echo: ${lastText(body.messages ?? body.input)}` });

const messages: Protocol = {
  echo: echoing("messages"),
  error: (message, code) => ({
    type: "error",
    error: { type: "some_error", message, ...(code ? { details: { error_code: code } } : {}) },
  }),
  errorHeaders: () => ({}),
};

const AWS_NAMES: Record<number, string> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

const converse: Protocol = {
  echo: echoing("converse"),
  error: (message) => ({ message }),
  errorHeaders: (status) => ({ "x-amzn-errortype": AWS_NAMES[status] ?? "UnknownException" }),
};

const openaiOf = (wire: "chat" | "responses"): Protocol => ({
  echo: echoing(wire),
  error: (message, code) => ({ error: { message, type: "some_error", code: code ?? null, param: null } }),
  errorHeaders: () => ({}),
});
const [chat, responses] = [openaiOf("chat"), openaiOf("responses")];

// biome-ignore lint/suspicious/noExplicitAny: four protocols, one question
function lastText(turns: any[]): string {
  const content = turns.at(-1)?.content;
  return typeof content === "string" ? content : (content?.[0]?.text ?? "");
}

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One exchange with the server. */
export interface Exchange {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Undefined where the server was not reached, or the caller left. */
  status?: number;
  reply?: Readonly<Record<string, unknown>>;
}

/** A proxy on this machine that passes everything on and keeps what it saw. */
export interface Recorder {
  readonly baseUrl: string;
  readonly seen: Exchange[];
  /** Calls of a model, without questions about the server itself. */
  calls(): Exchange[];
  close(): Promise<void>;
}

/** Starts a recording proxy before the server on this port. */
export async function startRecorder(port: number): Promise<Recorder> {
  const seen: Exchange[] = [];
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing, { port, seen }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    calls: () => seen.filter(({ path }) => /completions|embeddings|responses/.test(path)),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port, seen }: { port: number; seen: Exchange[] },
): Promise<void> {
  const { url: path = "/", method, headers } = incoming;
  const text = await textOf(incoming);
  const exchange: Exchange = { path, body: parsed(text) };
  seen.push(exchange);
  const passed = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
    void textOf(answer).then((body) => {
      exchange.status = answer.statusCode ?? 0;
      exchange.reply = parsed(body);
      outgoing.writeHead(exchange.status, answer.headers).end(body);
    });
  });
  passed.on("error", () => outgoing.destroy());
  outgoing.on("close", () => passed.destroy());
  passed.end(text);
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    return ""; // one side has left
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

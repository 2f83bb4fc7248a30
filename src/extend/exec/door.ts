import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../../text/file-trouble.js";
import { jsonIn } from "../../text/json.js";
import type { Kit, ModelReply, Phase } from "../../types/index.js";
import { completionOf, embeddingsOf, readChatRequest, readEmbeddings, streamChunkOf } from "./openai-wire.js";

/** The user or question that calls belong to. */
export interface CallOwner {
  readonly kit: Kit;
  readonly phase: Phase;
  /** How often each request was made. */
  readonly draws: Map<string, number>;
  /** Makes a call, while the owner's time stands still. */
  during<T>(call: () => Promise<T>): Promise<T>;
}

/** A local server with OpenAI's protocol, whose calls are the run's. */
export interface Door {
  /** What a program is started with. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** Opens a door. `owner`: whose calls come in; undefined: nobody's. */
export async function openDoor(owner: () => CallOwner | undefined): Promise<Door> {
  const token = randomUUID(); // other users of this machine do not know it
  const server = createServer(async (request, response) => {
    const undo: (() => void)[] = []; // a client that hangs up asks again: that is the same draw
    response.once("close", () => response.writableFinished || undo.forEach((one) => void one()));
    const sent = await answerTo(request, `/${token}/v1/`, owner(), undo);
    response.writeHead(sent.status, { "content-type": sent.isStream ? "text/event-stream" : "application/json" });
    const body = JSON.stringify(sent.body);
    response.end(sent.isStream ? `data: ${body}\n\ndata: [DONE]\n\n` : body);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/${token}/v1`, OPENAI_API_KEY: token, NO_PROXY: "127.0.0.1" },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Sent {
  readonly status: number;
  readonly body: object;
  readonly isStream?: boolean;
}

const refusal = (status: number, message: string): Sent => ({
  status,
  body: { error: { message, type: "lamp_eval", param: null, code: null } },
});

/** Clients send what failed with 408, 409, 429 or 5xx again by themselves: the run has tried already, so its failures are 400. */
async function answerTo(
  request: IncomingMessage,
  prefix: string,
  owner: CallOwner | undefined,
  undo: (() => void)[],
): Promise<Sent> {
  const { url = "", method: verb } = request;
  if (!url.startsWith(prefix)) return refusal(404, "no such address");
  const path = url.slice(prefix.length);
  if (verb === "GET" && path === "models")
    return { status: 200, body: { object: "list", data: [{ id: "run", object: "model" }] } };
  if (path !== "chat/completions" && path !== "embeddings") return refusal(400, `${path}: not carried`);
  if (owner === undefined) return refusal(409, "no user or question is open that the call could belong to");
  try {
    const body = jsonIn(Buffer.concat(await request.toArray()).toString("utf8"));
    return path === "embeddings" ? await embed(body, owner) : await complete(body, owner, undo);
  } catch (error) {
    return refusal(400, messageOf(error));
  }
}

async function complete(body: unknown, owner: CallOwner, undo: (() => void)[]): Promise<Sent> {
  const { kit, phase, draws } = owner;
  const { ask, ignored, count, isStream } = readChatRequest(body);
  for (const name of ignored) kit.count(`door-ignored=${name}`);
  const key = JSON.stringify(ask);
  const replies = Array.from({ length: count }, (): Promise<ModelReply> => {
    const draw = draws.get(key) ?? 0;
    draws.set(key, draw + 1);
    undo.push(() => draws.set(key, (draws.get(key) ?? 1) - 1));
    return owner.during(() => kit.ask(phase, { ...ask, draw }));
  });
  const completion = completionOf(await Promise.all(replies));
  return { status: 200, body: isStream ? streamChunkOf(completion) : completion, isStream };
}

async function embed(body: unknown, { kit, during }: CallOwner): Promise<Sent> {
  const { texts, ignored, isBase64 } = readEmbeddings(body, kit.embedder);
  for (const name of ignored) kit.count(`door-ignored=${name}`);
  const vectors = await during(() => kit.embed(texts));
  return { status: 200, body: embeddingsOf(vectors, isBase64) };
}

import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface EmbeddingsRequest {
  /** 0-based order of arrival. */
  readonly index: number;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly encoding_format: string };
}

export interface EmbeddingsReply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A string goes out as it is. `undefined`: the socket is destroyed. `"hang"` as `status` 0: nothing is ever sent. */
  readonly body: unknown;
}

/** What a text's vector is here: its length, and the code of its first letter. */
export const vectorOf = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0];

/** A local /embeddings server, closed when the test is over. `reply` overrides the right answer. */
export async function embeddingsServer(
  reply: (request: EmbeddingsRequest) => EmbeddingsReply | undefined = () => undefined,
) {
  const requests: EmbeddingsRequest[] = [];
  const server = http.createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const request = { index: requests.length, path: incoming.url ?? "", headers: incoming.headers, body };
    requests.push(request);
    const given = reply(request) ?? { body: rightAnswer(request) };
    if (given.status === 0) return;
    if (given.body === undefined) return void incoming.socket.destroy();
    outgoing.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
    outgoing.end(typeof given.body === "string" ? given.body : JSON.stringify(given.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** Vectors in reverse order, told apart by index. */
export function rightAnswer({ body }: EmbeddingsRequest) {
  const data = body.input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
  return { object: "list", model: body.model, data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } };
}

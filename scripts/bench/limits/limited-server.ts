import { setMaxListeners } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { realClock } from "../../../src/process-io.js";
import type { Clock } from "../../../src/types.js";
import { Limiter, type ServerRules } from "./limiter.js";
import { tokensOf } from "./requests.js";

/** Real time, so many times as fast. */
export function fastClock(times: number): Clock {
  const start = realClock.monotonic();
  return {
    now: () => realClock.now(),
    monotonic: () => (realClock.monotonic() - start) * times,
    sleep: (ms, signal) => realClock.sleep(ms / times, signal),
  };
}

export interface LimitedServer {
  readonly url: string;
  readonly limiter: Limiter;
  /** Calls that were answered, when the first came and when the last was answered, milliseconds of the clock. */
  served(): { readonly calls: number; readonly firstMs: number; readonly lastMs: number };
  close(): Promise<void>;
}

/** A server of OpenAI's chat completions on this machine that limits its one account by these rules, on the clock. */
export async function startLimitedServer(rules: ServerRules, clock: Clock): Promise<LimitedServer> {
  const limiter = new Limiter(rules);
  const startMs = clock.monotonic();
  const served = { calls: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      served.firstMs = Math.min(served.firstMs, clock.monotonic());
      const { messages } = JSON.parse(Buffer.concat(parts).toString()) as { messages: { content: string }[] };
      const tokens = tokensOf(messages.map(({ content }) => content).join(""));
      const { taken, headers } = limiter.arrive(clock.monotonic() - startMs, tokens);
      const { date: _, ...told } = headers; // its own, which is real
      response.setHeader("content-type", "application/json");
      for (const [name, value] of Object.entries(told)) response.setHeader(name, value);
      if (!taken) {
        response.statusCode = 429;
        response.end(JSON.stringify({ error: { message: "rate limit reached", code: "rate_limit_exceeded" } }));
        return;
      }
      void clock.sleep(rules.replyMs, never).then(() => {
        limiter.leave();
        served.calls += 1;
        served.lastMs = clock.monotonic();
        response.end(JSON.stringify(replyOf(tokens)));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, limiter, served: () => served, close: () => closed(server) };
}

const never = new AbortController().signal;
setMaxListeners(0, never); // every reply waits with it

const replyOf = (tokens: number) => ({
  id: "c",
  object: "chat.completion",
  created: 0,
  model: "bench",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "3" } }],
  usage: { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 },
});

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

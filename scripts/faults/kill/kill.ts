import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readJournal } from "../../../src/run/journal/journal.js";
import { runFiles } from "../../../src/run/run-rows.js";
import type { ModelRequest } from "../../../src/types.js";

export interface KillSettings {
  /** The program, e.g. `bin/lamp-eval.js`. */
  readonly program: string;
  /** A folder with `reviews/users.json` in it. */
  readonly cwd: string;
  readonly out: string;
  readonly inFlight: number;
  readonly latencyMs: number;
  /** Requests that have arrived before the kill. */
  readonly after: number;
  /** Further wait, milliseconds. */
  readonly laterMs: number;
}

/** What a kill cost: replies that the server had sent in full and the run folder lacks. */
export interface KillLoss {
  readonly sent: number;
  readonly stored: number;
  /** For each lost reply, the time between the server's send and the kill, milliseconds. */
  readonly agesMs: readonly number[];
}

/** Starts a run against a local server, kills the process with SIGKILL in the middle, and looks for what is lost. */
export async function killOnce(settings: KillSettings): Promise<KillLoss> {
  const { program, cwd, out, inFlight, latencyMs, after, laterMs } = settings;
  const sentAt = new Map<string, number>();
  let arrived = 0;
  const server = http.createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Pick<ModelRequest, "messages">;
    arrived += 1;
    setTimeout(() => {
      outgoing.writeHead(200, { "content-type": "application/json" });
      sentAt.set(textOf(messages), performance.now());
      outgoing.end(REPLY);
    }, latencyMs);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const line = `run --task lamp3 --method rag --data reviews --model openai/rated --base-url ${url} --concurrency ${inFlight} --out ${out}`;
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: "sk-fake-0123456789" };
  const child = spawn(process.execPath, [program, ...line.split(" ")], { cwd, env, stdio: "ignore" });
  const ended = once(child, "close");
  while (arrived < after && child.exitCode === null) await delay(1);
  await delay(laterMs);
  const killedAt = performance.now();
  child.kill("SIGKILL");
  const sent = new Map([...sentAt].filter(([, atMs]) => atMs <= killedAt));
  await ended;
  server.closeAllConnections();
  server.close();
  const stored = new Set(storedTexts(join(cwd, out)));
  const lost = [...sent].filter(([text]) => !stored.has(text));
  return {
    sent: sent.size,
    stored: stored.size,
    agesMs: lost.map(([, atMs]) => killedAt - atMs).sort((a, b) => a - b),
  };
}

const REPLY = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "rated",
  choices: [{ index: 0, finish_reason: "stop", logprobs: null, message: { role: "assistant", content: "5" } }],
  usage: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 },
});

const textOf = (messages: ModelRequest["messages"]): string =>
  messages.map((message) => ("content" in message ? message.content : "")).join("\n");

function* storedTexts(folder: string): Generator<string> {
  for (const { request } of readJournal<{ request: ModelRequest }>(join(folder, runFiles.responses)))
    yield [...(request.system === undefined ? [] : [request.system]), textOf(request.messages)].join("\n");
}

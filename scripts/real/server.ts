import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { modelFile, pythonWith, type realModels, script, serverPackage } from "./models.js";

export interface ServerSettings {
  readonly model?: keyof typeof realModels;
  /** A free one where it is left out. */
  readonly port?: number;
  /** Further arguments of serve.py: --slots, --ctx, --threads, --key, --name, --embedding. */
  readonly args?: readonly string[];
}

/** A llama.cpp server on this machine. */
export interface RealServer {
  readonly port: number;
  /** http://127.0.0.1:PORT/v1 */
  readonly baseUrl: string;
  /** Ends it as a power cut would. */
  stop(): Promise<void>;
}

/** Starts llama.cpp's server, fetching it and its model first where they are not in the cache, and waits until it answers. */
export async function startRealServer(settings: ServerSettings = {}): Promise<RealServer> {
  const { model = "smollm2-135m", args = [] } = settings;
  const port = settings.port ?? (await freePort());
  const python = pythonWith("server", [serverPackage]);
  const child = spawn(python, [script("serve.py"), modelFile(model), String(port), ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await untilPrinted(child, "ready");
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Waits until a program prints a word. Throws an Error when it ends before. */
function untilPrinted(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data: Buffer) => {
        printed = `${printed}${data}`.slice(-4000);
        if (printed.includes(word)) resolve();
      });
    child.once("exit", (code) => reject(new Error(`ended with ${code} before it was ready: ${printed}`)));
    child.once("error", reject);
  });
}

/** Returns a port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

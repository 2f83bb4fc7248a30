import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** What one program took, as a process of its own. */
export interface Measured {
  /** From its start to its end. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  /** From the first call that the server saw to its last answer; undefined where nothing was called. */
  readonly calling: { readonly calls: number; readonly wallMs: number; readonly cpuMs: number } | undefined;
}

/** The server that all programs call, in a process of its own. */
export interface Server {
  readonly url: string;
  /** What came since this was last asked. */
  served(): Promise<{ readonly calls: number; readonly firstMs: number; readonly lastMs: number }>;
  stop(): void;
}

export const enginePart = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

export async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [enginePart("server")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<string> => ((await once(lines, "line")) as [string])[0];
  return {
    url: await next(),
    async served() {
      const line = next();
      child.stdin.write("\n");
      return JSON.parse(await line);
    },
    stop: () => child.kill(),
  };
}

/** Runs a Node program to its end. Throws where it fails. `folder`: for what it tells of itself. */
export async function measure(args: readonly string[], server: Server, folder: string): Promise<Measured> {
  await server.served();
  const told = join(folder, "watch.json");
  const startMs = Date.now();
  const child = spawn(process.execPath, ["--import", enginePart("watch"), ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, BENCH_WATCH: told, OPENAI_API_KEY: "none" },
  });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2000);
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const endMs = Date.now();
  if (code !== 0) throw new Error(`${args.join(" ")} failed: ${complaints}`);
  const { peakMb, samples } = JSON.parse(readFileSync(told, "utf8")) as Watched;
  const { calls, firstMs, lastMs } = await server.served();
  const cpuAt = (ms: number): number => samples.findLast(([at]) => at <= ms)?.[1] ?? 0;
  return {
    wallMs: endMs - startMs,
    cpuMs: samples.at(-1)![1],
    peakMb,
    calling: calls === 0 ? undefined : { calls, wallMs: lastMs - firstMs, cpuMs: cpuAt(lastMs) - cpuAt(firstMs) },
  };
}

/** What `watch.js` writes. */
interface Watched {
  readonly peakMb: number;
  /** Milliseconds since the epoch, and the CPU time up to then. */
  readonly samples: readonly (readonly [number, number])[];
}

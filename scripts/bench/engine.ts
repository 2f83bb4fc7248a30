import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderText } from "../../src/report/tables/table.js";

/**
 * The engine against two floors in one run: a bare fetch loop and a bare loop over the same SDK. All call one local
 * server that answers after 50 ms. Targets: wall <= 1.15x and CPU <= +0.3 ms a call of the bare SDK loop, peak RSS <=
 * its RSS + 60 MB, also at ten times the calls (V8 lets the heap of either loop grow with their number); a rerun answered from the store in < 2 s.
 */
export async function main(args: string[]): Promise<void> {
  const calls = Number(args[0] ?? 4000);
  const server = await startServer();
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  try {
    const measured: Measured[] = [];
    const measure = async (loop: string, n: number, out: string) => {
      const result = await runLoop(loop, n, server.url, out);
      measured.push(result);
      return result;
    };
    await measure("fetch", calls, "");
    const sdk = await measure("sdk", calls, "");
    const ours = await measure("engine", calls, join(folder, "once"));
    const again = await measure("engine", calls, join(folder, "once"));
    const large = await measure("engine", calls * 10, join(folder, "large"));
    const largeSdk = await measure("sdk", calls * 10, "");
    print(measured, sdk);
    const cpuPerCall = (m: Measured) => m.cpuMs / m.calls;
    const verdicts: [string, boolean][] = [
      [`wall ${(ours.wallMs / sdk.wallMs).toFixed(2)}x of the SDK loop (<= 1.15)`, ours.wallMs <= 1.15 * sdk.wallMs],
      [
        `CPU +${(cpuPerCall(ours) - cpuPerCall(sdk)).toFixed(3)} ms a call (<= 0.3)`,
        cpuPerCall(ours) - cpuPerCall(sdk) <= 0.3,
      ],
      [`RSS +${(ours.rssMb - sdk.rssMb).toFixed(0)} MB (<= 60)`, ours.rssMb - sdk.rssMb <= 60],
      [
        `RSS at ${calls * 10} calls: ${large.rssMb.toFixed(0)} MB, SDK loop ${largeSdk.rssMb.toFixed(0)} MB (<= +60)`,
        large.rssMb - largeSdk.rssMb <= 60,
      ],
      [`rerun from the store ${(again.wallMs / 1000).toFixed(2)} s (< 2)`, again.wallMs < 2000],
    ];
    for (const [text, ok] of verdicts) console.log(`${ok ? "ok  " : "MISS"} ${text}`);
    if (verdicts.some(([, ok]) => !ok)) process.exitCode = 1;
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly loop: string;
  readonly calls: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

const part = (name: string): string => fileURLToPath(new URL(`./engine/${name}.js`, import.meta.url));

async function startServer(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [part("server")], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), stop: () => child.kill() };
}

async function runLoop(loop: string, calls: number, url: string, out: string): Promise<Measured> {
  const child = spawn(process.execPath, [part("loop"), loop, String(calls), url, out], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`the ${loop} loop failed`);
  return { loop, calls, ...(JSON.parse(text) as Omit<Measured, "loop" | "calls">) };
}

function print(measured: readonly Measured[], floor: Measured): void {
  const titles = ["loop", "calls", "wall s", "x ideal", "x SDK loop", "CPU ms/call", "peak RSS MB"];
  console.log(
    renderText({
      columns: titles.map((title, i) => ({ title, align: i === 0 ? ("left" as const) : ("right" as const) })),
      rows: measured.map(({ loop, calls, wallMs, cpuMs, rssMb }) => [
        loop,
        String(calls),
        (wallMs / 1000).toFixed(2),
        (wallMs / ((calls / 50) * 50)).toFixed(2),
        (wallMs / calls / (floor.wallMs / floor.calls)).toFixed(2),
        (cpuMs / calls).toFixed(3),
        rssMb.toFixed(0),
      ]),
    }),
  );
}

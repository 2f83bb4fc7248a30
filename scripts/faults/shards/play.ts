import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pLimit from "p-limit";
import { readJournal } from "../../../src/run/journal/journal.js";
import { readManifest } from "../../../src/run/manifest/manifest.js";
import { shardOf } from "../../../src/run/plan/part.js";
import { runFiles } from "../../../src/run/run-rows.js";
import type { Row } from "../../../src/types.js";
import { startCli } from "../../../test/e2e/cli-process.js";
import { comparedFiles } from "../../../test/helpers/run-folder.js";
import { slowPlugin } from "./slow-plugin.js";

const LATENCY_MS = 10;
const PLUGIN = ["--plugin", "./slow.mjs"];

export interface ShardsPlay {
  /** What `run` is asked for, without shards and folder. */
  readonly asked: readonly string[];
  readonly shards: number;
  /** The share of the killed shard's rows that are written when it is killed, 0..1. */
  readonly share: number;
}

export interface PlayedShards {
  /** Rows of the whole run. */
  readonly rows: number;
  /** The shard with the most rows: its rows when it was killed, and in the end. Undefined where it ended before. */
  readonly killed: { readonly shard: number; readonly rows: number; readonly of: number } | undefined;
  /** What came out otherwise than of one process. */
  readonly offences: readonly string[];
}

/**
 * One run in one process; the same in shards, each in its own, one of them killed (SIGKILL) and begun again; then the merge.
 * Compares rows, units, traces, tables and pictures byte for byte, verifies the merged run and resumes it.
 */
export async function playShards({ asked, shards, share }: ShardsPlay): Promise<PlayedShards> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-shards-"));
  const offences: string[] = [];
  const finish = async (args: readonly string[]): Promise<string> => {
    const { code, stderr } = await startCli(args, { cwd }).exit;
    if (code !== 0) offences.push(`${args.join(" ")}: exit code ${code}: ${stderr.trim()}`);
    return stderr;
  };
  try {
    writeFileSync(join(cwd, "slow.mjs"), slowPlugin(pathToFileURL(resolve("dist/index.js")).href, LATENCY_MS));
    const run = [...asked, ...PLUGIN, "--model", "slow/lexical", "--concurrency", "4"];
    await finish([...run, "--out", "single"]);
    await finish([...run, "--shared-only", "--out", "shared"]);
    const { shard: largest, rows: of } = largestShard(join(cwd, "single"), shards);
    const slots = pLimit(availableParallelism());
    const numbers = Array.from({ length: shards }, (_, n) => n + 1);
    const folders = numbers.map((n) => `shard-${n}`);
    const work = async (n: number): Promise<number | undefined> => {
      const args = [...run, "--shard", `${n}/${shards}`, "--shared", "shared", "--out", `shard-${n}`];
      const rows = n === largest ? await killedAt(cwd, args, `shard-${n}`, share * of) : undefined;
      await finish(args);
      return rows;
    };
    const rows = (await Promise.all(numbers.map((n) => slots(() => work(n))))).find((found) => found !== undefined);
    await finish(["merge", ...PLUGIN, ...folders.reverse(), "shared", "--out", "whole"]);
    offences.push(...differences(join(cwd, "single"), join(cwd, "whole")));
    await finish(["verify", ...PLUGIN, "whole"]);
    const again = await finish([...run, "--out", "whole"]);
    if (!again.includes("0 calls sent, 0 replies from the store")) offences.push(`resumed: ${again}`);
    const whole = rowsOf(join(cwd, "single")).length;
    return { rows: whole, killed: rows === undefined ? undefined : { shard: largest, rows, of }, offences };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

// --- internal ---

const rowsOf = (folder: string): Row[] => [...readJournal<Row>(join(folder, runFiles.rows))];

function largestShard(single: string, shards: number): { shard: number; rows: number } {
  const counts = new Map<number, number>();
  for (const { user } of rowsOf(single)) {
    const shard = shardOf(user, shards);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  const [[shard, rows] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1]);
  return { shard, rows };
}

/** Starts a shard and kills it once it has written so many rows. Returns how many it had; undefined where it had ended. */
async function killedAt(cwd: string, args: readonly string[], out: string, rows: number): Promise<number | undefined> {
  const child = startCli(args, { cwd });
  const path = join(cwd, out, runFiles.rows);
  const written = () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0);
  while (!child.ended && written() < Math.max(1, rows)) await delay(2);
  child.kill("SIGKILL");
  await child.exit;
  return readManifest(join(cwd, out))?.records === undefined ? written() : undefined;
}

/** The files in which two run folders differ. */
function differences(a: string, b: string): string[] {
  const drawn = (folder: string) => {
    const path = join(folder, runFiles.figures);
    return existsSync(path) ? readdirSync(path).map((name) => join(runFiles.figures, name)) : [];
  };
  const names = [...new Set([...comparedFiles, ...drawn(a), ...drawn(b)])];
  const bytes = (folder: string, name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "latin1") : undefined;
  const other = names.filter((name) => bytes(a, name) !== bytes(b, name));
  const requests = [a, b].map((folder) => JSON.stringify(readManifest(folder)?.requests));
  return [
    ...other.map((name) => `${name} is another than that of one process`),
    ...(requests[0] === requests[1] ? [] : ["the requests in the manifest are others than those of one process"]),
  ];
}

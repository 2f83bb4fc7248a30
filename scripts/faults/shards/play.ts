import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import pLimit from "p-limit";
import { readJournal } from "../../../src/run/journal/journal.js";
import { readManifest } from "../../../src/run/manifest/manifest.js";
import { shardOf } from "../../../src/run/plan/part.js";
import { runFiles } from "../../../src/run/run-rows.js";
import type { Row } from "../../../src/types.js";
import { startCli } from "../../../test/e2e/cli-process.js";
import { comparedFiles } from "../../../test/helpers/run-folder.js";
import { type KilledShard, killedShard } from "./kill-shard.js";
import { slowPlugin } from "./slow-plugin.js";

const PLUGIN = ["--plugin", "./slow.mjs"];
const DATA = "data";

export interface ShardsPlay {
  /** What `run` is asked for, without shards and folder. */
  readonly asked: readonly string[];
  readonly shards: number;
  /** The share of the killed shard's rows that are written when it is killed, 0..1. */
  readonly share: number;
  /** Makes the data. Default: those of the demo. */
  readonly makeData?: ((folder: string) => void) | undefined;
}

export interface PlayedShards {
  /** Rows of the whole run. */
  readonly rows: number;
  /** The shard with the most rows: when it was killed, and its rows in the end. Undefined where none could be killed: an offence. */
  readonly killed: (KilledShard & { readonly of: number }) | undefined;
  /** What came out otherwise than of one process. */
  readonly offences: readonly string[];
}

/**
 * One run in one process; the same in shards, each in its own, one of them killed (SIGKILL) and begun again; then the merge.
 * Compares rows, units, traces, tables and pictures byte for byte, verifies the merged run and resumes it.
 */
export async function playShards({ asked, shards, share, makeData }: ShardsPlay): Promise<PlayedShards> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-shards-"));
  const offences: string[] = [];
  const finish = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await startCli(args, { cwd }).exit;
    const failed = stdout.split("\n").filter((line) => line.startsWith("FAILED"));
    if (code !== 0) offences.push(`${args.join(" ")}: exit code ${code}: ${[stderr.trim(), ...failed].join("; ")}`);
    return stderr;
  };
  try {
    writeFileSync(join(cwd, "slow.mjs"), slowPlugin(pathToFileURL(resolve("dist/index.js")).href));
    makeData?.(join(cwd, DATA));
    const data = makeData === undefined ? [] : ["--data", DATA];
    const run = [...asked, ...data, ...PLUGIN, "--model", "slow/lexical", "--concurrency", "4"];
    await finish([...run, "--out", "single"]);
    const { shard: largest, rows: of } = largestShard(join(cwd, "single"), shards);
    const slots = pLimit(availableParallelism());
    const numbers = Array.from({ length: shards }, (_, n) => n + 1);
    const folders = numbers.map((n) => `shard-${n}`);
    const work = async (n: number): Promise<KilledShard | undefined> => {
      const out = `shard-${n}`;
      const args = [...run, "--shard", `${n}/${shards}`, "--out", out];
      const killed = n === largest ? await killedShard({ cwd, args, out, rows: share * of }) : undefined;
      await finish(args);
      return killed;
    };
    const killed = (await Promise.all(numbers.map((n) => slots(() => work(n))))).find((found) => found !== undefined);
    if (killed === undefined) offences.push("no process was killed: every try had ended before");
    await finish(["merge", ...PLUGIN, ...folders.reverse(), "--out", "whole"]);
    offences.push(...differences(join(cwd, "single"), join(cwd, "whole")));
    await finish(["verify", ...PLUGIN, ...data, "whole"]);
    const again = await finish([...run, "--out", "whole"]);
    if (!again.includes("0 calls sent, 0 replies from the store")) offences.push(`resumed: ${again}`);
    const whole = rowsOf(join(cwd, "single")).length;
    return { rows: whole, killed: killed === undefined ? undefined : { ...killed, of }, offences };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

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
  const [single, merged] = [readManifest(a), readManifest(b)];
  const facts = (["requests", "tasks"] as const).filter((name) => !isDeepStrictEqual(single?.[name], merged?.[name]));
  return [
    ...other.map((name) => `${name} is another than that of one process`),
    ...facts.map((name) => `${name} of the manifest: another than that of one process`),
  ];
}

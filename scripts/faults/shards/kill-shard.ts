import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readManifest } from "../../../src/run/manifest/manifest.js";
import { runFiles } from "../../../src/run/run-rows.js";
import { startCli } from "../../../test/e2e/cli-process.js";
import { LATENCY } from "./slow-plugin.js";

/** A shard whose process was killed (SIGKILL) before it had ended. */
export interface KilledShard {
  /** Rows that stood there when it was killed. */
  readonly rows: number;
  /** Which try it was, from 1. */
  readonly tries: number;
}

export interface KillSettings {
  readonly cwd: string;
  readonly args: readonly string[];
  /** The shard's folder. */
  readonly out: string;
  /** It is killed once it has written so many rows. */
  readonly rows: number;
}

/**
 * Starts a shard and kills it. One that had ended before is thrown away and begun
 * anew with a slower model and an earlier point. Undefined where no try of five killed one.
 */
export async function killedShard(settings: KillSettings): Promise<KilledShard | undefined> {
  const { cwd, out } = settings;
  for (let tries = 1; tries <= TRIES; tries++) {
    const signal = await killOnce(settings, 2 ** (tries - 1));
    const manifest = existsSync(join(cwd, out, runFiles.manifest)) ? readManifest(join(cwd, out)) : undefined;
    const isAtWork = manifest !== undefined && manifest.records === undefined && signal === "SIGKILL";
    if (isAtWork) return { rows: rowsIn(join(cwd, out)), tries };
    rmSync(join(cwd, out), { recursive: true, force: true });
  }
  return undefined;
}

const TRIES = 5;
const LATENCY_MS = 20;

const rowsIn = (folder: string): number => {
  const path = join(folder, runFiles.rows);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
};

/** `slower`: so many times as slow, and killed so many times as early. Returns the signal that ended it. */
async function killOnce({ cwd, args, out, rows }: KillSettings, slower: number): Promise<NodeJS.Signals | null> {
  const child = startCli(args, { cwd, env: { [LATENCY]: String(LATENCY_MS * slower) } });
  while (!child.ended && rowsIn(join(cwd, out)) < Math.max(1, rows / slower)) await delay(2);
  child.kill("SIGKILL");
  return (await child.exit).signal;
}

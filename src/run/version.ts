import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Io } from "./io.js";

export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** What a manifest says of the repository that a command was given in. */
export interface GitState {
  readonly commit: string;
  readonly dirty: boolean;
}

/** Commit of the folder's repository; undefined outside one, without a commit, or without git. */
export async function gitState(folder: string, env: Io["env"]): Promise<GitState | undefined> {
  if (env.GIT_DIR === undefined && !isUnderRepository(folder)) return undefined;
  try {
    const { stdout } = await promisify(execFile)("git", ["status", "--porcelain=v2", "--branch"], {
      cwd: folder,
      maxBuffer: MOST_BYTES,
    });
    const commit = /^# branch\.oid ([0-9a-f]{40,64})$/m.exec(stdout)?.[1];
    return commit === undefined ? undefined : { commit, dirty: /^[^#\n]/m.test(stdout) };
  } catch {
    return undefined; // no git, or no repository: the manifest leaves the field out
  }
}

const MOST_BYTES = 64 * 2 ** 20;

/** Starting a program that will find nothing takes longer than looking for `.git`, here or in a folder above. */
function isUnderRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, ".git")) || (above !== folder && isUnderRepository(above));
}

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../io.js";

/** This package's version. */
export function version(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Commit of the folder's repository; undefined outside one, without a commit, or without git. */
export function gitState(folder: string, env: Io["env"]): { commit: string; dirty: boolean } | undefined {
  if (env.GIT_DIR === undefined && !isUnderRepository(folder)) return undefined;
  try {
    const args = ["status", "--porcelain=v2", "--branch"];
    const said = execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const commit = /^# branch\.oid ([0-9a-f]{40,64})$/m.exec(said)?.[1];
    return commit === undefined ? undefined : { commit, dirty: /^[^#\n]/m.test(said) };
  } catch {
    return undefined; // no git, or no repository: the manifest leaves the field out
  }
}

// --- internal ---

/** Starting a program that will find nothing takes longer than looking for `.git`, here or in a folder above. */
function isUnderRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, ".git")) || (above !== folder && isUnderRepository(above));
}

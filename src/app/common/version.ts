import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** This package's version. */
export function version(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Commit of the folder's repository; undefined outside one or without git. */
export function gitState(folder: string): { commit: string; dirty: boolean } | undefined {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return { commit: git("rev-parse", "HEAD"), dirty: git("status", "--porcelain") !== "" };
  } catch {
    return undefined; // no git, or no repository: the manifest leaves the field out
  }
}

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitState } from "../../../src/run/version.js";
import { tempDir } from "../../helpers/temp-dir.js";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

test("a run names the commit that its folder, or one above it, stands at, and whether something is changed", async () => {
  const root = tempDir();
  const within = join(root, "deep", "er");
  mkdirSync(within, { recursive: true });
  git(root, "init", "--quiet");
  expect(await gitState(within, {}), "no commit yet").toBeUndefined();
  writeFileSync(join(root, "file"), "one");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "--message", "one");
  const commit = git(root, "rev-parse", "HEAD");
  expect(await gitState(within, {})).toEqual({ commit, dirty: false });
  writeFileSync(join(within, "new"), "two");
  expect(await gitState(within, {})).toEqual({ commit, dirty: true });
  expect(await gitState(join(root, ".."), {}), "outside").toBeUndefined();
  expect(
    await gitState(join(root, ".."), { GIT_DIR: "/nowhere" }),
    "git is asked where it is told to look",
  ).toBeUndefined();
});

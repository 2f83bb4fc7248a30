import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandNames } from "../../src/commands/commands.js";
import { runCommandLine } from "../helpers/test-io.js";

const script = async (shell: string) => (await runCommandLine(`completion ${shell}`, { cwd: "." })).stdout;

/** What bash offers behind these words. */
function offered(completion: string, ...words: readonly string[]): string[] {
  const line = `COMP_WORDS=(lamp-eval ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _lamp_eval; echo "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", `${completion}\n${line}`], { encoding: "utf8" })
    .trim()
    .split(" ");
}

test("bash completes commands, commands of commands and flags", async () => {
  const bash = await script("bash");
  expect(offered(bash, "")).toEqual(expect.arrayContaining([...commandNames]));
  expect(offered(bash, "rep")).toEqual(["report", "reproduce"]);
  expect(offered(bash, "data", "")).toEqual(expect.arrayContaining(["download", "prepare", "audit"]));
  expect(offered(bash, "data", "download", "lamp3", "--s")).toEqual(["--suite", "--split"]);
  expect(offered(bash, "run", "--task", "lamp3", "--max-u")).toEqual(["--max-usd"]);
});

test("zsh and fish get the same words; another shell is refused by name", async () => {
  expect(await script("zsh")).toContain("bashcompinit\n_lamp_eval() {");
  expect(await script("fish")).toContain('-n "__fish_seen_subcommand_from download" -a "--suite --split');
  const { code, stderr } = await runCommandLine("completion tcsh", { cwd: "." });
  expect([code, stderr]).toEqual([2, expect.stringContaining("tcsh")]);
});

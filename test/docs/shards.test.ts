import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runFiles } from "../../src/run/run-files.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const doc = readFileSync(new URL("../../docs/SHARDS.md", import.meta.url), "utf8");

/** The lamp-eval commands of the blocks in a language under a heading, in order. */
function commandsIn(heading: string, language: string): string[] {
  const section = doc.split(/^#{1,2} (?=[A-Z])/m).find((text) => text.startsWith(heading)) ?? "";
  const blocks = [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))];
  return blocks.flatMap(([, text = ""]) =>
    [...text.matchAll(/(?:\$|npx) lamp-eval (.*)$/gm)].map(([, line = ""]) => line),
  );
}

/** The array of shards written out, and experiments that take no time. */
function writtenOut(commands: readonly string[]): string[] {
  const numbered = (line: string, n: number) =>
    line.replaceAll(/\$\{\{ matrix\.shard \}\}/g, `${n}`).replaceAll("$SLURM_ARRAY_TASK_ID", `${n}`);
  return commands
    .flatMap((line) => [...new Set([1, 2, 3, 4].map((n) => numbered(line, n)))])
    .map((line) => line.replace("$ARGS", "-t lamp2m -m prompt --users 3 --queries-per-user 1"));
}

it.each([
  ["One run", "console", ["whole"]],
  ["GitHub Actions", "yaml", ["runs/whole"]],
])("the commands under %s work as they stand", async (heading, language, merged) => {
  const cwd = tempDir();
  const commands = writtenOut(commandsIn(heading, language));
  expect(commands.length).toBeGreaterThan(3);
  const few = language === "console" ? " --users 3 --queries-per-user 1" : "";
  for (const line of commands) {
    const { code, stderr } = await runCommandLine(line.startsWith("run ") ? `${line}${few}` : line, { cwd });
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
  }
  for (const folder of merged) expect(readFileSync(join(cwd, folder, runFiles.rows), "utf8").length).toBeGreaterThan(0);
});

it("the commands under Slurm are those under GitHub Actions", () => {
  const slurm = writtenOut(commandsIn("Slurm", "bash"));
  expect(slurm.length).toBe(4);
  expect(writtenOut(commandsIn("GitHub Actions", "yaml"))).toEqual(expect.arrayContaining(slurm));
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const fresh = () => {
  const cwd = tempDir();
  const type = (line: string, answers: readonly string[] = []) => runCommandLine(line, { cwd, answers });
  const config = (file = "lamp-eval.yaml") => parse(readFileSync(join(cwd, file), "utf8")) as Record<string, unknown>;
  return { type, config };
};

describe("lamp-eval init", () => {
  test("writes a config that validate accepts and run takes, and says what to type next", async () => {
    const { type, config } = fresh();
    const { code, stdout } = await type("init --yes --task lamp3,LaMP_2 --method rag,prompt --max-usd 2.5");
    expect([code, config()]).toEqual([0, { task: ["lamp3", "lamp2m"], method: ["rag", "prompt"] }]);
    expect(stdout).toContain("lamp-eval run --config lamp-eval.yaml --dry-run");
    expect((await type("validate lamp-eval.yaml")).code).toBe(0);
    const planned = await type("run --config lamp-eval.yaml --dry-run");
    expect([planned.code, planned.stdout.includes("rag")]).toEqual([0, true]);
  });

  test("asks what the flags leave open; an empty answer is the default", async () => {
    const { type, config } = fresh();
    const { code } = await type("init --out my.yaml --method icl", ["lamp7", "openai/gpt-6-mini", "", "3"]);
    expect([code, config("my.yaml")]).toEqual([
      0,
      { task: ["lamp7"], method: ["icl"], model: "openai/gpt-6-mini", unsupported: "drop", maxUsd: 3 },
    ]);
    const quiet = fresh();
    expect((await quiet.type("init")).code).toBe(0);
    expect(quiet.config()).toEqual({ task: ["lamp2m"], method: ["prompt", "rag", "persona-agent"] });
  });

  test("a config for a model that takes no temperature can be run as it stands", async () => {
    const { type } = fresh();
    await type("init --yes --task lamp3 --method rag --model anthropic/claude-haiku-5-5");
    const { code, stdout } = await type("run --config lamp-eval.yaml --users 1 --dry-run");
    expect([code, stdout]).toEqual([0, expect.stringContaining("nothing was sent")]);
  });

  test.each([
    ["init --yes --task lamp33", 'did you mean "lamp3"?'],
    ["init --yes --method ragg", 'did you mean "rag"?'],
    ["init --yes --model openal/gpt-6", '--model openal/gpt-6: unknown provider "openal"; did you mean "openai"?'],
    ["init --yes --model gpt", "write PROVIDER/ID"],
    ["init --yes --max-usd ten", "--max-usd ten: write a number"],
  ])("%s is refused in one line and writes nothing", async (line, said) => {
    const { type, config } = fresh();
    const { code, stderr } = await type(line);
    expect([code, stderr.split("\n").length]).toEqual([2, 1]);
    expect(stderr).toContain(said);
    expect(() => config()).toThrow("ENOENT");
  });

  test("never writes over a file", async () => {
    const { type } = fresh();
    await type("init --yes");
    expect((await type("init --yes")).code).toBe(0); // the same once more
    expect((await type("init --yes --method rag")).stderr).toContain("there is such a file");
  });
});

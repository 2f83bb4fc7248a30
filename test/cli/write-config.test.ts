import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configSettings } from "../../src/app/run/settings.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const fresh = () => {
  const cwd = tempDir();
  const type = (line: string) => runCommandLine(line, { cwd });
  return { type, text: (file = "first.yaml") => readFileSync(join(cwd, file), "utf8") };
};

describe("lamp-eval run --write-config", () => {
  test("writes what was asked for, and every other setting as a comment; doctor and run take the file", async () => {
    const { type, text } = fresh();
    const line = "run --task lamp3,LaMP_2 --method rag --set rag.k=2 --max-calls 25 --write-config first.yaml";
    const { code, stdout } = await type(line);
    expect([code, parse(text())]).toEqual([
      0,
      { task: "lamp3,LaMP_2", method: "rag", set: { "rag.k": "2" }, maxCalls: 25 },
    ]);
    for (const key of Object.keys(configSettings)) expect(text()).toMatch(new RegExp(`^(# )?${key}: `, "m"));
    expect(stdout).toContain("lamp-eval run --config first.yaml --dry-run");
    expect((await type("doctor first.yaml")).code).toBe(0);
    const planned = await type("run --config first.yaml --dry-run");
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining("rag")]);
  });

  test.each([
    ["run --task lamp33 --method rag", 'did you mean "lamp3"?'],
    ["run --task lamp3 --method ragg", 'did you mean "rag"?'],
    ["run --task lamp3 --method rag --model openal/gpt-6", 'unknown provider "openal"; did you mean "openai"?'],
    ["run --task lamp3 --method rag --shard 1/2", "--shard: stands in no config"],
  ])("%s is refused in one line and writes nothing", async (line, said) => {
    const { type, text } = fresh();
    const { code, stderr } = await type(`${line} --write-config first.yaml`);
    expect([code, stderr.split("\n").length]).toEqual([2, 1]);
    expect(stderr).toContain(said);
    expect(() => text()).toThrow("ENOENT");
  });

  test("never writes over a file", async () => {
    const { type } = fresh();
    await type("run --task lamp3 --method rag --write-config first.yaml");
    const again = await type("run --task lamp2m --method rag --write-config first.yaml");
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("this file exists")]);
  });
});

test("run --help shows about 20 options, --help-all every one", async () => {
  const { type } = fresh();
  const flags = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const [short, all] = [flags((await type("run --help")).stdout), flags((await type("run --help-all")).stdout)];
  expect(short.length).toBeLessThanOrEqual(26);
  expect(all).toEqual(expect.arrayContaining(short));
  expect(all).toContain("--deadline-seconds");
});

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const home = new URL("../../datasets/demo/recorded/", import.meta.url).pathname;
const replay = `run --config ${home}run.yaml --replay ${home}demo.pack`;
const cwd = suiteDir();

test("the recorded demo holds every reply that today's prompts ask for, and verify recomputes it", async () => {
  const { code, stdout, stderr } = await runCommandLine(`${replay} --out demo`, { cwd });
  expect(code, `prompts have moved; record again: npm run record-demo\n${stderr}`).toBe(0);
  expect(stdout).toContain("openai/qwen2.5-coder-1.5b-instruct-q4_k_m · 12 users, 42 questions");
  expect(stdout).not.toMatch(/SIMULATED|price/);
  expect(stderr).toMatch(/\b0 calls sent/);
  const verified = await runCommandLine(`verify ${home}demo.pack`, { cwd });
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(?:equal .*\n?){3,}Recomputed/) });
});

test("a question that is not in the recording is named, with the way on", async () => {
  const { code, stderr } = await runCommandLine(`${replay} --method rag --set rag.k=7 --users 1 --out other`, { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/demo\.pack lacks \d+ requests? of this run, .*record it again/);
});

test("the recording names its model, and no folder of the machine that made it", () => {
  const about = JSON.parse(readFileSync(`${home}demo.json`, "utf8")) as Record<string, unknown>;
  expect(about).toMatchObject({ licence: "Apache 2.0", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const pack = readFileSync(`${home}demo.pack`);
  expect(pack.length).toBeLessThan(2e6);
  expect(gunzipSync(pack).toString()).not.toMatch(/"\/(?:work|home|root|tmp)\//);
});

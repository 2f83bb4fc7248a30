import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startProviderServer } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";

const program = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));

test.skipIf(!existsSync("/dev/full"))("a disk that takes no output ends in one line and exit code 2", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [program, "list", "tasks"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect(stderr).toMatch(/^lamp-eval: the output could not be written \(ENOSPC\); [^\n]+\n$/);
  expect(status).toBe(2);
});

test.each([
  [
    "an error that nobody caught",
    "new Error('late')",
    70,
    /^lamp-eval: internal error, please report it\nError: late\n/,
  ],
  [
    "a refusal of the system",
    "Object.assign(new Error('no'), { code: 'EMFILE', syscall: 'open', path: 'x' })",
    2,
    /^lamp-eval: x: too many files are open; what was written before is safe; raise the limit[^\n]*\n$/,
  ],
])("%s ends a command as its words say", (_, error, code, says) => {
  const late = `data:text/javascript,setTimeout(()=>{throw ${encodeURIComponent(error)}},1500)`;
  const run = [
    "run",
    "--task",
    "lamp3",
    "--method",
    "prompt",
    "--model",
    "openai/m",
    "--base-url",
    "http://127.0.0.1:1/v1",
  ];
  const args = [`--import=${late}`, program, ...run, "--out", join(suiteDir(), "late")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr.slice(stderr.lastIndexOf("lamp-eval: "))).toMatch(says);
  expect(status).toBe(code);
});

test.skipIf(process.platform === "win32")("a run within few open files asks each question once, and ends", async () => {
  const cwd = suiteDir();
  const server = await startProviderServer({ latencyMs: 300 });
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 120 }, (_, i) => reviewUser(`u${i}`)),
  );
  const run = `run --task lamp3 --method prompt --data reviews --model openai/m --base-url ${server.url}/v1 --concurrency 200 --out r`;
  const child = spawn("sh", ["-c", `ulimit -n 64; exec "${process.execPath}" "${program}" ${run}`], {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = text(child.stderr);
  const [code] = await once(child, "close");
  expect({ code, lost: /brought no reply/.test(await stderr) }).toEqual({ code: 0, lost: false });
  expect(server.requests).toHaveLength(240);
  await server.close();
});

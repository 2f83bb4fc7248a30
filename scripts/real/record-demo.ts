/**
 * Records the demo: asks a real model on this machine what datasets/demo/recorded/run.yaml names, and writes demo.pack and demo.json
 * beside it. Takes hours on two cores; the same command goes on where it was stopped.
 * npm run record-demo [-- FLAGS of lamp-eval run, e.g. --reuse RUN for replies that are there]
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { missingTools, modelFile, realCache, realModels, serverPackage } from "./models.js";
import { startRealServer } from "./server.js";

const MODEL = "qwen-1.5b";
const NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m";
/** The same at each start: a run's server is a part of its plan. */
const PORT = 8090;
const home = "datasets/demo/recorded";
const folder = join(realCache, "demo-run");

const missing = missingTools();
if (missing !== undefined) throw new Error(missing);
const cli = (...args: readonly string[]): void =>
  void execFileSync("node", ["bin/lamp-eval.js", ...args], { stdio: "inherit" });

const server = await startRealServer({
  ...{ model: MODEL, port: PORT },
  args: ["--slots", "1", "--ctx", "8192", "--name", NAME],
});
try {
  const asked = ["--config", join(home, "run.yaml"), "--base-url", server.baseUrl, "--out", folder];
  cli("run", ...asked, ...process.argv.slice(2));
} finally {
  await server.stop();
}
cli("export", folder, "--form", "pack", "--out", join(home, "demo.pack"));

const hash = createHash("sha256");
await pipeline(createReadStream(modelFile(MODEL)), hash);
const log = readFileSync(join(folder, "log.jsonl"), "utf8");
const about = {
  ...{ model: realModels[MODEL].title, licence: realModels[MODEL].licence, sha256: hash.digest("hex") },
  ...{ bytes: statSync(modelFile(MODEL)).size, packages: realModels[MODEL].packages },
  server: `llama.cpp (${serverPackage})`,
  recorded: [/"startedAt":"([^"]+)"/, /"finishedAt","value":"([^"]+)"/].map((time) => time.exec(log)?.[1]),
};
writeFileSync(join(home, "demo.json"), `${JSON.stringify(about, undefined, 2)}\n`);

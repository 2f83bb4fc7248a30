#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [needed, own] = [engines.node, process.version].map((text) => text.match(/\d+/g).map(Number));
if (own[0] < needed[0] || (own[0] === needed[0] && own[1] < needed[1])) {
  process.stderr.write(`lamp-eval: it needs Node ${needed.join(".")} or later, and this is ${process.version}\n`);
  process.exit(2);
}

// The heap is collected when it has grown to 1.6 times what is alive; V8's own factor is up to 4. Costs no measurable time.
setFlagsFromString("--heap-growing-percent=60");
const { commandLine, uncaught } = await import("../dist/commands/main.js");

process.on("uncaughtException", (error) => process.exit(uncaught(error)));

// A reader that left early (`lamp-eval ... | head`) has what it wanted, and a terminal that is gone reads nothing more: no error,
// and a run goes on. A disk that takes no more of the output is told of once.
let unwritten = false;
for (const stream of [process.stdout, process.stderr])
  stream.on("error", ({ code }) => {
    if (code === "EPIPE" || code === "EIO") return;
    if (!unwritten && stream === process.stdout)
      process.stderr.write(
        `lamp-eval: the output could not be written (${code}); files that the command wrote are safe; make room, then give it again\n`,
      );
    unwritten = true;
    process.exitCode = 2;
  });

const code = await commandLine(process.argv.slice(2));
// All that was printed is out, or known not to get out. Left to end by itself, Node first takes its memory apart.
for (const stream of [process.stdout, process.stderr])
  await new Promise((written) => stream.write("", () => setImmediate(written)));
process.exit(unwritten ? 2 : code);

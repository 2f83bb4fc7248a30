#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { commandLine } from "../dist/command-line.js";

// Files are prepared a seventh sooner without these two.
if (process.argv[2] !== "data") {
  // Most of what a command begins with runs once: V8 optimises it less eagerly, and what comes after a second as ever.
  setFlagsFromString("--interrupt-budget=200000");
  setTimeout(() => setFlagsFromString("--interrupt-budget=67584"), 1000).unref(); // as V8 has it

  // A long run makes much short-lived garbage; by default V8 lets the heap grow several-fold before it clears that.
  // Small heaps may: clearing them takes time.
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < 150 * 2 ** 20) return;
    setFlagsFromString("--heap-growing-percent=20");
    clearInterval(watch);
  }, 250).unref();
}

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

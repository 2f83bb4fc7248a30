#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { main } from "../dist/cli/main.js";

// A long run makes much short-lived garbage; by default V8 lets the heap grow several-fold before it clears that.
// Files are prepared a tenth sooner without it.
if (process.argv[2] !== "data") setFlagsFromString("--heap-growing-percent=20");

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

const code = await main(process.argv.slice(2));
process.exitCode = unwritten ? 2 : code;

#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { main } from "../dist/cli/main.js";

// A long run makes much short-lived garbage; by default V8 lets the heap grow several-fold before it clears that.
setFlagsFromString("--heap-growing-percent=20");

// A reader that left early (`lamp-eval ... | head`) has what it wanted, and a terminal that is gone reads nothing more: no error,
// and a run goes on.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });

process.exitCode = await main(process.argv.slice(2));

import type { Command } from "commander";
import { integer, number } from "./run-flags.js";

/** Adds the flags that say how hard a run may press on its servers. */
export function addPaceFlags(command: Command): Command {
  return command
    .option(
      "--concurrency <n>",
      "most calls sent to a server at the same time (default: 64, on this machine 8; fewer where it refuses)",
      integer,
    )
    .option("--rpm <n>", "requests a minute that the account allows (default: as the server's headers say)", number)
    .option("--itpm <n>", "input tokens a minute that the account allows", number)
    .option("--otpm <n>", "output tokens a minute that the account allows", number)
    .option(
      "--give-up-after <time>",
      "stop when a server has not replied for so long, e.g. 90s, 1h; the same command goes on (default: 15m, and 3 tries where it takes no connection from the start)",
    );
}

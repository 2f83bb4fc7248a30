import { fetchThroughProxy, processIo } from "../app/process-io.js";
import { main, report } from "./main.js";
import { realTerminal } from "./terminal.js";

/** The command line on the terminal and in the outside world of this process. Returns the exit code, and ends nothing. */
export const commandLine = (args: readonly string[]): Promise<number> =>
  main(args, realTerminal(processIo()), fetchThroughProxy);

/** What nobody caught, told like any other error. Returns the exit code. */
export const uncaught = (error: unknown): number => report(error, realTerminal(processIo()));

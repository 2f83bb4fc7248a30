import { main } from "../../src/commands/main.js";
import { realClock } from "../../src/commands/terminal.js";
import { testIo } from "../helpers/test-io.js";
import type { Exit } from "./cli-process.js";

/** As `startCli`, awaited, in the process of the tests and by the real clock: for runs that nothing kills, at a third of the time. */
export async function runHere(
  args: readonly string[],
  settings: { cwd: string; env?: Record<string, string> },
): Promise<Exit> {
  const io = { ...testIo({ ...settings, argv: args }), clock: realClock };
  const code = await main(args, io);
  return { code, signal: null, stdout: io.printed.join("\n"), stderr: io.messages.join("\n") };
}

import type { Terminal } from "../../cli/terminal.js";
import type { Method } from "../../types.js";
import { atExit } from "./at-exit.js";
import { EXEC, findCommand } from "./command.js";
import { type Crew, execMethod } from "./method.js";
import { Worker } from "./worker.js";

/** The programs of a run. */
export interface Commands {
  /** The method of `exec:COMMAND`, undefined for any other name. Throws UsageError where there is no such program. */
  method(name: string): Method | undefined;
  /** Ends every program that was started. */
  close(): Promise<void>;
}

/** `dryRun`: nothing is started, every answer is empty. */
export function openCommands(io: Terminal, dryRun: boolean): Commands {
  const workers: Worker[] = [];
  const exit = atExit();
  let release = (): void => undefined;
  const begin = (): void => {
    if (workers.length === 0)
      release = io.onInterrupt(() => {
        for (const worker of workers) worker.stop();
      });
  };
  return {
    method(name) {
      if (!name.startsWith(EXEC)) return undefined;
      const command = findCommand(name.slice(EXEC.length).trim(), io.cwd, io.env.PATH ?? "");
      return execMethod(command, (options, hello) => {
        if (dryRun) return silentCrew;
        begin();
        const { cwd, env, clock } = io;
        const own = Array.from(
          { length: options["exec.processes"] },
          () => new Worker({ command, options, hello, cwd, env, clock, exit }),
        );
        workers.push(...own);
        return inTurn(own);
      });
    },
    async close() {
      release();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

// --- internal ---

const silentCrew: Crew = { take: () => ({ answer: async () => "" }) };

/** Users are dealt out one after the other. */
function inTurn(workers: readonly Worker[]): Crew {
  let next = 0;
  return {
    take(told) {
      const worker = workers[next++ % workers.length]!; // at least one
      return { answer: (question, kit) => worker.answer(told, question, kit) };
    },
  };
}

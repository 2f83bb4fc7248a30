import { main } from "../../src/commands/main.js";
import type { Interrupt, Terminal } from "../../src/commands/terminal.js";
import { type ReadingIo, Runs } from "../../src/record/stored-run.js";
import { fakeClock } from "./fake-clock.js";

export interface TestIo extends Terminal, ReadingIo {
  /** What went to stdout and to stderr, one entry a call. */
  readonly printed: readonly string[];
  readonly messages: readonly string[];
  /** Exit codes of `leave`. */
  readonly left: readonly number[];
  /** Presses Ctrl-C, or sends another signal. */
  interrupt(signal?: Interrupt): void;
}

export interface TestIoSettings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  /** Whether a person reads stdout. Default: a program does. */
  readonly outIsTTY?: boolean;
  /** Called with every message, e.g. to press Ctrl-C at a certain line. */
  onMessage?(text: string): void;
}

/** The outside world of a command as arrays: nothing is printed, no time passes but by sleeping. */
export function testIo(settings: TestIoSettings): TestIo {
  const printed: string[] = [];
  const messages: string[] = [];
  const left: number[] = [];
  const handlers = new Set<(signal: Interrupt) => void>();
  const err = (text: string): void => {
    messages.push(text);
    settings.onMessage?.(text);
  };
  return {
    printed,
    messages,
    left,
    interrupt(signal = "SIGINT") {
      for (const handler of handlers) handler(signal);
    },
    out: (text) => {
      printed.push(text);
    },
    err,
    tell: err,
    env: settings.env ?? {},
    clock: fakeClock(START_MS),
    cwd: settings.cwd,
    node: process.version,
    argv: settings.argv ?? [],
    outIsTTY: settings.outIsTTY ?? false,
    columns: 100,
    onInterrupt(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    leave: (code) => {
      left.push(code);
    },
    /** None is kept: folders change between two commands of a test. */
    get runs() {
      return new Runs(settings.cwd);
    },
  };
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process. Arguments are split at blanks unless given as a list. */
export async function runCommandLine(
  line: string | readonly string[],
  settings: TestIoSettings,
): Promise<CommandResult> {
  const args = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  const io = testIo({ ...settings, argv: args });
  const code = await main(args, io);
  return { code, stdout: io.printed.join("\n"), stderr: io.messages.join("\n") };
}

/** A day for which the price list has rows. */
const START_MS = Date.UTC(2026, 10, 1);

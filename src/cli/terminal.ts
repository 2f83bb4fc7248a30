import type { Io } from "../app/io.js";
import type { Clock } from "../types/index.js";
import { fitText } from "./text/fit-text.js";

/** What asks a process to end. */
export type Interrupt = (typeof interrupts)[number];

/** Of a terminal, in characters. */
interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What a live region is drawn on: a terminal. Its size is read again for every frame. */
export type Screen = NodeJS.WritableStream & Size;

/** What commands see of the terminal, besides the outside world of the use cases: handed in, so that every command is testable. */
export interface Terminal extends Io {
  /** Results. */
  out(text: string): void;
  /** Progress and messages; what a use case tells goes here too. */
  err(text: string): void;
  /** The arguments as typed, for manifests. */
  readonly argv: readonly string[];
  readonly isTTY: boolean;
  /** Whether results go to a terminal, where a person reads them. Absent: they do not. */
  readonly outIsTTY?: boolean;
  /** What a live display is drawn on; undefined where messages go to no terminal. */
  readonly screen?: Screen | undefined;
  /** Width that text is broken to: the terminal's, from 60 on; 100 where there is none, so that files do not depend on one. */
  readonly columns: number;
  /** Real time, also where a test makes up the time of a run. */
  readonly wallClock: Clock;
  /** Calls the handler at each Ctrl-C, SIGTERM and SIGHUP until released. */
  onInterrupt(handler: (signal: Interrupt) => void): () => void;
  /** Leaves at once (second Ctrl-C). */
  leave(code: number): void;
}

/** The terminal of this process, with the outside world that is handed in. */
export function realTerminal(outside: Io): Terminal {
  const err = (text: string): void => void process.stderr.write(`${text}\n`);
  return {
    ...outside,
    wallClock: outside.clock,
    out: (text) =>
      process.stdout.write(`${process.stdout.isTTY ? fitText(text, process.stdout.columns || 80) : text}\n`),
    err,
    tell: err,
    argv: process.argv.slice(2),
    isTTY: process.stderr.isTTY === true,
    outIsTTY: process.stdout.isTTY === true,
    screen: process.stderr.isTTY ? process.stderr : undefined,
    columns: Math.max(60, process.stdout.isTTY ? process.stdout.columns : 100),
    onInterrupt(handler) {
      for (const signal of interrupts) process.on(signal, handler);
      return () => {
        for (const signal of interrupts) process.off(signal, handler);
      };
    },
    leave: (code) => process.exit(code),
  };
}

const interrupts = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

import { directHosts, proxiesOf } from "../models/wire/http.js";
import { onAbort } from "../net/deadline.js";
import type { Io } from "../plan/io.js";
import type { ReadingIo } from "../record/stored-run.js";
import type { Clock } from "../types/index.js";
import { exitCodes } from "./exit-code.js";
import { fitText } from "./fit-text.js";

/** Signals that ask a process to end. */
export type Interrupt = (typeof interrupts)[number];

/** Of a terminal, in characters. */
interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal that a live region is drawn on. Its size is read again for every frame. */
export type Screen = NodeJS.WritableStream & Size;

/** What a command is handed: the terminal, and the runs that it reads. */
export type CommandIo = Terminal & ReadingIo;

/** The terminal, besides the outside world of the use cases: handed in, so that every command is testable. */
export interface Terminal extends Io {
  /** Results. */
  out(text: string): void;
  /** Progress and messages; what a use case tells goes here too. */
  err(text: string): void;
  /** The arguments as typed, for manifests. */
  readonly argv: readonly string[];
  /** Results and errors alone are printed. */
  readonly quiet?: boolean;
  /** Every event of a run is printed. */
  readonly verbose?: boolean;
  /** True where results go to a terminal, where a person reads them. Absent: they do not. */
  readonly outIsTTY?: boolean;
  /** What a live display is drawn on; undefined where messages go to no terminal. */
  readonly screen?: Screen | undefined;
  /** Width that text is broken to: the terminal's, from 60 on; 100 where there is none, so that files do not depend on one. */
  readonly columns: number;
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
    out: (text) =>
      process.stdout.write(`${process.stdout.isTTY ? fitText(text, process.stdout.columns || 80) : text}\n`),
    err,
    tell: err,
    argv: process.argv.slice(2),
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

/** C0 but newline and tab, DEL, C1; marks that turn the direction of text. A carriage return stands before a newline only. */
const ACTIVE = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Workflow commands of GitHub's and Azure's runners, which read them from whatever a step prints: `::set-env` at the start of a line
 * (spaces do not count), `##[` anywhere. A gate's own annotations stay.
 */
const WORKFLOW_COMMAND = /(?<=^\s*):(?=:(?!(?:error|warning|notice) title=lamp-eval gate::))|(?<=##)\[/gm;

/** Escapes control characters as `\u001b`, which inside JSON means the same, and commands to CI runners. Clean text is unchanged. */
export const escapeControls = (text: string): string =>
  text.replace(ACTIVE, escaped).replace(WORKFLOW_COMMAND, escaped);

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Wraps a terminal so that control characters of data, replies and errors are escaped. */
export function escapingTerminal(io: Terminal): Terminal {
  return {
    ...io,
    out: (text) => io.out(escapeControls(text)),
    err: (text) => io.err(escapeControls(text)),
    tell: (line) => io.tell(escapeControls(line)),
  };
}

/** The first signal stops, a second Ctrl-C or SIGTERM leaves; a lost terminal may send more than one SIGHUP. Returns the release. */
export const stopOnInterrupt = (interrupt: AbortController, io: Terminal, nextStep: () => string): (() => void) =>
  io.onInterrupt((signal) => {
    if (!interrupt.signal.aborted) {
      io.err("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
      interrupt.abort(signal);
    } else if (signal !== "SIGHUP") {
      io.err(`left at once: ${nextStep()}`);
      io.leave(exitCodes.signals[signal]);
    }
  });

/** The outside world of this process, for the command line and for programs that use the library. Tells nobody. */
export function processIo(): Io {
  const env = Object.assign(Object.create(null), process.env); // a variable that a config names may be called "constructor"
  return { env, clock: realClock, cwd: process.cwd(), node: process.version, tell: () => undefined };
}

/**
 * Lets Node's own fetch (embedders, Wikipedia, downloads) go through the proxy that the environment names; providers see to it
 * themselves. Throws UsageError where a variable holds no address.
 */
export async function fetchThroughProxy({ env }: Io): Promise<void> {
  const { http, https } = proxiesOf(env);
  if (http === undefined && https === undefined) return;
  const { EnvHttpProxyAgent, install, setGlobalDispatcher } = await import("undici");
  install(); // its own fetch: older ones of Node refuse a dispatcher that is newer
  const noProxy = directHosts(env).join(",");
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: http ?? "", httpsProxy: https ?? "", noProxy }));
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  /** By a plain timer: that of node:timers/promises makes an exception with a stack for each abort. */
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, delayMs);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      onAbort(signal, stop);
    }),
};

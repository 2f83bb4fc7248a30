import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Redactor } from "../net/redactor.js";
import type { Command } from "./command.js";

/** How long a program may take to end by itself once its input has ended, milliseconds. */
const GRACE_MS = 2000;
/** How long its pipes may stay open once it has ended, and again once all that it started was killed, milliseconds. */
const PIPES_MS = 500;
const STDERR_KEPT = 2000;
const STDERR_SHOWN = 300;

/** A running program and what it said last on stderr. */
export interface Child {
  send(message: object): void;
  /** Ends it and all that it started, at once. */
  kill(): void;
  /** Ends its input, waits a little, then kills. Resolves when it is gone. */
  end(): Promise<void>;
  /** The end of what it wrote on stderr, as one line; empty where it wrote nothing. */
  stderrTail(): string;
}

interface ChildEvents {
  onLine(line: string): void;
  /** Once, when it is gone or could not be started. */
  onGone(how: string): void;
}

/** Where it runs, and the variables that it gets. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts a program without a shell, in a process group of its own, so that Ctrl-C reaches it only through us. `exit` kills it with us. */
export function startChild(
  { program, args }: Command,
  { redact, ...surroundings }: Surroundings & { readonly redact: Redactor },
  exit: AtExit,
  events: ChildEvents,
): Child {
  const child = spawn(program, args, { ...surroundings, detached: true, stdio: "pipe" });
  const stderr = keepTail(child, redact);
  let gone = false;
  const left = new Promise<void>((resolve) => {
    const once = (how: string): void => {
      if (gone) return;
      gone = true;
      exit.remove(kill);
      events.onGone(how);
      resolve();
    };
    child.once("error", (error) => once(`could not be started (${error.message})`));
    child.once("exit", () => closePipes(child));
    child.once("close", (code, signal) => once(signal === null ? `ended with code ${code}` : `was ended by ${signal}`));
  });
  const kill = (): void => killGroup(child);
  exit.add(kill);
  child.stdin.on("error", () => undefined); // a closed pipe: how the program ended is told by `close`
  const overlong = (): void => events.onLine("(a line that does not end)");
  child.stdout.on(
    "data",
    lineReader((line) => events.onLine(redact.text(line)), overlong),
  );
  return {
    send: (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    kill,
    async end() {
      child.stdin.end();
      const timer = setTimeout(kill, GRACE_MS);
      await left;
      clearTimeout(timer);
    },
    stderrTail: stderr,
  };
}

function keepTail(child: ChildProcessWithoutNullStreams, redact: Redactor): () => string {
  let tail = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-STDERR_KEPT);
  });
  return () => {
    const line = redact
      .text(tail)
      .trim()
      .replaceAll(/\s*\n\s*/g, " | ");
    return line.length > STDERR_SHOWN ? `...${line.slice(-STDERR_SHOWN)}` : line;
  };
}

/**
 * What it started may hold its pipes for as long as it pleases: whatever still does is killed with the group, and where it
 * has left the group, its pipes are closed on our side.
 */
function closePipes(child: ChildProcessWithoutNullStreams): void {
  let timer = setTimeout(() => {
    killGroup(child);
    timer = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, PIPES_MS);
  }, PIPES_MS);
  child.once("close", () => clearTimeout(timer));
}

/** With its process group, where the system has such: a wrapper script's children too. */
function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Things to undo if the process ends without waiting for them. */
export interface AtExit {
  add(undo: () => void): void;
  remove(undo: () => void): void;
}

/**
 * Collects what must be undone when the process ends at once (second Ctrl-C), so that no program is left running. All
 * entries share one listener on the process, which is there only while there are entries.
 */
export function atExit(): AtExit {
  const waiting = new Set<() => void>();
  const undoAll = (): void => {
    for (const undo of waiting) undo();
  };
  return {
    add(undo) {
      if (waiting.size === 0) process.on("exit", undoAll);
      waiting.add(undo);
    },
    remove(undo) {
      waiting.delete(undo);
      if (waiting.size === 0) process.off("exit", undoAll);
    },
  };
}

/** Most characters of one line; a program that never ends its line is stopped there. */
const MOST_CHARACTERS = 16 << 20;

/**
 * Cuts a stream into lines at `\n` only: JSON may hold the line separators of Unicode. `overlong` is called, once, in place of
 * a line that does not end.
 */
export function lineReader(line: (text: string) => void, overlong: () => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let over = false;
  return (chunk) => {
    if (over) return;
    const parts = (pending + decoder.write(chunk)).split("\n");
    pending = parts.pop() ?? "";
    for (const part of parts) line(part.replace(/\r$/, ""));
    over = pending.length > MOST_CHARACTERS;
    if (over) overlong();
  };
}

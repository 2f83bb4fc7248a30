import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Redactor } from "../../net/secrets.js";
import type { Command } from "./command.js";

/** Milliseconds for a program to exit after its stdin was closed. */
const GRACE_MS = 2000;
/** Milliseconds for its pipes to close after it has exited. */
const PIPES_MS = 500;
const STDERR_KEPT = 2000;
const STDERR_SHOWN = 300;
/** Characters. */
const LONGEST_LINE = 16 << 20;

/** A running program. */
export interface Child {
  send(message: object): void;
  /** Kills it and its process group. */
  kill(): void;
  /** Closes its stdin, and kills it after two seconds. Resolves when it has exited. */
  end(): Promise<void>;
  /** Returns the end of its stderr in one line; empty if it wrote nothing. */
  stderrTail(): string;
}

/** Working folder and environment of a program, and the redactor of its output. */
export interface ChildSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redactor;
}

interface ChildEvents {
  onLine(line: string): void;
  /** Called once, when it has exited or could not be started. */
  onExit(how: string): void;
}

/** Starts a program without a shell. It has a process group of its own, so that Ctrl-C does not reach it directly. */
export function startChild(command: Command, { redact, ...options }: ChildSettings, events: ChildEvents): Child {
  const child = spawn(command.program, command.args, { ...options, detached: true, stdio: "pipe" });
  const guard = startGuard(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  child.stdin.on("error", () => undefined); // a closed pipe: `close` follows
  child.stdout.on(
    "data",
    lineReader((line) => events.onLine(redact.text(line))),
  );
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("exit", () => {
      guard?.kill("SIGKILL"); // the group's number may become another's
      closePipes(child);
    });
    child.once("close", (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  });
  void exited.then(events.onExit);
  const kill = (): void => killGroup(child);
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    kill,
    async end() {
      child.stdin.end();
      const timer = setTimeout(kill, GRACE_MS);
      await exited;
      clearTimeout(timer);
    },
    stderrTail() {
      const line = redact
        .text(stderr)
        .trim()
        .replaceAll(/\s*\n\s*/g, " | ");
      return line.length > STDERR_SHOWN ? `...${line.slice(-STDERR_SHOWN)}` : line;
    },
  };
}

/**
 * Starts a shell that kills the program's process group once this process is gone, however it went: even a killed process closes the pipe
 * that the shell reads. Windows has no such groups.
 */
function startGuard({ pid }: ChildProcessWithoutNullStreams): ChildProcess | undefined {
  if (pid === undefined || process.platform === "win32") return undefined;
  const guard = spawn("/bin/sh", ["-c", 'read -r _; kill -9 -"$0"', String(pid)], {
    ...{ detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] },
  });
  guard.on("error", () => undefined); // no shell: it may outlive a kill
  guard.unref();
  return guard;
}

/** Kills the programs that it started, since they may hold its pipes. Those that left its group keep them: our side is closed. */
function closePipes(child: ChildProcessWithoutNullStreams): void {
  killGroup(child);
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, PIPES_MS);
  child.once("close", () => clearTimeout(timer));
}

/** Kills a program, on POSIX with its process group. */
function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns a function that splits chunks of a stream into lines, at `\n` only: JSON may hold other line separators. Long lines are cut. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  return (chunk) => {
    const parts = (pending + decoder.write(chunk)).split("\n");
    pending = parts.pop() ?? "";
    for (const part of parts) onLine(part.replace(/\r$/, ""));
    if (pending.length <= LONGEST_LINE) return;
    onLine(pending);
    pending = "";
  };
}

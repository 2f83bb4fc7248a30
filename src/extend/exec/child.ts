import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Redactor } from "../../net/secrets.js";
import type { Command } from "./command.js";

/** Time for a program to end by itself once its input has ended, milliseconds. */
const GRACE_MS = 2000;
/** Time for its pipes to close once it has ended, milliseconds. */
const PIPES_MS = 500;
const STDERR_KEPT = 2000;
const STDERR_SHOWN = 300;
/** Most characters of one line. */
const MOST_CHARACTERS = 16 << 20;

/** A running program and the end of what it wrote on stderr. */
export interface Child {
  send(message: object): void;
  /** Ends it and all that it started, at once. */
  kill(): void;
  /** Ends its input, waits a little, then kills. Resolves when it is gone. */
  end(): Promise<void>;
  /** In one line; empty where it wrote nothing. */
  stderrTail(): string;
}

/** Where a program runs, and what is taken out of all that it says. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redactor;
}

interface ChildEvents {
  onLine(line: string): void;
  /** Called once, when it is gone or could not be started. */
  onGone(how: string): void;
}

/** Starts a program without a shell, in a process group of its own, so that Ctrl-C reaches it only through us. */
export function startChild(command: Command, { redact, ...place }: Surroundings, events: ChildEvents): Child {
  const child = spawn(command.program, command.args, { ...place, detached: true, stdio: "pipe" });
  const guard = startGuard(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  child.stdin.on("error", () => undefined); // a closed pipe: `close` tells how the program ended
  child.stdout.on(
    "data",
    lineReader((line) => events.onLine(redact.text(line))),
  );
  const gone = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("exit", () => {
      guard?.kill("SIGKILL"); // the group's number may become another's
      closePipes(child);
    });
    child.once("close", (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  });
  void gone.then(events.onGone);
  const kill = (): void => killGroup(child);
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    kill,
    async end() {
      child.stdin.end();
      const timer = setTimeout(kill, GRACE_MS);
      await gone;
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

/** Programs that it started may hold its pipes: they are killed, and the pipes of those that left its group are closed on our side. */
function closePipes(child: ChildProcessWithoutNullStreams): void {
  killGroup(child);
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, PIPES_MS);
  child.once("close", () => clearTimeout(timer));
}

/** Kills a program with its process group, where the system has such. */
function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Cuts a stream into lines at `\n` only: JSON may hold the line separators of Unicode. A line that does not end is cut, too. */
export function lineReader(line: (text: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  return (chunk) => {
    const parts = (pending + decoder.write(chunk)).split("\n");
    pending = parts.pop() ?? "";
    for (const part of parts) line(part.replace(/\r$/, ""));
    if (pending.length <= MOST_CHARACTERS) return;
    line(pending);
    pending = "";
  };
}

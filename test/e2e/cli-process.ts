import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Exit {
  /** Null when a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly exit: Promise<Exit>;
  /** True once the process has ended. */
  readonly ended: boolean;
  /** What it wrote to stderr so far. */
  readonly messages: string;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the built command line as a person would, in an environment that holds nothing but PATH and `env`. */
export function startCli(args: readonly string[], settings: { cwd: string; env?: Record<string, string> }): CliProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: settings.cwd,
    env: { PATH: process.env.PATH, ...settings.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let ended = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      ended = true;
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    exit,
    get ended() {
      return ended;
    },
    get messages() {
      return stderr;
    },
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

const program = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));

import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import { ModelError } from "../../errors.js";
import type { ExecOptions } from "../../plan/options.js";
import { messageOf } from "../../text/file-trouble.js";
import type { Clock, Kit, Question, User } from "../../types/index.js";
import { type Child, type ChildSettings, startChild } from "./child.js";
import type { Command } from "./command.js";
import { questionMessage, readProgramMessage, refusalMessage, replyMessage, userMessage } from "./protocol.js";

/** Restarts of one process after crashes and timeouts. */
const RESTARTS = 3;

interface ProcessSettings {
  readonly command: Command;
  readonly options: ExecOptions;
  /** The first message after every start. */
  readonly hello: object;
  readonly child: ChildSettings;
  readonly clock: Clock;
}

/** The question that a program is answering. */
interface OpenQuestion {
  readonly id: string;
  readonly kit: Kit;
  resolve(output: string): void;
  reject(error: unknown): void;
  /** Aborting it cancels the time limit. */
  timer: AbortController;
  /** Number of its requests to the run's model in flight. */
  requestsInFlight: number;
}

/**
 * A process that answers one question after the other. It is started at the first question, and restarted `RESTARTS` times after a crash,
 * a protocol error or a timeout; each of these fails the open question with a ModelError.
 */
export class Program {
  readonly #settings: ProcessSettings;
  readonly #slot = pLimit(1);
  readonly #sentUsers = new Set<string>();
  #child: Child | undefined;
  #open: OpenQuestion | undefined;
  #starts = 0;
  #lastFailure = "";
  #stopping = false;

  constructor(settings: ProcessSettings) {
    this.#settings = settings;
  }

  /** Returns the answer to a question. `unit`: id of the user's history, which is sent once, before its first question. */
  answer(unit: string, user: User, question: Question, kit: Kit): Promise<string> {
    return new Promise((resolve, reject) => {
      void this.#slot(async () => {
        await this.#ask(unit, user, question, kit).then(resolve, reject);
        await setImmediate(); // the answer is logged before the next question is sent
      });
    });
  }

  /** Rejects the questions that wait. The open one may still be answered. */
  stop(): void {
    this.#stopping = true;
  }

  kill(): void {
    this.#child?.kill();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#child?.end();
  }

  async #ask(unit: string, user: User, question: Question, kit: Kit): Promise<string> {
    if (this.#stopping) throw failure("the run is stopping");
    const child = this.#running();
    if (!this.#sentUsers.has(unit)) child.send(userMessage(unit, user));
    this.#sentUsers.add(unit);
    return new Promise<string>((resolve, reject) => {
      this.#open = { id: question.id, kit, resolve, reject, timer: new AbortController(), requestsInFlight: 0 };
      child.send(questionMessage(unit, question));
      this.#startTimer(this.#open);
    });
  }

  #running(): Child {
    if (this.#child !== undefined) return this.#child;
    const { command, hello, child: childSettings } = this.#settings;
    if (this.#starts > RESTARTS)
      throw failure(`given up after ${this.#starts} starts, the last of which ${this.#lastFailure}`);
    this.#starts += 1;
    const child: Child = startChild(command, childSettings, {
      onLine: (line) => this.#child === child && this.#onMessage(line, child),
      onExit: (how) => this.#child === child && this.#drop(how, child),
    });
    this.#child = child;
    child.send(hello);
    return child;
  }

  #onMessage(line: string, child: Child): void {
    if (line.trim() === "") return;
    const message = readProgramMessage(line);
    const open = this.#open;
    if (message === undefined)
      this.#protocolError(
        `printed ${quoted(line)}, which is no message (stdout is for messages, print others on stderr)`,
      );
    else if (message.id !== open?.id)
      this.#protocolError(`answered ${quoted(message.id)}, which is no question that it has open`);
    else if ("ask" in message) void this.#forward(message, open, child);
    else if ("error" in message) this.#takeOpen(open).reject(failure(`says: ${message.error}`));
    else this.#takeOpen(open).resolve(message.output);
  }

  #takeOpen(open: OpenQuestion): OpenQuestion {
    this.#open = undefined;
    open.timer.abort();
    return open;
  }

  /** Passes a request on to the run's model. The time limit of the question is suspended meanwhile. */
  async #forward(
    { ask, request }: { readonly ask: string; readonly request: Parameters<Kit["ask"]>[1] },
    open: OpenQuestion,
    child: Child,
  ): Promise<void> {
    open.requestsInFlight += 1;
    open.timer.abort();
    try {
      child.send(replyMessage(ask, await open.kit.ask("answer", request)));
    } catch (error) {
      child.send(refusalMessage(ask, messageOf(error)));
      // A cap, a refused key or Ctrl-C ends the question; the program itself handles a failed call.
      if (!(error instanceof ModelError) || error.scope !== "call") this.#takeOpen(open).reject(error);
    }
    open.requestsInFlight -= 1;
    if (open.requestsInFlight === 0 && this.#open === open) this.#startTimer(open);
  }

  #startTimer(open: OpenQuestion): void {
    const seconds = this.#settings.options["exec.timeoutSeconds"];
    open.timer = new AbortController();
    this.#settings.clock.sleep(seconds * 1000, open.timer.signal).then(
      () => this.#open === open && this.#protocolError(`gave no answer within exec.timeoutSeconds=${seconds}`),
      () => undefined, // cancelled
    );
  }

  /** Kills the program: its later messages could belong to any question. It is restarted at the next question. */
  #protocolError(what: string): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#drop(what, child);
    child.kill();
  }

  #drop(how: string, child: Child): void {
    const stderr = child.stderrTail();
    this.#lastFailure = stderr === "" ? how : `${how}; its stderr ends: ${stderr}`;
    this.#child = undefined;
    this.#sentUsers.clear();
    if (this.#open !== undefined) this.#takeOpen(this.#open).reject(failure(this.#lastFailure));
  }
}

const failure = (what: string): ModelError => new ModelError(`the program ${what}`, { retryable: false });

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);

import pLimit from "p-limit";
import { ModelError } from "../errors.js";
import type { Redactor } from "../net/redactor.js";
import type { ExecOptions } from "../run/plan/exec-options.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock, Kit, Question, User } from "../types/index.js";
import { type AtExit, type Child, type Surroundings, startChild } from "./child.js";
import type { Command } from "./command.js";
import {
  type ProgramMessage,
  questionMessage,
  readProgramMessage,
  refusalMessage,
  replyMessage,
  userMessage,
} from "./protocol.js";

/** Most fresh starts of one process after a crash or timeout. */
const RESTARTS = 3;

interface WorkerSettings {
  readonly command: Command;
  readonly options: ExecOptions;
  /** The first message of every start. */
  readonly hello: object;
  readonly surroundings: Surroundings;
  /** Applied to whatever it says, before anything is read of it. */
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly exit: AtExit;
}

/** A user's visible past under the id that its questions name. */
interface ToldUser {
  readonly unit: string;
  readonly user: User;
}

/**
 * One program that answers questions, started when the first one comes and again after a crash, a breach of the protocol or a
 * timeout, until its `RESTARTS` are used up. Every way in which it can fail becomes a ModelError of the questions it has open.
 */
export class Worker {
  readonly #settings: WorkerSettings;
  /** One question at a time: a crash fails no other. */
  readonly #slots: ReturnType<typeof pLimit>;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #told = new Set<string>();
  #child: Child | undefined;
  #starts = 0;
  #lastFailure = "";
  #stopping = false;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#slots = pLimit(1);
  }

  answer(told: ToldUser, question: Question, kit: Kit): Promise<string> {
    return this.#slots(() => this.#ask(told, question, kit));
  }

  /** Questions that wait are given up; those that are out may still be answered. */
  stop(): void {
    this.#stopping = true;
  }

  async close(): Promise<void> {
    this.stop();
    await this.#child?.end();
  }

  #ask({ unit, user }: ToldUser, question: Question, kit: Kit): Promise<string> {
    if (this.#stopping) throw failure("the run is stopping");
    const child = this.#running();
    if (!this.#told.has(unit)) child.send(userMessage(unit, user));
    this.#told.add(unit);
    return new Promise<string>((resolve, reject) => {
      const open: OpenQuestion = { kit, resolve, reject, timer: new AbortController(), asks: 0 };
      this.#open.set(question.id, open);
      child.send(questionMessage(unit, question));
      this.#startTimer(open);
    });
  }

  #running(): Child {
    if (this.#child !== undefined) return this.#child;
    const { command, hello, surroundings, redact, exit } = this.#settings;
    if (this.#starts > RESTARTS)
      throw failure(`given up after ${this.#starts} starts, the last of which ${this.#lastFailure}`);
    this.#starts += 1;
    const child: Child = startChild(command, { ...surroundings, redact }, exit, {
      onLine: (line) => {
        if (this.#child === child) this.#hear(line, child);
      },
      onGone: (how) => {
        if (this.#child === child) this.#lose(how, child);
      },
    });
    this.#child = child;
    child.send(hello);
    return child;
  }

  #hear(line: string, child: Child): void {
    if (line.trim() === "") return;
    const message = readProgramMessage(line);
    const open = message === undefined ? undefined : this.#open.get(message.id);
    if (message === undefined)
      this.#breach(`printed ${shown(line)}, which is no message (stdout is for messages, print others on stderr)`);
    else if (open === undefined) this.#breach(`answered ${shown(message.id)}, which is no question that it has open`);
    else if (message.kind === "ask") void this.#forward(message, open, child);
    else this.#settle(message, open);
  }

  #settle(message: Exclude<ProgramMessage, { kind: "ask" }>, open: OpenQuestion): void {
    this.#open.delete(message.id);
    open.timer.abort();
    if (message.kind === "answer") open.resolve(message.output);
    else open.reject(failure(`says: ${message.error}`));
  }

  /** The time of a question stands still while the run's model works for it. */
  async #forward(
    { ask, id, request }: ProgramMessage & { kind: "ask" },
    open: OpenQuestion,
    child: Child,
  ): Promise<void> {
    open.asks += 1;
    open.timer.abort();
    try {
      child.send(replyMessage(ask, await open.kit.ask("answer", request)));
    } catch (error) {
      child.send(refusalMessage(ask, messageOf(error)));
      // What ends the run (a cap, a refused key, Ctrl-C) ends the question too; a failed call is the program's to handle.
      if (!(error instanceof ModelError) || error.scope !== "call") {
        this.#open.delete(id);
        open.reject(error);
      }
    }
    open.asks -= 1;
    if (open.asks === 0 && this.#open.get(id) === open) this.#startTimer(open);
  }

  #startTimer(open: OpenQuestion): void {
    const seconds = this.#settings.options["exec.timeoutSeconds"];
    open.timer = new AbortController();
    const { signal } = open.timer;
    this.#settings.clock.sleep(seconds * 1000, signal).then(
      () => {
        if (!signal.aborted) this.#breach(`gave no answer within exec.timeoutSeconds=${seconds}`);
      },
      () => undefined, // answered in time
    );
  }

  /** After a breach nothing that it says can be trusted to belong to a question: it is ended, and started again when needed. */
  #breach(what: string): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#lose(what, child);
    child.kill();
  }

  #lose(how: string, child: Child): void {
    const stderr = child.stderrTail();
    this.#lastFailure = stderr === "" ? how : `${how}; its stderr ends: ${stderr}`;
    this.#child = undefined;
    this.#told.clear();
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { timer, reject } of open) {
      timer.abort();
      reject(failure(this.#lastFailure));
    }
  }
}

interface OpenQuestion {
  readonly kit: Kit;
  resolve(output: string): void;
  reject(error: unknown): void;
  /** Aborted when the time limit of the question no longer matters. */
  timer: AbortController;
  /** Requests to the run's model that are out. */
  asks: number;
}

const failure = (what: string): ModelError => new ModelError(`the program ${what}`, { retryable: false });

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);

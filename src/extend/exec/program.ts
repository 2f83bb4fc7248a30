import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import { temporaryFolder } from "../../disk/whole-file.js";
import { ModelError } from "../../errors.js";
import type { ExecOptions } from "../../plan/options.js";
import { countOf } from "../../text/count.js";
import { messageOf } from "../../text/file-trouble.js";
import type { AskRequest, Clock, Kit, ProgramUse } from "../../types/index.js";
import { type Child, type ChildSettings, startChild } from "./child.js";
import type { Command } from "./command.js";
import { type CallOwner, type Door, openDoor } from "./door.js";
import { readProgramMessage, refusalMessage, replyMessage } from "./protocol.js";

/** Most fresh starts of one process after a crash or timeout. */
const RESTARTS = 3;

interface ProcessSettings {
  readonly command: Command;
  readonly options: ExecOptions;
  /** The first message of every start. */
  readonly hello: object;
  readonly surroundings: ChildSettings;
  readonly clock: Clock;
}

/** A user that a program is to take in, or a question that it is to answer. */
export interface Job {
  /** Id of the user's history, or of the question. */
  readonly id: string;
  readonly phase: "ingest" | "answer";
  readonly message: object;
  readonly kit: Kit;
  readonly use: ProgramUse;
}

/** The job that a program is at. */
interface OpenJob extends Job, Omit<CallOwner, keyof Job> {
  resolve(output: string): void;
  reject(error: unknown): void;
  /** Aborted when the time limit no longer matters. */
  timer: AbortController;
  /** Calls so far, and those that are out. */
  calls: number;
  out: number;
}

/**
 * One process that does one job after the other: it is started when the first one comes, and again after a crash, a breach of
 * the protocol or a timeout, until its restarts are used up. Each of these is a ModelError of the job that is open.
 */
export class Program {
  readonly #settings: ProcessSettings;
  readonly #slot = pLimit(1);
  readonly #users = new Set<string>();
  #child: Child | undefined;
  #door: Door | undefined;
  #open: OpenJob | undefined;
  #starts = 0;
  #lastFailure = "";
  #stopping = false;
  /** The program has said that all its calls go through the run. */
  #allCounted = false;

  constructor(settings: ProcessSettings) {
    this.#settings = settings;
  }

  /** Does work when no other work is done. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#slot(async () => {
        await work().then(resolve, reject);
        await setImmediate(); // the answer stands in the log before the next question goes out
      });
    });
  }

  /** Returns whether the process that runs now has been sent the history of this id. */
  knows = (unit: string): boolean => this.#users.has(unit);

  /** Sends a user's history, before the first question that sees it. */
  async tell(unit: string, message: object, kit: Kit): Promise<void> {
    (await this.#running(kit)).send(message);
    this.#users.add(unit);
  }

  /** Sends a job and returns what the program answers. */
  async do(job: Job): Promise<string> {
    const child = await this.#running(job.kit);
    const output = await new Promise<string>((resolve, reject) => {
      const during = <T>(call: () => Promise<T>): Promise<T> => this.#during(open, call);
      const open: OpenJob = {
        ...{ ...job, resolve, reject, during, draws: new Map() },
        ...{ timer: new AbortController(), calls: 0, out: 0 },
      };
      this.#open = open;
      child.send(job.message);
      this.#startTimer(open);
    });
    if (job.phase === "ingest") this.#users.add(job.id);
    return output;
  }

  /** Jobs that wait are given up; the one that is open may still be done. */
  stop(): void {
    this.#stopping = true;
  }

  kill(): void {
    this.#child?.kill();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#child?.end();
    this.#door?.close();
  }

  async #running(kit: Kit): Promise<Child> {
    if (this.#stopping) throw failure("the run is stopping");
    if (this.#child !== undefined) return this.#child;
    const { command, hello, surroundings, options } = this.#settings;
    if (this.#starts > RESTARTS)
      throw failure(`given up after ${this.#starts} starts, the last of which ${this.#lastFailure}`);
    this.#starts += 1;
    this.#allCounted = false;
    const hasDoor = options["exec.door"] === "on";
    if (hasDoor) this.#door ??= await openDoor(() => this.#open);
    const embedder = hasDoor ? await vectorsOf(kit) : undefined;
    const folder = hasDoor ? temporaryFolder() : undefined;
    const env = { ...surroundings.env, ...this.#door?.env };
    const child: Child = startChild(
      command,
      { ...surroundings, env },
      {
        onLine: (line) => this.#child === child && this.#onMessage(line, child),
        onExit: (how) => {
          folder?.remove();
          if (this.#child === child) this.#drop(how, child);
        },
      },
    );
    this.#child = child;
    child.send({ ...hello, embedder, folder: folder?.path });
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
    else if ("calls" in message) this.#declare(message.calls);
    else if (message.id !== open?.id)
      this.#protocolError(`answered ${quoted(message.id)}, which is no question that it has open`);
    else if ("problem" in message) child.send(refusalMessage(message.ask, message.problem));
    else if ("ask" in message) void this.#forward(message, open, child);
    else if ("error" in message) this.#takeOpen(open).reject(failure(`says: ${message.error}`));
    else this.#takeOpen(open).resolve(message.output);
  }

  #declare(calls: "door" | "ask"): void {
    this.#allCounted = true;
    if (calls === "door" && this.#door === undefined)
      this.#protocolError("makes its calls through the door, which is closed; add --set exec.door=on");
  }

  #takeOpen(open: OpenJob): OpenJob {
    this.#open = undefined;
    open.timer.abort();
    if (this.#allCounted) open.use.allCounted();
    return open;
  }

  async #forward(
    { ask, request }: { readonly ask: string; readonly request: AskRequest },
    open: OpenJob,
    child: Child,
  ): Promise<void> {
    try {
      child.send(replyMessage(ask, await open.during(() => open.kit.ask(open.phase, request))));
    } catch (error) {
      child.send(refusalMessage(ask, messageOf(error)));
    }
  }

  /** The time of a job stands still while the run's model works for it. */
  async #during<T>(open: OpenJob, call: () => Promise<T>): Promise<T> {
    open.calls += 1;
    open.out += 1;
    open.timer.abort();
    try {
      return await call();
    } catch (error) {
      // A cap, a refused key or Ctrl-C ends the job too; a failed call is the program's to handle.
      const isOfCall = error instanceof ModelError && error.scope === "call";
      if (!isOfCall && this.#open === open) this.#takeOpen(open).reject(error);
      throw error;
    } finally {
      open.out -= 1;
      if (open.out === 0 && this.#open === open) this.#startTimer(open);
    }
  }

  #startTimer(open: OpenJob): void {
    const name = open.phase === "ingest" ? "exec.ingestSeconds" : "exec.timeoutSeconds";
    const seconds = this.#settings.options[name];
    open.timer = new AbortController();
    this.#settings.clock.sleep(seconds * 1000, open.timer.signal).then(
      () => this.#open === open && this.#protocolError(`gave no answer within ${name}=${seconds}`),
      () => undefined, // answered in time
    );
  }

  /** After an error of the protocol nothing that it says can be trusted to belong to a job: it is ended, and started again when needed. */
  #protocolError(what: string): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#drop(what, child);
    child.kill();
  }

  #drop(how: string, child: Child): void {
    const [open, stderr] = [this.#open, child.stderrTail()];
    const end = `${how}${open === undefined ? "" : stateOf(open)}`;
    this.#lastFailure = stderr === "" ? end : `${end}; its stderr ends: ${stderr}`;
    this.#child = undefined;
    this.#users.clear();
    if (open !== undefined) this.#takeOpen(open).reject(failure(this.#lastFailure));
  }
}

/** What a program has to know of the vectors that it gets: a server's length is known by one of them. */
async function vectorsOf({ embedder }: Kit) {
  const [vector] = embedder.dimensions > 0 ? [] : await embedder.embed(["dimensions"]);
  return { id: embedder.id, dimensions: vector?.length ?? embedder.dimensions };
}

/** Says what a program was at: the end of its stderr may be an old warning. */
function stateOf({ phase, id, calls }: OpenJob): string {
  const after = calls === 0 ? "" : ` after ${countOf(calls, "call")}`;
  return phase === "ingest" ? ` while it took in user ${id}${after}` : after;
}

const failure = (what: string): ModelError => new ModelError(`the program ${what}`, { retryable: false });

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);

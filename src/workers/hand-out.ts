import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import type { CallTally } from "../app/run/call-tally.js";
import { recallEndpoints } from "../app/run/models/endpoints.js";
import type { Prepared } from "../app/run/prepare.js";
import { openStops } from "../app/run/stops.js";
import { type HandedOut, WORKERS } from "../app/run/work.js";
import { BudgetError, ModelError, UsageError } from "../errors.js";
import type { Entry, Key } from "../log/entry.js";
import type { Money } from "../log/state.js";
import type { RunFolder } from "../run/folder.js";
import type { Answers } from "../run/outside/answers.js";
import { ofUnits } from "../run/plan/part.js";
import type { Arm } from "../run/plan/plan.js";
import { countOf } from "../text/count.js";
import type { Json, Model } from "../types/index.js";
import type { BoardRun } from "./board.js";
import { databaseTrouble, isGone } from "./connect.js";
import { dropRun, type OpenBoard, openBoard, withUsers } from "./open-board.js";
import { planText } from "./plan.js";
import type { UserJob } from "./queue.js";
import { type DoneEntry, keyOfUser, type Why, type WorkerFacts } from "./session.js";

/** Between two looks at what workers have done. */
const LOOK_MS = 300;
const AGAIN_MS = 1_000;
/** Answers of one upload. */
const PAGE = 200;

/** Where the workers of a run are, as its log keeps it. */
interface Place {
  readonly run: string;
  readonly owner: string;
  readonly database: string;
}

/** Has workers do a run, or, without `--workers`, fetches what they have and forgets them. */
export async function handOut(run: Prepared, home: RunFolder, answers: Answers): Promise<HandedOut | undefined> {
  const left = home.log.state.facts.get(WORKERS) as unknown as Place | null | undefined; // written below
  if (run.workers === undefined && (run.io.env.LAMP_EVAL_WORKERS ?? "") === "")
    throw new UsageError(
      `${run.folder}: workers at ${left?.database} may be at this run; set LAMP_EVAL_WORKERS to fetch what they have, or add --workers to go on with them`,
    );
  if (run.reused.length > 0)
    throw new UsageError(
      "--reuse and --workers do not go together; run it once with --reuse alone, then add --workers",
    );
  const opened = await openBoard(run.workers, run.io);
  try {
    const place = left ?? { run: basename(run.folder), owner: randomUUID(), database: opened.database.shown };
    const crew = new Crew(run, home, answers, opened, place);
    return await (run.workers === undefined ? crew.fetch() : crew.work());
  } finally {
    await opened.close();
  }
}

/** The workers of a run as its own process sees them. It alone writes the folder. */
class Crew {
  readonly #run: Prepared;
  readonly #home: RunFolder;
  readonly #answers: Answers;
  readonly #opened: OpenBoard;
  readonly #place: Place;
  readonly #moneyBefore: Readonly<Money>;
  /** Of each key, how many of its entries an earlier process has copied into the log. */
  #copied = new Map<Key, number>();
  readonly #done = new Set<string>();
  readonly #seen = new Map<string, "at work" | "silent" | "refused">();
  #seq = 0;
  #state: BoardRun | undefined;

  constructor(run: Prepared, home: RunFolder, answers: Answers, opened: OpenBoard, place: Place) {
    this.#run = run;
    this.#home = home;
    this.#answers = answers;
    this.#opened = opened;
    this.#place = place;
    this.#moneyBefore = { ...home.log.state.money };
  }

  /** Ends when workers have done all users, or the run ends early. */
  async work(): Promise<HandedOut> {
    await this.#begin();
    const { arms, io, settings, stops } = this.#run;
    const users = usersOf(arms);
    const open = users.filter((user) => !this.#done.has(keyOfUser(user)));
    const { run: id, database } = this.#place;
    if (open.length > 0)
      await this.#patiently(async ({ board, database: to }) => {
        await withUsers(to, id, (queue) => queue.add(open));
        await board.open(id, settings.maxCalls, settings.maxUsd);
      });
    for (;;) {
      await this.#patiently(() => this.#collect());
      this.#tell(users.length);
      if (this.#done.size >= users.length) break;
      if (this.#state === undefined)
        throw new UsageError(
          `${database} holds nothing of this run any more; the same command goes on from the folder`,
        );
      if (stops.stop.signal.aborted) {
        await this.#patiently(({ board }) => board.stop(id, "paused"));
        return this.#handed(await this.#drained(stops.stop.signal.reason));
      }
      if (this.#state.state === "ended") return this.#handed(await this.#drained(reasonOf(this.#state.why)));
      await io.clock.sleep(LOOK_MS, stops.stop.signal).catch(() => undefined);
    }
    await this.#leave();
    return this.#handed(undefined);
  }

  /** Pauses the run, fetches everything that workers have, and drops it from the database. */
  async fetch(): Promise<undefined> {
    const { run: id, owner, database } = this.#place;
    const there = await this.#patiently(({ board }) => board.run(id));
    if (there?.owner === owner && there.state !== "filling") {
      this.#run.io.tell(`${database}: the run is paused; waiting for calls of its workers`);
      this.#copied = this.#copiedBefore();
      await this.#patiently(({ board }) => board.stop(id, "paused"));
      await this.#drained(undefined);
    } else this.#run.io.tell(`${database} holds nothing of this run any more; what is not in its log is asked again`);
    await this.#leave();
  }

  /** Takes up what the database holds of the run, else puts it there with the answers that the log has. */
  async #begin(): Promise<void> {
    const { log, held } = this.#home;
    const { run: id, owner, database } = this.#place;
    const plan = planText(this.#run, held!); // it has begun
    const { tries, replies, usd, uncertainUsd } = log.state.money;
    const spent = { calls: Math.max(tries, replies), usd, uncertainUsd };
    const there = await this.#patiently(({ board }) => board.put({ id, owner, plan, ...spent }));
    if (there.owner !== owner)
      throw new UsageError(
        `--workers: another run called ${id} is at ${database}; rename this folder, or, if that run is yours, drop it: lamp-eval worker --forget ${id}`,
      );
    if (there.state !== "filling") this.#copied = this.#copiedBefore();
    else {
      log.append({ t: "fact", name: WORKERS, value: this.#place as unknown as Json });
      await this.#fill();
    }
    this.#state = there;
  }

  async #fill(): Promise<void> {
    const { run: id } = this.#place;
    let [page, first]: [{ key: Key; content: string }[], number] = [[], 0];
    const send = async (): Promise<void> => {
      await this.#patiently(({ board }) => board.fill(id, page, first));
      first += page.length;
      page = [];
    };
    for (const entry of this.#home.log.entries()) {
      if (entry.t === "got") page.push({ key: entry.key, content: JSON.stringify(entry) });
      if (page.length >= PAGE) await send();
    }
    await send();
  }

  /** Counts the entries that were copied since the run was put into the database. */
  #copiedBefore(): Map<Key, number> {
    const copied = new Map<Key, number>();
    for (const entry of this.#home.log.entries()) {
      if (entry.t === "fact" && entry.name === WORKERS) copied.clear();
      if (isOfCall(entry)) copied.set(entry.key, (copied.get(entry.key) ?? 0) + 1);
    }
    return copied;
  }

  /** Copies what came since the last look into the log. */
  async #collect(): Promise<void> {
    const { board } = this.#opened;
    const { run: id } = this.#place;
    await board.reap(id);
    for (let page = await board.entries(id, this.#seq); page.length > 0; page = await board.entries(id, this.#seq))
      for (const { seq, content } of page) {
        this.#copy(JSON.parse(content) as Entry | DoneEntry); // a worker of this version wrote it
        this.#seq = seq;
      }
    this.#state = await board.run(id);
    this.#hear(await board.workers(id));
  }

  #copy(entry: Entry | DoneEntry): void {
    if (entry.t === "done") this.#done.add(keyOfUser(entry));
    if (!isOfCall(entry)) return;
    const copied = this.#copied.get(entry.key) ?? 0;
    if (copied > 0) this.#copied.set(entry.key, copied - 1);
    else this.#home.log.append(entry);
  }

  /** Ends when no worker holds anything, or after the time that calls in flight have; everything that came is copied. Returns the reason. */
  async #drained(reason: unknown): Promise<unknown> {
    const { io, stops, settings } = this.#run;
    const endMs =
      io.clock.monotonic() + (reason === undefined ? Number.POSITIVE_INFINITY : settings.drainSeconds * 1000);
    const holds = () => this.#patiently(({ board }) => board.held(this.#place.run));
    while ((await holds()) > 0 && io.clock.monotonic() < endMs && !stops.kill.aborted) {
      await this.#patiently(({ board }) => board.reap(this.#place.run));
      await io.clock.sleep(LOOK_MS, stops.kill).catch(() => undefined);
    }
    await this.#patiently(() => this.#collect());
    return reason;
  }

  /** Everything is in the log: the database forgets the run. */
  async #leave(): Promise<void> {
    this.#home.log.sync();
    const there = await this.#patiently(({ board }) => board.run(this.#place.run));
    if (there?.owner === this.#place.owner) await this.#patiently((opened) => dropRun(opened, this.#place.run));
    this.#home.log.append({ t: "fact", name: WORKERS, value: null });
  }

  #handed(reason: unknown): HandedOut {
    const { arms, models, stops } = this.#run;
    this.#answers.keepFailures();
    const isDone = (arm: Arm) => (user: { readonly id: string }) =>
      this.#done.has(keyOfUser({ cell: arm.cell.id, unit: user.id }));
    return {
      reason,
      run: {
        ...this.#run,
        models: models.map(answeredByLog),
        stops: reason === undefined ? stops : openStops({ kill: stops.kill }),
        arms: reason === undefined ? arms : arms.map((arm) => ({ ...arm, loaded: ofUnits(arm.loaded, isDone(arm)) })),
      },
      count: (tally) => this.#count(tally),
    };
  }

  #count(tally: CallTally): void {
    const { tries, replies, usd, uncertainUsd } = this.#home.log.state.money;
    const before = this.#moneyBefore;
    tally.sent = tries - before.tries;
    tally.fromStore = Math.max(0, tally.fromStore - (replies - before.replies));
    if (tally.paid === undefined) return;
    const paid = { usd: usd - before.usd, uncertainUsd: uncertainUsd - before.uncertainUsd };
    tally.paid = { ...tally.paid, ...paid };
  }

  /** Says who came, fell silent, or cannot work on the run, and notes what they learned of their servers. */
  #hear(workers: Awaited<ReturnType<OpenBoard["board"]["workers"]>>): void {
    const { io, models } = this.#run;
    for (const { id, facts: text, silent } of workers) {
      const { refused, endpoints } = JSON.parse(text) as WorkerFacts; // a worker of this version wrote it
      if (endpoints !== undefined) {
        this.#home.note({ endpoints: { ...this.#home.held?.endpoints, ...endpoints } });
        recallEndpoints(models, { endpoints });
      }
      const state = refused !== undefined ? "refused" : silent ? "silent" : "at work";
      const was = this.#seen.get(id);
      this.#seen.set(id, state);
      if (was === state) continue;
      if (state === "refused") io.tell(`worker ${id} cannot work on this run: ${refused}`);
      else if (state === "silent") io.tell(`worker ${id} is silent: others do its users`);
      else io.tell(`worker ${id} is ${was === undefined ? "at work" : "back"}`);
    }
    for (const id of this.#seen.keys())
      if (!workers.some((one) => one.id === id)) {
        this.#seen.delete(id);
        io.tell(`worker ${id} has left`);
      }
  }

  #tell(users: number): void {
    const atWork = [...this.#seen.values()].filter((state) => state === "at work").length;
    const workers = atWork === 0 ? "waiting for workers: start lamp-eval worker" : countOf(atWork, "worker");
    this.#run.emit({ kind: "workers", text: `${workers}, ${this.#done.size} of ${countOf(users, "user")} done` });
  }

  /** Tries again while the database is away; says so once. */
  async #patiently<T>(job: (opened: OpenBoard) => Promise<T>): Promise<T> {
    const { io, stops } = this.#run;
    const { shown } = this.#opened.database;
    let isAway = false;
    for (;;)
      try {
        const done = await job(this.#opened);
        if (isAway) io.tell(`${shown} is back`);
        return done;
      } catch (error) {
        if (!isGone(error) || stops.kill.aborted) throw databaseTrouble(error, shown);
        if (!isAway) io.tell(`${shown} is away: workers keep what arrives and start nothing`);
        isAway = true;
        await io.clock.sleep(AGAIN_MS, stops.kill).catch(() => undefined);
      }
  }
}

/** User by user in all arms, so that a run which ends early has the same users in each. */
function usersOf(arms: readonly Arm[]): UserJob[] {
  const users = arms.flatMap(({ cell, loaded }) =>
    [...loaded.units].map(({ id }, at): UserJob => ({ cell: cell.id, unit: id, at })),
  );
  return users.sort((a, b) => a.at - b.at);
}

const isOfCall = (entry: Entry | DoneEntry): entry is Entry & { readonly key: Key } => "key" in entry;

/** A model whose calls are all in the log. */
function answeredByLog({ servers: _, readRecord: __, ...model }: Model): Model {
  const complete = () => Promise.reject(new Error(`${model.id}: a call of a user that is done is not in the log`));
  return { ...model, complete };
}

function reasonOf(text: string | null): unknown {
  const { kind, message, scope } = JSON.parse(text ?? "{}") as Why; // a worker of this version wrote it
  if (kind === "cap") return new BudgetError(message);
  if (kind === "model") return new ModelError(message, { retryable: false, ...(scope === undefined ? {} : { scope }) });
  return kind === "usage" ? new UsageError(message) : new Error(message);
}

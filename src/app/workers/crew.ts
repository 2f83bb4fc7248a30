import { randomUUID } from "node:crypto";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { pricesAt } from "../../models/prices.js";
import type { RunRecords } from "../../run/folder.js";
import { type StoredCall, vectorOf } from "../../run/replies.js";
import { sha256 } from "../../text/content-id.js";
import { countOf } from "../../text/count.js";
import type { ModelReply } from "../../types/index.js";
import type { Board, BoardRun, Done, Held, Kept } from "../../workers/board.js";
import { type Database, databaseTrouble, isGone } from "../../workers/connect.js";
import type { UnitJob } from "../../workers/queue.js";
import { SILENT_SECONDS } from "../../workers/schema.js";
import type { CallTally } from "../run/call-tally.js";
import type { RunSettings } from "../run/config/resolve-settings.js";
import { spentBefore } from "../run/models/models.js";
import type { Prepared } from "../run/prepare.js";
import { type CrewFile, crewPath, readCrewFile, removeCrewFile, writeCrewFile } from "./crew-file.js";
import type { WorkerFacts } from "./labor.js";
import type { Why } from "./session.js";
import { addressOf, dropRun, openBoard, withUnits } from "./worker.js";

/** Between two looks at what workers have done. */
const LOOK_MS = 300;
const UPLOAD = 200;

/** A run, or a judge, whose work is handed out. */
export interface Employer extends Pick<Prepared, "folder" | "workers" | "models" | "stops" | "io"> {
  /** What the database calls it. */
  readonly name: string;
  readonly settings: Pick<RunSettings, "prices" | "endpoints" | "maxCalls" | "maxUsd" | "drainSeconds">;
}

/** Who keeps what workers bring. */
export interface Keeping {
  readonly records: Pick<RunRecords, "store" | "attempts"> & Partial<Pick<RunRecords, "vectors" | "searches">>;
  /** A reply came, and is stored. */
  heard(reply: ModelReply): void;
  /** The records of a unit; all replies behind them are stored. */
  unit(done: Done): void;
  /** Of a worker's servers. */
  learned(facts: WorkerFacts): void;
}

/** The workers of a run, as its own process sees them: it hands out the units and is the only one who writes the folder. */
export class Crew {
  readonly #run: Employer;
  readonly #database: Database;
  readonly #board: Board;
  readonly #close: () => Promise<void>;
  readonly #file: CrewFile;
  #keeping: Keeping | undefined;
  /** Units that are handed out and have brought nothing yet. */
  readonly #out = new Set<string>();
  readonly #seen = new Map<string, "at work" | "silent" | "refused">();
  #resultSeq = 0;
  #keptSeq = 0;
  #state: BoardRun | undefined;
  #before: Pick<BoardRun, "calls" | "usd" | "uncertainUsd"> = { calls: 0, usd: 0, uncertainUsd: 0 };
  #isAway = false;

  private constructor(run: Employer, opened: Awaited<ReturnType<typeof openBoard>>, file: CrewFile) {
    this.#run = run;
    this.#database = opened.database;
    this.#board = opened.board;
    this.#close = opened.close;
    this.#file = file;
  }

  /** Throws UsageError where the database will not do. */
  static async open(run: Employer): Promise<Crew> {
    const { folder, name, workers, io } = run;
    const left = readCrewFile(folder);
    if (workers === undefined && (io.env.LAMP_EVAL_WORKERS ?? "") === "")
      throw new UsageError(
        `${folder}: workers at ${left?.database} may be at this run; set LAMP_EVAL_WORKERS to fetch what they have, or add --workers to go on with them; if that database is gone for good, remove ${crewPath(folder)} and buy the rest again`,
      );
    const opened = await openBoard(addressOf(workers, io), io);
    const file = left ?? { run: name, owner: randomUUID(), database: opened.database.shown };
    return new Crew(run, opened, file);
  }

  async close(): Promise<void> {
    await this.#close();
  }

  /** Where the database is, as it may be printed. */
  get database(): string {
    return this.#database.shown;
  }

  /** Calls of workers that are out now. */
  get inFlight(): number {
    return this.#state?.inFlight ?? 0;
  }

  /** Billable tries since this process began. */
  get sent(): number {
    return (this.#state?.calls ?? 0) - this.#before.calls;
  }

  get paid(): CallTally["paid"] {
    const usd = (this.#state?.usd ?? 0) - this.#before.usd;
    const uncertainUsd = (this.#state?.uncertainUsd ?? 0) - this.#before.uncertainUsd;
    const { settings, models, io } = this.#run;
    const prices = pricesAt(io.clock.now(), settings.prices, settings.endpoints);
    const priced = models.filter(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined).length;
    return priced === 0 ? undefined : { usd, uncertainUsd, isPart: priced < models.length };
  }

  /** Takes up what the database holds of the folder, else puts the job up, with the replies that are there. Throws UsageError where the name is another run's. */
  async begin(job: string, keeping: Keeping): Promise<void> {
    this.#keeping = keeping;
    const { folder, io, settings, models } = this.#run;
    const { run: id, owner } = this.#file;
    const { store, attempts } = keeping.records;
    const prices = pricesAt(io.clock.now(), settings.prices, settings.endpoints);
    const before = spentBefore(store.records(), { attempts }, models, prices);
    const there = await this.#patiently(() => this.#board.put(id, owner, job, before));
    if (there.owner !== owner)
      throw new UsageError(
        `--workers: another run called ${id} is at ${this.#database.shown}; rename this folder, or, if that run is yours, drop it: lamp-eval worker --forget ${id}`,
      );
    writeCrewFile(folder, this.#file);
    this.#state = there;
    this.#before = there;
    const known = new Set<string>();
    await this.#patiently(() => this.#collect(known));
    await this.#patiently(() => this.#upload(known));
  }

  /** Pauses the run, fetches all that workers have, and drops it from the database. */
  async takeHome(keeping: Keeping): Promise<void> {
    this.#keeping = keeping;
    const { folder, io } = this.#run;
    const { run: id, owner } = this.#file;
    const there = await this.#patiently(() => this.#board.run(id));
    if (there?.owner === owner) {
      this.#state = there;
      this.#before = there;
      await this.#patiently(() => this.#board.stop(id, "paused"));
      io.tell(`${this.#database.shown}: the run is paused; waiting for calls of its workers`);
      await this.#patiently(() => this.#drained(Number.POSITIVE_INFINITY));
      await this.#patiently(() => dropRun(this.#database, this.#board, id));
    } else
      io.tell(
        `${this.#database.shown} holds nothing of this run any more; what workers had beyond this folder is bought again`,
      );
    removeCrewFile(folder);
  }

  /** Ends when workers have done these units; `inputs` are what they are about, by id, where their ids do not say it. Returns the reason of an early end. */
  async settle(open: readonly UnitJob[], inputs: ReadonlyMap<string, string> = new Map()): Promise<unknown> {
    const { stops, settings, io } = this.#run;
    const { run: id } = this.#file;
    if (open.length === 0) return undefined;
    await this.#patiently(async () => {
      await this.#board.redo(id, open, this.#resultSeq);
      await this.#board.putInputs(id, inputs);
      await withUnits(this.#database, id, (units) => units.add(open));
      await this.#board.open(id, settings.maxCalls, settings.maxUsd);
    });
    for (const unit of open) this.#out.add(keyOf(unit));
    for (;;) {
      await this.#patiently(() => this.#collect());
      if (this.#out.size === 0) return undefined;
      if (stops.stop.signal.aborted) {
        await this.#patiently(() => this.#board.stop(id, "paused"));
        await this.#patiently(() => this.#drained(settings.drainSeconds * 1000));
        return stops.stop.signal.reason;
      }
      if (this.#state === undefined)
        throw new UsageError(
          `${this.#database.shown} holds nothing of this run any more; the same command goes on from the folder`,
        );
      if (this.#state.state === "ended") {
        await this.#patiently(() => this.#drained(settings.drainSeconds * 1000));
        return reasonOf(JSON.parse(this.#state.why ?? "{}"));
      }
      await io.clock.sleep(LOOK_MS, stops.stop.signal).catch(() => undefined);
    }
  }

  /** The folder is whole: the database forgets the run. */
  async done(): Promise<void> {
    if (this.#keeping === undefined || this.#run.workers === undefined) return;
    await this.#patiently(() => dropRun(this.#database, this.#board, this.#file.run));
    removeCrewFile(this.#run.folder);
  }

  /** Ends when no worker holds anything, at most so long; all that came is kept. */
  async #drained(mostMs: number): Promise<void> {
    const { io, stops } = this.#run;
    const endMs = io.clock.monotonic() + mostMs;
    while ((await this.#board.heldClaims(this.#file.run)) > 0 && io.clock.monotonic() < endMs && !stops.kill.aborted) {
      await this.#board.reap(this.#file.run);
      await io.clock.sleep(LOOK_MS, stops.kill).catch(() => undefined);
    }
    await this.#collect();
    const { attempts } = this.#kept.records;
    for (const { key, tries, upToUsd } of await this.#board.takeUnanswered(this.#file.run))
      for (let n = 1; n <= tries; n++) {
        attempts?.started(key, n, upToUsd || undefined);
        attempts?.ended(key, n, "unknown");
      }
  }

  /** Keeps what came since the last look. */
  async #collect(known?: Set<string>): Promise<void> {
    const { run: id } = this.#file;
    await this.#board.reap(id);
    for (
      let page = await this.#board.results(id, this.#resultSeq);
      page.length > 0;
      page = await this.#board.results(id, this.#resultSeq)
    ) {
      const last = page.at(-1)!.seq;
      await this.#keepValues(last, known); // what a row rests on is there before it
      for (const one of page) {
        this.#kept.unit(one);
        this.#out.delete(keyOf(one));
      }
      this.#resultSeq = last;
    }
    await this.#keepValues(Number.POSITIVE_INFINITY, known);
    this.#state = await this.#board.run(id);
    this.#tellWorkers(await this.#board.workers(id));
  }

  /** Adds to `known` what the database has. */
  async #keepValues(until: number, known?: Set<string>): Promise<void> {
    while (this.#keptSeq < until) {
      const page = await this.#board.kept(this.#file.run, this.#keptSeq);
      for (const one of page) {
        this.#keepValue(one);
        known?.add(one.key);
      }
      if (page.length === 0) return;
      this.#keptSeq = page.at(-1)!.seq;
    }
  }

  #keepValue({ kind, key, request, content, tries, upToUsd }: Kept): void {
    const { records } = this.#kept;
    const value: unknown = JSON.parse(content);
    if (kind === "vector") {
      const vector = vectorOf(value as Parameters<typeof vectorOf>[0]);
      if (vector !== undefined) records.vectors?.put(key, vector);
    } else if (kind === "search") records.searches?.put(value as object);
    else if (!records.store.has(key)) {
      for (let n = 1; n <= tries; n++) {
        records.attempts?.started(key, n, upToUsd || undefined);
        if (n < tries) records.attempts?.ended(key, n, "unknown");
      }
      records.store.put(key, JSON.parse(request ?? "{}") as StoredCall["request"], value as ModelReply);
      records.attempts?.answered(key);
      this.#kept.heard(value as ModelReply);
    }
  }

  /** Puts up what the folder holds and the database does not. */
  async #upload(known: ReadonlySet<string>): Promise<void> {
    const page: Held[] = [];
    for (const value of heldBy(this.#kept.records)) {
      if (!known.has(value.key)) page.push(value);
      if (page.length >= UPLOAD) await this.#board.upload(this.#file.run, page.splice(0));
    }
    await this.#board.upload(this.#file.run, page);
  }

  /** Says who came, fell silent, or cannot work on the run; and takes over what they learned of their servers. */
  #tellWorkers(workers: Awaited<ReturnType<Board["workers"]>>): void {
    const { io } = this.#run;
    for (const { id, facts: text, silentMs } of workers) {
      const facts = JSON.parse(text) as WorkerFacts;
      const { refused } = facts;
      const state = refused !== undefined ? "refused" : silentMs > SILENT_SECONDS * 1000 ? "silent" : "at work";
      const was = this.#seen.get(id);
      this.#seen.set(id, state);
      this.#kept.learned(facts);
      if (was === state) continue;
      if (state === "refused") io.tell(`worker ${id} is not fit for this run: ${refused}`);
      else if (state === "silent") io.tell(`worker ${id} is silent: others do its units`);
      else io.tell(`worker ${id} is ${was === undefined ? "at work" : "back"}`);
    }
    for (const id of this.#seen.keys())
      if (!workers.some((one) => one.id === id)) {
        this.#seen.delete(id);
        io.tell(`worker ${id} has left`);
      }
  }

  /** Each worker's state, in a few words; what to do where there is none. */
  get text(): string {
    const states = [...this.#seen.values()];
    const count = (state: string): number => states.filter((one) => one === state).length;
    if (count("at work") === 0) return "no worker; start some: lamp-eval worker";
    const silent = count("silent") === 0 ? "" : `, ${count("silent")} silent`;
    return `${countOf(count("at work"), "worker")}${silent}`;
  }

  /** Again and again while the database is away. */
  async #patiently<T>(job: () => Promise<T>): Promise<T> {
    const { io, stops } = this.#run;
    for (;;)
      try {
        const done = await job();
        if (this.#isAway) io.tell(`${this.#database.shown} is back`);
        this.#isAway = false;
        return done;
      } catch (error) {
        if (!isGone(error) || stops.kill.aborted) throw databaseTrouble(error, this.#database.shown);
        if (!this.#isAway)
          io.tell(
            `${this.#database.shown} is away: workers keep what arrives and start nothing; the run goes on when it is back`,
          );
        this.#isAway = true;
        await io.clock.sleep(1_000, stops.kill).catch(() => undefined);
      }
  }

  get #kept(): Keeping {
    if (this.#keeping === undefined) throw new Error("the run's records are not open");
    return this.#keeping;
  }
}

const keyOf = ({ cell, unit }: Pick<UnitJob, "cell" | "unit">): string => JSON.stringify([cell, unit]);

function* heldBy({ store, vectors, searches }: Keeping["records"]): Generator<Held> {
  for (const { key, request, reply } of store.records())
    yield { kind: "reply", key, request: JSON.stringify(request), content: JSON.stringify(reply) };
  for (const one of vectors?.records() ?? [])
    yield { kind: "vector", key: one.key, request: null, content: JSON.stringify(one) };
  for (const one of searches?.found() ?? []) {
    const content = JSON.stringify(one);
    yield { kind: "search", key: sha256(content), request: null, content };
  }
}

function reasonOf({ kind, message, scope }: Why): unknown {
  if (kind === "cap") return new BudgetError(message);
  if (kind === "model") return new ModelError(message, { retryable: false, scope: scope ?? "stop" });
  if (kind === "usage") throw new UsageError(message);
  throw new Error(message);
}

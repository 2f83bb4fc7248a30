import type { Pool } from "pg";
import type { RunState } from "./exchange.js";
import { SILENT_SECONDS } from "./queue.js";

/** A run as its process and its workers see it. */
export interface BoardRun {
  readonly id: string;
  /** Tells two runs of one name apart. */
  readonly owner: string;
  /** See plan.ts. */
  readonly plan: string;
  readonly state: Exclude<RunState, "gone">;
  /** Why it ended, as JSON. */
  readonly why: string | null;
  /** Billable tries, and what they cost. */
  readonly calls: number;
  readonly usd: number;
  readonly uncertainUsd: number;
  readonly maxCalls: number | null;
  readonly maxUsd: number | null;
}

const RUN = `id, owner, plan, state, why, calls, usd, uncertain_usd as "uncertainUsd", max_calls as "maxCalls", max_usd as "maxUsd"`;
const PAGE = 500;

/** What runs and workers ask of the database besides what `Exchange` carries. */
export class Board {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async runs(): Promise<readonly BoardRun[]> {
    return this.#rows<BoardRun>(`select ${RUN} from lamp_eval.run where state = 'open' order by id`);
  }

  async run(id: string): Promise<BoardRun | undefined> {
    return (await this.#rows<BoardRun>(`select ${RUN} from lamp_eval.run where id = $1`, id))[0];
  }

  /** Adds the run, or gives the one that is there its plan as it is now. Returns the one that has the name then: it may be another's. */
  async put({ id, owner, plan, calls, usd, uncertainUsd }: Omit<BoardRun, "state" | "why" | "maxCalls" | "maxUsd">) {
    await this.#rows(
      "insert into lamp_eval.run as run (id, owner, plan, state, calls, usd, uncertain_usd) values ($1, $2, $3, 'filling', $4, $5, $6) on conflict (id) do update set plan = excluded.plan where run.owner = excluded.owner",
      ...[id, owner, plan, calls, usd, uncertainUsd],
    );
    return (await this.run(id))!; // put just now
  }

  /** Adds answers that the run has already; `first`: how many there were before. */
  async fill(id: string, answers: readonly { readonly key: string; readonly content: string }[], first: number) {
    await this.#rows(
      `with one as (select key, content, -($4::bigint + at) as seq from unnest($2::text[], $3::text[]) with ordinality as one(key, content, at)),
       kept as (insert into lamp_eval.call (run, key, ended) select $1, key, seq from one on conflict do nothing returning ended)
       insert into lamp_eval.entry (run, seq, content) select $1, seq, content from one join kept on kept.ended = one.seq on conflict do nothing`,
      ...[id, answers.map(({ key }) => key), answers.map(({ content }) => content), first],
    );
  }

  async open(id: string, maxCalls: number | undefined, maxUsd: number | undefined): Promise<void> {
    await this.#rows(
      "update lamp_eval.run set state = 'open', why = null, max_calls = $2, max_usd = $3 where id = $1",
      ...[id, maxCalls, maxUsd],
    );
  }

  /** Nothing begins any more. The first reason stands. */
  async stop(id: string, state: "paused" | "ended", why?: string): Promise<void> {
    await this.#rows("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", id, state, why);
  }

  /** Drops everything that is kept of a run. Returns whether there was one. */
  async forget(id: string): Promise<boolean> {
    return (await this.#rows("delete from lamp_eval.run where id = $1 returning id", id)).length > 0;
  }

  /** Adds a sign of life of a worker, and what it has to say of itself. Returns the state of the run. */
  async beat(id: string, worker: string, facts: string): Promise<RunState> {
    await this.#rows(
      "insert into lamp_eval.worker (run, id, facts, seen) select id, $2, $3, clock_timestamp() from lamp_eval.run where id = $1 on conflict (run, id) do update set facts = excluded.facts, seen = excluded.seen",
      ...[id, worker, facts],
    );
    await this.reap(id);
    return (await this.run(id))?.state ?? "gone";
  }

  async leave(id: string, worker: string): Promise<void> {
    await this.#rows("delete from lamp_eval.worker where run = $1 and id = $2", id, worker);
    await this.reap(id);
  }

  /** Frees what silent workers hold. */
  async reap(id: string): Promise<void> {
    await this.#rows("select lamp_eval.reap($1, make_interval(secs => $2))", id, SILENT_SECONDS);
  }

  /** The workers of a run, and whether they are silent. */
  async workers(
    id: string,
  ): Promise<readonly { readonly id: string; readonly facts: string; readonly silent: boolean }[]> {
    return this.#rows(
      `select id, facts, seen < clock_timestamp() - make_interval(secs => $2) as silent from lamp_eval.worker where run = $1 order by id`,
      ...[id, SILENT_SECONDS],
    );
  }

  /** The entries behind `seq`, in order, a page of them. */
  async entries(id: string, seq: number): Promise<readonly { readonly seq: number; readonly content: string }[]> {
    return this.#rows(
      `select seq::double precision, content from lamp_eval.entry where run = $1 and seq > $2 order by seq limit ${PAGE}`,
      ...[id, seq],
    );
  }

  /** How many keys workers hold. */
  async held(id: string): Promise<number> {
    const [row] = await this.#rows<{ n: number }>(
      "select count(*)::int as n from lamp_eval.call where run = $1 and worker is not null",
      id,
    );
    return row?.n ?? 0;
  }

  /** Milliseconds that this clock is ahead of the server's. */
  async clockOff(nowMs: () => number): Promise<number> {
    const before = nowMs();
    const [row] = await this.#rows<{ ms: number }>("select lamp_eval.now_ms() as ms");
    return (before + nowMs()) / 2 - (row?.ms ?? 0);
  }

  async #rows<T extends object>(text: string, ...values: readonly unknown[]): Promise<readonly T[]> {
    return (await this.#pool.query<T>(text, [...values])).rows;
  }
}

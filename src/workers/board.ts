import type { Pool } from "pg";
import type { RunState } from "./exchange.js";
import { SILENT_SECONDS } from "./schema.js";

/** A run as its process and its workers see it. */
export interface BoardRun {
  readonly id: string;
  /** Tells two runs of one name apart. */
  readonly owner: string;
  /** What a worker needs to know, as JSON. */
  readonly job: string;
  readonly state: Exclude<RunState, "gone">;
  /** Why it ended, as JSON. */
  readonly why: string | null;
  readonly calls: number;
  readonly inFlight: number;
  readonly usd: number;
  readonly uncertainUsd: number;
  readonly maxCalls: number | null;
  readonly maxUsd: number | null;
}

interface Spending {
  readonly calls: number;
  readonly usd: number;
  readonly uncertainUsd: number;
}

/** A reply, a vector or a search. */
export interface Held {
  readonly kind: string;
  readonly key: string;
  readonly request: string | null;
  readonly content: string;
}

/** The same as it was kept. */
export interface Kept extends Held {
  readonly seq: number;
  readonly tries: number;
  readonly upToUsd: number;
}

export interface Done {
  readonly seq: number;
  readonly cell: string;
  readonly unit: string;
  readonly content: string;
}

/** A worker of a run, and how long it has been silent. */
export interface Seen {
  readonly id: string;
  readonly facts: string;
  readonly silentMs: number;
}

const RUN = `id, owner, job, state, why, calls, in_flight as "inFlight", usd, uncertain_usd as "uncertainUsd", max_calls as "maxCalls", max_usd as "maxUsd"`;
const PAGE = 500;

/** What runs and workers put up for each other, besides what `Exchange` carries. */
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

  /** Puts the run up, paused; where it is there already, with its job as it is now. Returns the one that has the name then: it may be another's. */
  async put(id: string, owner: string, job: string, { calls, usd, uncertainUsd }: Spending): Promise<BoardRun> {
    await this.#rows(
      "insert into lamp_eval.run as run (id, owner, job, state, calls, usd, uncertain_usd) values ($1, $2, $3, 'paused', $4, $5, $6) on conflict (id) do update set job = excluded.job where run.owner = excluded.owner",
      ...[id, owner, job, calls, usd, uncertainUsd],
    );
    return (await this.run(id))!; // put just now
  }

  async open(id: string, maxCalls: number | undefined, maxUsd: number | undefined): Promise<void> {
    await this.#rows(
      "update lamp_eval.run set state = 'open', why = null, max_calls = $2, max_usd = $3 where id = $1",
      ...[id, maxCalls, maxUsd],
    );
  }

  /** Nothing is begun any more. The first reason stands. */
  async stop(id: string, state: "paused" | "ended", why?: string): Promise<void> {
    await this.#rows("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", id, state, why);
  }

  /** Drops all that is kept of a run. Returns whether there was one. */
  async forget(id: string): Promise<boolean> {
    return (await this.#rows("delete from lamp_eval.run where id = $1 returning id", id)).length > 0;
  }

  /** A sign of life of a worker, and of what it sees. Returns the state of the run. */
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

  async workers(id: string): Promise<readonly Seen[]> {
    return this.#rows<Seen>(
      `select id, facts, extract(epoch from clock_timestamp() - seen)::double precision * 1000 as "silentMs" from lamp_eval.worker where run = $1 order by id`,
      id,
    );
  }

  /** Results behind `seq`, in order, a page of them. */
  async results(id: string, seq: number): Promise<readonly Done[]> {
    return this.#rows<Done>(
      `select seq::double precision, cell, unit, content from lamp_eval.result where run = $1 and seq > $2 order by seq limit ${PAGE}`,
      ...[id, seq],
    );
  }

  async kept(id: string, seq: number): Promise<readonly Kept[]> {
    return this.#rows<Kept>(
      `select seq::double precision, kind, key, request, content, tries, up_to_usd as "upToUsd" from lamp_eval.value where run = $1 and seq > $2 order by seq limit ${PAGE}`,
      ...[id, seq],
    );
  }

  /** Tries that brought no reply, each once: whoever asks counts them. */
  async takeUnanswered(id: string): Promise<readonly Omit<Kept, "seq" | "content" | "request">[]> {
    return this.#rows(
      `with found as (select * from lamp_eval.value where run = $1 and content is null and tries > 0 for update)
       update lamp_eval.value as v set tries = 0 from found where v.run = found.run and v.kind = found.kind and v.key = found.key
       returning found.kind, found.key, found.tries, found.up_to_usd as "upToUsd"`,
      id,
    );
  }

  async heldClaims(id: string): Promise<number> {
    const [row] = await this.#rows<{ n: number }>(
      "select count(*)::int as n from lamp_eval.value where run = $1 and content is null and worker is not null",
      id,
    );
    return row?.n ?? 0;
  }

  /** Puts up what the run's folder holds already; it is read again with what workers keep, should the folder lose it. */
  async upload(id: string, values: readonly Held[]): Promise<void> {
    await this.#rows(
      `with place as (update lamp_eval.run set seq = seq + cardinality($3::text[]) where id = $1 returning seq - cardinality($3::text[]) as before)
       insert into lamp_eval.value (run, kind, key, request, content, seq)
       select $1, kind, key, request, content, before + at from place, unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality as one(kind, key, request, content, at)
       on conflict do nothing`,
      ...[
        id,
        values.map(({ kind }) => kind),
        values.map(({ key }) => key),
        values.map(({ request }) => request),
        values.map(({ content }) => content),
      ],
    );
  }

  /** What units are about, by their ids. */
  async putInputs(id: string, inputs: ReadonlyMap<string, string>): Promise<void> {
    await this.#rows(
      "insert into lamp_eval.input (run, unit, content) select $1, * from unnest($2::text[], $3::text[]) on conflict do nothing",
      ...[id, [...inputs.keys()], [...inputs.values()]],
    );
  }

  async input(id: string, unit: string): Promise<string> {
    const [row] = await this.#rows<{ content: string }>(
      "select content from lamp_eval.input where run = $1 and unit = $2",
      ...[id, unit],
    );
    if (row === undefined) throw new Error(`unit ${unit} of ${id} has no input`);
    return row.content;
  }

  /** Drops results that are to be made again, as far as they are collected. */
  async redo(
    id: string,
    units: readonly { readonly cell: string; readonly unit: string }[],
    seq: number,
  ): Promise<void> {
    await this.#rows(
      "delete from lamp_eval.result as r using unnest($2::text[], $3::text[]) as u(cell, unit) where r.run = $1 and r.cell = u.cell and r.unit = u.unit and r.seq <= $4",
      ...[id, units.map(({ cell }) => cell), units.map(({ unit }) => unit), seq],
    );
  }

  async hasResult(id: string, cell: string, unit: string): Promise<boolean> {
    return (
      (await this.#rows("select 1 from lamp_eval.result where run = $1 and cell = $2 and unit = $3", id, cell, unit))
        .length > 0
    );
  }

  /** Milliseconds that this clock is ahead of the server's. */
  async clockOff(nowMs: () => number): Promise<number> {
    const before = nowMs();
    const [row] = await this.#rows<{ ms: number }>("select lamp_eval.now_ms() as ms");
    return (before + nowMs()) / 2 - (row?.ms ?? 0);
  }

  async #rows<T extends object>(text: string, ...values: readonly unknown[]): Promise<readonly T[]> {
    const { rows } = await this.#pool.query<T>(text, [...values]);
    return rows;
  }
}

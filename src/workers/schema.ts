import type { Pool } from "pg";
import { UsageError } from "../errors.js";
import { migrateQueue } from "./queue.js";

/** Version of the tables, kept as the comment of their schema. */
const VERSION = "6";

/**
 * Tables and functions. `entry` holds the log of a run in the order of `seq`, up to `filled` the answers that the run brought along.
 * `call` is the store: one line a key, and the entry that ended it.
 */
const tables = `
create schema lamp_eval;
comment on schema lamp_eval is '${VERSION}';
set local search_path to lamp_eval;
create table run (
  id text primary key, plan text not null, state text not null, why text, filled bigint,
  max_calls double precision, max_usd double precision,
  calls double precision not null default 0, -- billable tries, those in flight included
  usd double precision not null default 0, unknown_billed_up_to_usd double precision not null default 0
);
create table entry (
  seq bigint primary key generated always as identity, run text not null references run on delete cascade, content text not null
);
create index on entry (run, seq);
create table call (
  run text not null references run on delete cascade, key text not null,
  worker text, attempt integer, up_to_usd double precision, -- attempt: of the try in flight
  ended bigint,
  primary key (run, key)
);
create index on call (run, worker) where worker is not null;
create index on call (run) where attempt is not null;
create table worker (
  run text not null references run on delete cascade, id text not null, seen timestamptz not null,
  primary key (run, id)
);
create table account (name text primary key, held_until double precision not null default 0, next_start jsonb not null default '{}');

-- Everything that a worker, or the process of the run (null), asks and tells of one run, in order, in one transaction: a sign of life. The row of the run is locked: caps are exact, and no entry comes with a lower number later.
create function apply_ops(p_run text, p_worker text, p_ops jsonb) returns jsonb language plpgsql as $$
declare
  r lamp_eval.run;
  c lamp_eval.call;
  a lamp_eval.account;
  op jsonb;
  measure text;
  per_minute double precision;
  now_ms double precision;
  ended text;
  cost double precision;
  is_holder boolean;
  in_flight double precision;
  reserved double precision;
  answers jsonb[] := '{}';
  answer jsonb;
begin
  select * into r from lamp_eval.run where id = p_run for update;
  if not found then return jsonb_build_object('state', 'deleted'); end if;
  if p_worker is not null then
    insert into lamp_eval.worker values (p_run, p_worker, clock_timestamp()) on conflict (run, id) do update set seen = excluded.seen;
  end if;
  for op in select * from jsonb_array_elements(p_ops) loop
    answer := 'null';
    now_ms := extract(epoch from clock_timestamp()) * 1000;
    cost := coalesce((op->>'usd')::double precision, 0);
    if op ? 'key' then
      insert into lamp_eval.call (run, key) values (p_run, op->>'key') on conflict do nothing;
      select * into c from lamp_eval.call where run = p_run and key = op->>'key';
      select max(content) into ended from lamp_eval.entry where seq = c.ended;
      is_holder := coalesce(c.worker = p_worker and c.attempt is not null, false);
    end if;
    case op->>'op'
    when 'claim' then
      if ended is not null then answer := jsonb_build_object('end', ended);
      elsif r.state <> 'open' then answer := '"stopped"';
      elsif coalesce(c.worker, p_worker) <> p_worker then answer := '"wait"';
      else
        c.worker := p_worker;
        answer := '"mine"';
      end if;
    when 'release' then
      if c.worker = p_worker and c.attempt is null then c.worker := null; end if;
    when 'take' then
      select count(*), coalesce(sum(up_to_usd), 0) into in_flight, reserved from lamp_eval.call where run = p_run and attempt is not null;
      if is_holder and c.attempt = (op->>'attempt')::integer then answer := '"go"'; -- asked again after a lost connection
      elsif r.state <> 'open' then answer := '"stopped"';
      elsif ended is not null then answer := '"ended"'; -- others did the call while this worker was silent
      elsif r.calls - in_flight >= r.max_calls then answer := jsonb_build_object('cap', format('--max-calls %s is reached', r.max_calls));
      elsif r.usd + r.unknown_billed_up_to_usd + cost > r.max_usd then
        answer := jsonb_build_object('cap', format('--max-usd %s would be passed (next call up to $%s)', r.max_usd, round(cost::numeric, 4)));
      elsif c.attempt is not null or r.calls >= r.max_calls or r.usd + r.unknown_billed_up_to_usd + reserved + cost > r.max_usd then answer := '"later"';
      else
        c.worker := p_worker;
        c.attempt := (op->>'attempt')::integer;
        c.up_to_usd := cost;
        r.calls := r.calls + 1;
        insert into lamp_eval.entry (run, content) values (p_run, op->>'content');
        answer := '"go"';
      end if;
    when 'settle' then -- a try brought no answer
      if is_holder then
        c.attempt := null;
        r.calls := r.calls - 1 + (op->>'calls')::double precision;
        r.unknown_billed_up_to_usd := r.unknown_billed_up_to_usd + (op->>'uncertain')::double precision;
      end if;
    when 'log' then
      insert into lamp_eval.entry (run, content) values (p_run, op->>'content');
    when 'end' then
      if is_holder or ended is distinct from op->>'content' then r.usd := r.usd + cost; end if; -- else: sent again after a lost connection
      if ended is null then insert into lamp_eval.entry (run, content) values (p_run, op->>'content') returning seq into c.ended;
      elsif ended <> op->>'content' then answer := jsonb_build_object('end', ended);
      end if;
      if is_holder then c.attempt := null; end if;
      if c.attempt is null then c.worker := null; end if; -- a try of another worker stays in flight until that one has told
    when 'start' then
      insert into lamp_eval.account (name) values (op->>'account') on conflict (name) do update set name = excluded.name returning * into a;
      if r.state <> 'open' then answer := '"stopped"';
      elsif a.held_until > now_ms then answer := to_jsonb(a.held_until - now_ms + 1);
      else
        answer := jsonb_build_object('after', 0);
        for measure, per_minute in select key, value::double precision from jsonb_each_text(op->'perMinute') loop -- when the next call may start under a limit
          cost := coalesce((op->>measure)::double precision, 1) * 60000 / per_minute
            + greatest(coalesce((a.next_start->>measure)::double precision, 0), now_ms - case measure when 'requests' then 1000 else 6000 end); -- a burst
          a.next_start := a.next_start || jsonb_build_object(measure, cost);
          answer := jsonb_build_object('after', greatest((answer->>'after')::double precision, cost - now_ms));
        end loop;
        update lamp_eval.account set next_start = a.next_start where name = a.name;
      end if;
    when 'hold' then
      insert into lamp_eval.account (name, held_until) values (op->>'account', now_ms + (op->>'ms')::double precision)
      on conflict (name) do update set held_until = greatest(lamp_eval.account.held_until, excluded.held_until);
    when 'beat' then -- frees what silent workers hold: their calls in flight count as possibly billed
      delete from lamp_eval.worker where run = p_run and seen < clock_timestamp() - make_interval(secs => (op->>'silent')::double precision);
      for c in select * from lamp_eval.call where run = p_run and worker is not null and worker not in (select id from lamp_eval.worker where run = p_run) loop
        update lamp_eval.call set worker = null, attempt = null where run = p_run and key = c.key;
        continue when c.attempt is null;
        r.unknown_billed_up_to_usd := r.unknown_billed_up_to_usd + c.up_to_usd;
        insert into lamp_eval.entry (run, content) values (p_run, json_build_object('t', 'failure', 'key', c.key, 'billed', 'unknown', 'error', 'its worker fell silent')::text);
      end loop;
    end case;
    if op ? 'key' then
      update lamp_eval.call set worker = c.worker, attempt = c.attempt, up_to_usd = c.up_to_usd, ended = c.ended where run = p_run and key = c.key;
    end if;
    answers := answers || answer;
  end loop;
  update lamp_eval.run set calls = r.calls, usd = r.usd, unknown_billed_up_to_usd = r.unknown_billed_up_to_usd where id = p_run;
  return jsonb_build_object('state', r.state, 'answers', to_jsonb(answers));
end $$;
`;

/** Makes the tables where there are none. Throws UsageError on tables of another version. */
export async function openTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  const sql = "select obj_description(to_regnamespace('lamp_eval'), 'pg_namespace') as version";
  const readVersion = async () => (await client.query<{ version: string | null }>(sql)).rows[0]!.version;
  try {
    if ((await readVersion()) === null) {
      await migrateQueue(client);
      await client.query("begin"); // nothing of it holds where the connection ends before the commit
      await client.query("select pg_advisory_xact_lock(hashtext('lamp_eval'))");
      if ((await readVersion()) === null) await client.query(tables);
      await client.query("commit");
    }
    const version = await readVersion();
    if (version === VERSION) return;
    throw new UsageError(
      `--workers: the tables are of version ${version}, this lamp-eval needs ${VERSION}; use another database`,
    );
  } finally {
    client.release();
  }
}

import type { Pool } from "pg";
import { UsageError } from "../errors.js";
import { migrateQueue } from "./queue.js";

/** Version of the tables, kept as the comment of their schema. */
const VERSION = "7";

/**
 * `run`: caps and spending. `entry`: the log of a run in the order of `seq`; up to `filled` the answers that the run brought along.
 * `call`: a line for each key, with the worker that has claimed it, its try in flight, and the entry that ended it. `account`: rate limits
 * that all workers share. `apply_ops` executes the operations of op-queue.ts.
 */
const tables = `
create schema lamp_eval;
comment on schema lamp_eval is '${VERSION}';
set local search_path to lamp_eval;
create table run (
  id text primary key,
  plan text not null,
  state text not null, -- see RunState in database.ts
  why text, -- reason of the end, as JSON
  filled bigint,
  max_calls double precision,
  max_usd double precision,
  calls double precision not null default 0, -- billable tries, those in flight included
  usd double precision not null default 0, -- billed
  unknown_billed_up_to_usd double precision not null default 0 -- upper bound of what tries without an answer cost
);
create table entry (
  seq bigint primary key generated always as identity,
  run text not null references run on delete cascade,
  content text not null
);
create index on entry (run, seq);
create table call (
  run text not null references run on delete cascade,
  key text not null,
  worker text, -- that has claimed the call
  attempt integer, -- number of the try in flight, by its worker's count
  up_to_usd double precision, -- that this try costs at most
  ended bigint, -- seq of the entry that ended the call
  primary key (run, key)
);
create index on call (run, worker) where worker is not null;
create index on call (run) where attempt is not null;
create table worker (
  run text not null references run on delete cascade,
  id text not null,
  seen timestamptz not null,
  primary key (run, id)
);
create table account (
  name text primary key,
  held_until double precision not null default 0, -- milliseconds since the epoch
  next_start jsonb not null default '{}' -- by measure (requests, input, output): milliseconds since the epoch
);

-- Executes operations of one worker, or of the run's process (p_worker is null), in order and in one transaction. Returns the state of the
-- run and an answer for each operation. It locks the row of the run, so that caps are exact and entries are visible in the order of seq.
create function apply_ops(p_run text, p_worker text, p_ops jsonb) returns jsonb language plpgsql as $$
declare
  the_run lamp_eval.run;
  the_call lamp_eval.call;
  the_account lamp_eval.account;
  op jsonb;
  answer jsonb;
  answers jsonb[] := '{}';
  now_ms double precision;
  end_content text; -- the entry that ended the call
  op_usd double precision;
  has_try_in_flight boolean; -- this worker, for this call
  tries_in_flight double precision;
  reserved_usd double precision;
  measure text;
  per_minute double precision;
  start_ms double precision;
  burst_ms double precision;
begin
  select * into the_run from lamp_eval.run where id = p_run for update;
  if not found then return jsonb_build_object('state', 'deleted'); end if;
  if p_worker is not null then
    insert into lamp_eval.worker values (p_run, p_worker, clock_timestamp()) on conflict (run, id) do update set seen = excluded.seen;
  end if;
  for op in select * from jsonb_array_elements(p_ops) loop
    answer := 'null';
    now_ms := extract(epoch from clock_timestamp()) * 1000;
    op_usd := coalesce((op->>'usd')::double precision, 0);
    if op ? 'key' then
      insert into lamp_eval.call (run, key) values (p_run, op->>'key') on conflict do nothing;
      select * into the_call from lamp_eval.call where run = p_run and key = op->>'key';
      select max(content) into end_content from lamp_eval.entry where seq = the_call.ended;
      has_try_in_flight := coalesce(the_call.worker = p_worker and the_call.attempt is not null, false);
    end if;
    case op->>'op'
    when 'claim' then
      if end_content is not null then answer := jsonb_build_object('end', end_content);
      elsif the_run.state <> 'open' then answer := '"stopped"';
      elsif coalesce(the_call.worker, p_worker) <> p_worker then answer := '"wait"';
      else
        the_call.worker := p_worker;
        answer := '"mine"';
      end if;
    when 'release' then
      if the_call.worker = p_worker and the_call.attempt is null then the_call.worker := null; end if;
    when 'take' then
      select count(*), coalesce(sum(up_to_usd), 0) into tries_in_flight, reserved_usd
      from lamp_eval.call where run = p_run and attempt is not null;
      if has_try_in_flight and the_call.attempt = (op->>'attempt')::integer then answer := '"go"'; -- repeated after a lost connection
      elsif the_run.state <> 'open' then answer := '"stopped"';
      elsif end_content is not null then answer := '"ended"'; -- by another worker, while this one was silent
      elsif the_run.calls - tries_in_flight >= the_run.max_calls then
        answer := jsonb_build_object('cap', format('--max-calls %s is reached', the_run.max_calls));
      elsif the_run.usd + the_run.unknown_billed_up_to_usd + op_usd > the_run.max_usd then
        answer := jsonb_build_object('cap', format('--max-usd %s would be passed (next call up to $%s)', the_run.max_usd, round(op_usd::numeric, 4)));
      elsif the_call.attempt is not null
        or the_run.calls >= the_run.max_calls
        or the_run.usd + the_run.unknown_billed_up_to_usd + reserved_usd + op_usd > the_run.max_usd
      then answer := '"later"'; -- tries in flight may turn out to be unbilled
      else
        the_call.worker := p_worker;
        the_call.attempt := (op->>'attempt')::integer;
        the_call.up_to_usd := op_usd;
        the_run.calls := the_run.calls + 1;
        insert into lamp_eval.entry (run, content) values (p_run, op->>'content');
        answer := '"go"';
      end if;
    when 'settle' then
      if has_try_in_flight then
        the_call.attempt := null;
        the_run.calls := the_run.calls - 1 + (op->>'calls')::double precision;
        the_run.unknown_billed_up_to_usd := the_run.unknown_billed_up_to_usd + (op->>'uncertain')::double precision;
      end if;
    when 'log' then
      insert into lamp_eval.entry (run, content) values (p_run, op->>'content');
    when 'end' then
      if has_try_in_flight or end_content is distinct from op->>'content' then -- not repeated after a lost connection
        the_run.usd := the_run.usd + op_usd;
      end if;
      if end_content is null then
        insert into lamp_eval.entry (run, content) values (p_run, op->>'content') returning seq into the_call.ended;
      elsif end_content <> op->>'content' then answer := jsonb_build_object('end', end_content);
      end if;
      if has_try_in_flight then the_call.attempt := null; end if;
      if the_call.attempt is null then the_call.worker := null; end if; -- else another worker has a try in flight
    when 'start' then
      insert into lamp_eval.account (name) values (op->>'account')
      on conflict (name) do update set name = excluded.name returning * into the_account;
      if the_run.state <> 'open' then answer := '"stopped"';
      elsif the_account.held_until > now_ms then answer := to_jsonb(the_account.held_until - now_ms + 1);
      else
        answer := jsonb_build_object('after', 0);
        for measure, per_minute in select key, value::double precision from jsonb_each_text(op->'perMinute') loop
          burst_ms := case measure when 'requests' then 1000 else 6000 end;
          start_ms := greatest(coalesce((the_account.next_start->>measure)::double precision, 0), now_ms - burst_ms)
            + coalesce((op->>measure)::double precision, 1) * 60000 / per_minute;
          the_account.next_start := the_account.next_start || jsonb_build_object(measure, start_ms);
          answer := jsonb_build_object('after', greatest((answer->>'after')::double precision, start_ms - now_ms));
        end loop;
        update lamp_eval.account set next_start = the_account.next_start where name = the_account.name;
      end if;
    when 'hold' then
      insert into lamp_eval.account (name, held_until) values (op->>'account', now_ms + (op->>'ms')::double precision)
      on conflict (name) do update set held_until = greatest(lamp_eval.account.held_until, excluded.held_until);
    when 'beat' then
      delete from lamp_eval.worker where run = p_run and seen < clock_timestamp() - make_interval(secs => (op->>'silent')::double precision);
      for the_call in
        select * from lamp_eval.call
        where run = p_run and worker is not null and worker not in (select id from lamp_eval.worker where run = p_run)
      loop
        update lamp_eval.call set worker = null, attempt = null where run = p_run and key = the_call.key;
        continue when the_call.attempt is null;
        the_run.unknown_billed_up_to_usd := the_run.unknown_billed_up_to_usd + the_call.up_to_usd;
        insert into lamp_eval.entry (run, content) values (
          p_run,
          json_build_object('t', 'failure', 'key', the_call.key, 'billed', 'unknown', 'error', 'its worker fell silent')::text
        );
      end loop;
    end case;
    if op ? 'key' then
      update lamp_eval.call
      set worker = the_call.worker, attempt = the_call.attempt, up_to_usd = the_call.up_to_usd, ended = the_call.ended
      where run = p_run and key = the_call.key;
    end if;
    answers := answers || answer;
  end loop;
  update lamp_eval.run
  set calls = the_run.calls, usd = the_run.usd, unknown_billed_up_to_usd = the_run.unknown_billed_up_to_usd
  where id = p_run;
  return jsonb_build_object('state', the_run.state, 'answers', to_jsonb(answers));
end $$;
`;

/** Creates the tables if they are missing. Throws UsageError on tables of another version. */
export async function openTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  const sql = "select obj_description(to_regnamespace('lamp_eval'), 'pg_namespace') as version";
  const readVersion = async () => (await client.query<{ version: string | null }>(sql)).rows[0]!.version;
  try {
    if ((await readVersion()) === null) {
      await migrateQueue(client);
      await client.query("begin"); // all or nothing, also if the connection is lost
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

import type { Client } from "pg";
import { UsageError } from "../errors.js";
import { migrateQueue } from "./queue.js";

/** Without a sign of life for so long a worker's claims are free, seconds. */
export const SILENT_SECONDS = 20;

/** Of the tables; it stands as the comment of their schema. */
const VERSION = "1";

const tables = `
create schema lamp_eval;
comment on schema lamp_eval is '${VERSION}';
set local search_path to lamp_eval;
create table run (
  id text primary key,
  owner text not null,
  job text not null,
  state text not null,
  why text,
  max_calls double precision,
  max_usd double precision,
  calls double precision not null default 0,
  in_flight double precision not null default 0,
  usd double precision not null default 0,
  uncertain_usd double precision not null default 0,
  reserved_usd double precision not null default 0,
  seq bigint not null default 0
);
create table value (
  run text not null references run on delete cascade,
  kind text not null,
  key text not null,
  worker text,
  in_flight boolean not null default false,
  attempt integer,
  tries integer not null default 0,
  up_to_usd double precision not null default 0,
  request text,
  content text,
  seq bigint,
  primary key (run, kind, key)
);
create index on value (run, seq);
create index on value (run, worker) where content is null;
create table result (
  run text not null references run on delete cascade,
  cell text not null,
  unit text not null,
  content text not null,
  seq bigint not null,
  primary key (run, cell, unit)
);
create index on result (run, seq);
create table input (
  run text not null references run on delete cascade,
  unit text not null,
  content text not null,
  primary key (run, unit)
);
create table worker (
  run text not null references run on delete cascade,
  id text not null,
  facts text not null,
  seen timestamptz not null,
  primary key (run, id)
);
create table account (
  name text primary key,
  requests_at double precision not null default 0,
  input_at double precision not null default 0,
  output_at double precision not null default 0,
  held_until double precision not null default 0
);

-- Milliseconds on the server's clock.
create function now_ms() returns double precision language sql volatile as
$$ select extract(epoch from clock_timestamp())::double precision * 1000 $$;

-- When the next call of an account may start under one limit, and the limit's new mark.
create function paced(mark double precision, cost double precision, per_minute double precision, burst_ms double precision)
returns double precision language sql volatile as
$$ select greatest(mark, lamp_eval.now_ms() - burst_ms) + case when per_minute is null then 0 else cost * 60000 / per_minute end $$;

-- All that a worker asks and tells of one run, in order, in one transaction. The run's row is locked: caps are exact, and seq has no gaps that fill later.
create function exchange(p_run text, p_worker text, p_ops jsonb) returns jsonb language plpgsql as $$
declare
  r lamp_eval.run;
  v lamp_eval.value;
  a lamp_eval.account;
  op jsonb;
  found_text text;
  answers jsonb[] := '{}';
  answer jsonb;
begin
  select * into r from lamp_eval.run where id = p_run for update;
  if not found then return jsonb_build_object('state', 'gone'); end if;
  update lamp_eval.worker set seen = clock_timestamp() where run = p_run and id = p_worker;
  for op in select * from jsonb_array_elements(p_ops) loop
    answer := 'null';
    case op->>'op'
    when 'claim' then
      insert into lamp_eval.value (run, kind, key, worker) values (p_run, op->>'kind', op->>'key', p_worker) on conflict do nothing;
      if found and r.state = 'open' then answer := '"mine"';
      else
        select * into v from lamp_eval.value where run = p_run and kind = op->>'kind' and key = op->>'key';
        if v.content is not null then answer := jsonb_build_object('content', v.content);
        elsif r.state <> 'open' then
          answer := '"stopped"';
          update lamp_eval.value set worker = null where run = p_run and kind = v.kind and key = v.key and worker = p_worker and not in_flight;
        elsif v.worker is null or v.worker = p_worker then
          update lamp_eval.value set worker = p_worker where run = p_run and kind = v.kind and key = v.key;
          answer := '"mine"';
        else answer := '"wait"';
        end if;
      end if;
    when 'release' then
      update lamp_eval.value set worker = null where run = p_run and kind = op->>'kind' and key = op->>'key' and worker = p_worker and content is null;
    when 'start' then
      insert into lamp_eval.account (name) values (op->>'account') on conflict do nothing;
      select * into a from lamp_eval.account where name = op->>'account' for update;
      if r.state <> 'open' then answer := '"stopped"';
      elsif a.held_until > lamp_eval.now_ms() then answer := to_jsonb(a.held_until - lamp_eval.now_ms() + 1);
      else
        a.requests_at := lamp_eval.paced(a.requests_at, 1, (op->'perMinute'->>'requests')::double precision, 1000);
        a.input_at := lamp_eval.paced(a.input_at, (op->>'input')::double precision, (op->'perMinute'->>'input')::double precision, 6000);
        a.output_at := lamp_eval.paced(a.output_at, (op->>'output')::double precision, (op->'perMinute'->>'output')::double precision, 6000);
        update lamp_eval.account set requests_at = a.requests_at, input_at = a.input_at, output_at = a.output_at where name = a.name;
        answer := jsonb_build_object('after', greatest(0, greatest(a.requests_at, a.input_at, a.output_at) - lamp_eval.now_ms()));
      end if;
    when 'hold' then
      insert into lamp_eval.account (name, held_until) values (op->>'account', lamp_eval.now_ms() + (op->>'ms')::double precision)
      on conflict (name) do update set held_until = greatest(lamp_eval.account.held_until, excluded.held_until);
    when 'take' then
      select * into v from lamp_eval.value where run = p_run and kind = 'reply' and key = op->>'key';
      if v.in_flight and v.worker = p_worker and v.attempt = (op->>'attempt')::integer then answer := '"go"'; -- sent again, after a break of the connection
      elsif r.state <> 'open' then answer := '"stopped"';
      elsif r.calls - r.in_flight >= r.max_calls then answer := '"calls"';
      elsif r.usd + r.uncertain_usd + (op->>'usd')::double precision > r.max_usd then answer := '"usd"';
      elsif r.calls >= r.max_calls or r.usd + r.uncertain_usd + r.reserved_usd + (op->>'usd')::double precision > r.max_usd then answer := '"later"';
      else
        insert into lamp_eval.value as was (run, kind, key, worker, in_flight, attempt, tries, up_to_usd)
        values (p_run, 'reply', op->>'key', p_worker, true, (op->>'attempt')::integer, 1, (op->>'usd')::double precision)
        on conflict (run, kind, key) do update
        set worker = p_worker, in_flight = true, attempt = excluded.attempt, tries = was.tries + 1, up_to_usd = excluded.up_to_usd;
        r.calls := r.calls + 1;
        r.in_flight := r.in_flight + 1;
        r.reserved_usd := r.reserved_usd + (op->>'usd')::double precision;
        answer := '"go"';
      end if;
    when 'settle' then
      select * into v from lamp_eval.value where run = p_run and kind = 'reply' and key = op->>'key';
      if v.in_flight and v.worker = p_worker then
        r.calls := r.calls - 1 + (op->>'calls')::double precision;
        r.in_flight := r.in_flight - 1;
        r.reserved_usd := case when r.in_flight = 0 then 0 else r.reserved_usd - v.up_to_usd end;
        r.usd := r.usd + (op->>'usd')::double precision;
        r.uncertain_usd := r.uncertain_usd + (op->>'uncertain')::double precision;
        update lamp_eval.value set in_flight = false, tries = tries - 1 + (op->>'calls')::integer where run = p_run and kind = 'reply' and key = v.key;
      end if;
    when 'keep' then
      insert into lamp_eval.value (run, kind, key) values (p_run, op->>'kind', op->>'key') on conflict do nothing;
      select content into found_text from lamp_eval.value where run = p_run and kind = op->>'kind' and key = op->>'key';
      if found_text is null then
        r.seq := r.seq + 1;
        update lamp_eval.value set content = op->>'content', request = op->>'request', seq = r.seq where run = p_run and kind = op->>'kind' and key = op->>'key';
      elsif found_text <> op->>'content' then answer := jsonb_build_object('content', found_text);
      end if;
    when 'result' then
      insert into lamp_eval.result (run, cell, unit, content, seq) values (p_run, op->>'cell', op->>'unit', op->>'content', r.seq + 1) on conflict do nothing;
      if found then r.seq := r.seq + 1; end if;
    end case;
    answers := answers || answer;
  end loop;
  update lamp_eval.run set calls = r.calls, in_flight = r.in_flight, usd = r.usd, uncertain_usd = r.uncertain_usd, reserved_usd = r.reserved_usd, seq = r.seq where id = p_run;
  return jsonb_build_object('state', r.state, 'answers', to_jsonb(answers));
end $$;

-- Frees what is held by workers that have been silent; their calls in flight count as billed.
create function reap(p_run text, p_silent interval) returns void language plpgsql as $$
declare
  living text[];
  n double precision;
  lost double precision;
begin
  perform 1 from lamp_eval.run where id = p_run for update;
  delete from lamp_eval.worker where run = p_run and seen < clock_timestamp() - 4 * p_silent;
  select coalesce(array_agg(id), '{}') into living from lamp_eval.worker where run = p_run and seen >= clock_timestamp() - p_silent;
  -- A reply may stand while its call is in flight: one who was silent has brought it.
  select count(*), coalesce(sum(up_to_usd), 0) into n, lost from lamp_eval.value where run = p_run and in_flight and worker <> all(living);
  update lamp_eval.value set worker = null, in_flight = false where run = p_run and (content is null or in_flight) and worker <> all(living);
  if n > 0 then
    update lamp_eval.run set in_flight = in_flight - n, reserved_usd = greatest(0, reserved_usd - lost), uncertain_usd = uncertain_usd + lost where id = p_run;
  end if;
end $$;
`;

/** Makes the tables where there are none, brings those of the queue up to date, and lets a role use them. Throws UsageError on tables of another version. */
export async function migrate(client: Client, role: string | undefined): Promise<{ readonly isNew: boolean }> {
  await migrateQueue(client);
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock(hashtext('lamp_eval'))");
    const version = await versionOf(client);
    if (version === undefined) await client.query(tables);
    else if (version !== VERSION) throw otherVersion(version);
    if (role !== undefined) await grant(client, role);
    await client.query("commit");
    return { isNew: version === undefined };
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** What a run and its workers do there, and no more: nothing is made, changed or dropped but rows. */
async function grant(client: Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  for (const schema of ["lamp_eval", "bullmq"]) {
    await client.query(`grant usage on schema ${schema} to ${name}`);
    await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${name}`);
    await client.query(`grant usage on all sequences in schema ${schema} to ${name}`);
  }
}

/** Throws UsageError where the database has no tables of this version. */
export async function refuseOtherSchema(client: Pick<Client, "query">): Promise<void> {
  const version = await versionOf(client);
  if (version === undefined)
    throw new UsageError(
      "--workers: the database has no tables of lamp-eval; make them once: lamp-eval worker --migrate",
    );
  if (version !== VERSION) throw otherVersion(version);
}

async function versionOf(client: Pick<Client, "query">): Promise<string | undefined> {
  const { rows } = await client.query<{ version: string | null }>(
    "select obj_description(to_regnamespace('lamp_eval'), 'pg_namespace') as version",
  );
  return rows[0]?.version ?? undefined;
}

const otherVersion = (version: string): UsageError =>
  new UsageError(
    `--workers: the tables are of version ${version}, this lamp-eval needs ${VERSION}; use the lamp-eval that made them, or another database`,
  );

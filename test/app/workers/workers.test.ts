import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgeRun } from "../../../src/app/judge/judge.js";
import type { JudgeSettings } from "../../../src/app/judge/open-judge.js";
import { realClock } from "../../../src/app/process-io.js";
import type { RunEvent } from "../../../src/app/run/events.js";
import { type RunRequest, run } from "../../../src/app/run/run.js";
import { forgetRun, migrateTables, work } from "../../../src/app/workers/worker.js";
import { UsageError } from "../../../src/errors.js";
import { attemptTotals } from "../../../src/run/attempts.js";
import { sha256 } from "../../../src/text/content-id.js";
import { until } from "../../e2e/until.js";
import { type Postgres, postgresPath, startPostgres } from "../../helpers/postgres.js";
import type { ProviderServer, ServedRequest } from "../../helpers/provider-server.js";
import { chatReply, fakeKey, promptOf, startRatedServer } from "../../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../helpers/review-data.js";
import { suiteDir } from "../../helpers/suite-dir.js";

const bin = postgresPath();
const cwd = suiteDir();

describe.skipIf(bin === undefined)("workers on PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres(bin!);
    await migrateTables(postgres.url, undefined, io());
  });
  afterAll(() => postgres?.close());

  const io = (env: Readonly<Record<string, string>> = {}) => ({
    ...{ clock: realClock, cwd, node: process.version, tell: () => undefined },
    env: { LAMP_EVAL_WORKERS: postgres.url, ...env },
  });

  /** Runs `job` while so many workers are there. */
  async function withWorkers<T>(
    count: number,
    job: () => Promise<T>,
    env?: Readonly<Record<string, string>>,
  ): Promise<T> {
    const [stop, kill] = [new AbortController(), new AbortController()];
    const workers = Array.from({ length: count }, () =>
      work({ concurrency: 4 }, io(env), { signal: stop.signal, kill: kill.signal }),
    );
    try {
      return await Promise.race([
        job(),
        Promise.all(workers).then(() => Promise.reject(new Error("the workers left"))),
      ]);
    } finally {
      stop.abort();
      await Promise.all(workers);
    }
  }

  const whole = ["rows.jsonl", "units.jsonl", "traces.jsonl", "results.json", "results.md", "results.csv"];
  const filesOf = (folder: string) =>
    Object.fromEntries(whole.map((name) => [name, readFileSync(join(folder, name), "utf8")]));

  test.each([
    ["methods without preparation", { task: "lamp2m", method: ["prompt", "rag", "icl"] }],
    [
      "methods that prepare their users, agents and shared values",
      { task: "lamp3", method: ["pag", "react", "membank", "persona-agent", "graph-rag"], users: 6 },
    ],
    ["questions in order, each remembered", { task: "lamp2m", method: ["rag", "membank"], online: true, users: 6 }],
    ["a sweep of equal requests", { task: "lamp2m", method: "rag", sweep: { "rag.k": [1, 2] }, repeats: 2, users: 6 }],
  ] satisfies [string, RunRequest][])("%s: two workers leave the bytes of one process", async (name, request) => {
    const folder = (kind: string) => join(cwd, `${name.replaceAll(/\W/g, "-")}-${kind}`);
    const alone = await run({ ...request, out: folder("alone") }, io());
    const together = await withWorkers(2, () => run({ ...request, out: folder("together"), workers: true }, io()));
    expect(together.ended).toBe("done");
    expect(filesOf(together.folder)).toEqual(filesOf(alone.folder));
    expect(together.calls.sent).toBe(alone.calls.sent);
    expect(existsSync(join(together.folder, "workers.json"))).toBe(false);
    expect(postgres.psql("select count(*) from lamp_eval.run")).toBe("0");
    expect(postgres.psql("select count(*) from bullmq.job")).toBe("0");
  });

  describe("against a counting server", () => {
    const reviews = () =>
      writeReviews(
        join(cwd, "reviews"),
        Array.from({ length: 12 }, (_, i) => reviewUser(`u${i + 10}`)),
      );
    const asked = (server: ProviderServer, out: string, more: RunRequest = {}): RunRequest => ({
      ...{
        task: "lamp3",
        method: ["prompt", "rag"],
        data: reviews(),
        model: "openai/local",
        baseUrl: `${server.url}/v1`,
      },
      ...{ out: join(cwd, out), workers: true, ...more },
    });
    const key = { OPENAI_API_KEY: fakeKey };

    test("a cap of calls is sent exactly over all workers, and a higher one goes on without buying again", async () => {
      const server = await startRatedServer();
      const first = await withWorkers(3, () => run(asked(server, "capped", { maxCalls: 17 }), io(key)), key);
      expect(first.ended).toBe("cap");
      expect(server.requests).toHaveLength(17);
      const second = await withWorkers(3, () => run(asked(server, "capped"), io(key)), key);
      expect(second.ended).toBe("done");
      expect(server.requests).toHaveLength(48);
      await server.close();
    });

    test("a try that failed is in flight no more: a cap behind it ends the run", async () => {
      const server = await startRatedServer({
        fault: ({ index }) => (index % 5 === 2 ? { kind: "cut" } : undefined),
      });
      const { ended } = await withWorkers(2, () => run(asked(server, "failing", { maxCalls: 17 }), io(key)), key);
      expect([ended, server.requests.length]).toEqual(["cap", 17]);
      expect(await run(asked(server, "failing", { workers: undefined }), io(key))).toMatchObject({ ended: "done" });
      await server.close();
    });

    test("a run goes from workers to one process and back, and buys nothing again", async () => {
      const server = await startRatedServer({ latencyMs: 200 });
      const stopped = async (request: RunRequest, rows: number) => {
        const interrupt = new AbortController();
        let seen = 0;
        const onEvent = (event: RunEvent) => {
          if (event.kind === "question" && ++seen === rows) interrupt.abort();
        };
        return run({ ...request, onEvent, signal: interrupt.signal, concurrency: 2 }, io(key));
      };
      const onWorkers = asked(server, "moving");
      const { workers: _, ...here } = onWorkers;
      expect(await withWorkers(2, () => stopped(onWorkers, 2), key)).toMatchObject({ ended: "interrupted" });
      expect(await stopped(here, 2)).toMatchObject({ ended: "interrupted" });
      expect(postgres.psql("select count(*) from lamp_eval.run")).toBe("0");
      expect(await withWorkers(2, () => stopped(onWorkers, 2), key)).toMatchObject({ ended: "interrupted" });
      expect(await run(here, io(key))).toMatchObject({ ended: "done" });
      expect(server.requests).toHaveLength(48);
      await server.close();
    });

    test("server.rpm is the pace of all workers together", async () => {
      let [startMs, lastMs] = [0, 0];
      const server = await startRatedServer({
        onArrival: () => {
          lastMs = performance.now();
        },
      });
      const onEvent = (event: RunEvent): void => {
        if (event.kind === "started") startMs = performance.now(); // a first call may take long to arrive
      };
      await withWorkers(
        3,
        () => run(asked(server, "paced", { options: { "server.rpm": 600 }, onEvent }), io(key)),
        key,
      );
      const burst = 600 / 60; // a second's worth may start at once
      expect(lastMs - startMs).toBeGreaterThan(((48 - burst - 1) / 10) * 1000);
      await server.close();
    });

    test("what a server asks to wait holds for all workers", async () => {
      const early = 3 * 4; // calls that may be out with the first
      const at: number[] = [];
      const server = await startRatedServer({
        onArrival: () => void at.push(performance.now()),
        fault: ({ index }) =>
          index === 0
            ? { kind: "status", status: 429, headers: { "retry-after": "2" } }
            : { kind: "slow", delayMs: index < early ? 300 : 0 }, // by then all have heard of it
      });
      await withWorkers(3, () => run(asked(server, "held"), io(key)), key);
      expect(at[early]! - at[0]!).toBeGreaterThan(1_900);
      await server.close();
    });

    test("keys and logins stand nowhere in the database, also where a server repeats them", async () => {
      const planted = "sk-planted-7f3a9c01d2";
      const server = await startRatedServer({
        reply: (request) => chatReply(request, `5 ${request.headers.authorization}`),
      });
      const login = postgres.url.replace("lamp@", "lamp:hunter2-secret@");
      const env = { OPENAI_API_KEY: planted, LAMP_EVAL_WORKERS: login };
      let dump = "";
      await withWorkers(
        1,
        () =>
          run(
            asked(server, "planted", {
              onEvent: ({ kind }) => {
                if (kind === "stopped") dump = postgres.dump();
              },
            }),
            io(env),
          ),
        env,
      );
      expect(dump).toContain("planted"); // the run itself
      expect(dump).not.toMatch(/sk-planted|hunter2/);
      await expect(
        run(asked(server, "planted-2", { baseUrl: `http://me:hunter2-secret@127.0.0.1:1/v1` }), io(env)),
      ).rejects.toThrow("--workers: the settings hold a key or a login");
      await server.close();
    });
  });

  describe("a judge", () => {
    const key = { OPENAI_API_KEY: fakeKey };
    beforeAll(() =>
      run(
        { task: "alex-like", method: ["stateless", "buffer"], users: 2, queriesPerUser: 6, out: join(cwd, "talk") },
        io(),
      ),
    );

    /** Judges a copy of the run. */
    const judging = (server: ProviderServer, copy: string, more: Partial<JudgeSettings> = {}, signal?: AbortSignal) => {
      cpSync(join(cwd, "talk"), join(cwd, copy), { recursive: true, force: false });
      const settings = { run: copy, model: "openai/local", baseUrl: `${server.url}/v1`, workers: true as const };
      return judgeRun({ ...settings, ...more }, io(key), signal);
    };
    /** One request in three gets no verdict at first; one question is refused. */
    const reply = (request: ServedRequest) =>
      chatReply(
        request,
        Number.parseInt(sha256(promptOf(request)).slice(0, 6), 16) % 3 === 0 && request.attempt === 1
          ? "I cannot say."
          : '{"score": 7, "reason": "fine"}',
      );
    const refusing = (index: number) => (request: ServedRequest) =>
      request.index === index ? ({ kind: "status", status: 400, message: "no such thing" } as const) : undefined;
    const shown = ({ judgements, text }: Awaited<ReturnType<typeof judgeRun>>) => ({ judgements, text });

    test("two workers leave the judgements of one process, second tries included", async () => {
      const [near, far] = [await startRatedServer({ reply }), await startRatedServer({ reply })];
      const alone = await judging(near, "judged-here", { workers: undefined });
      const together = await withWorkers(2, () => judging(far, "judged-there"), key);
      expect(alone.judgements.some(({ calls }) => calls === 2)).toBe(true);
      expect(shown(together)).toEqual(shown(alone));
      expect([together.sent, far.requests.length]).toEqual([alone.sent, near.requests.length]);
      expect(existsSync(join(together.folder, "workers.json"))).toBe(false);
      expect(postgres.psql("select count(*) from lamp_eval.run")).toBe("0");
      await Promise.all([near.close(), far.close()]);
    });

    test("a refused call is a failed judgement, asked again the next time", async () => {
      const server = await startRatedServer({ reply, fault: refusing(3) });
      const first = await withWorkers(2, () => judging(server, "judged-failed"), key);
      const failed = first.judgements.flatMap(({ judged }) => (judged.kind === "failed" ? [judged.error] : []));
      expect(new Set(failed).size).toBe(1); // two arms may have given the same reply
      expect(failed[0]).toContain("no such thing");
      const second = await withWorkers(2, () => judging(server, "judged-failed"), key);
      expect(second.judgements.filter(({ judged }) => judged.kind === "failed")).toEqual([]);
      expect(second.sent).toBeLessThanOrEqual(2);
      await server.close();
    });

    test("a cap of calls is exact; without workers the judge goes on with what they have bought", async () => {
      const server = await startRatedServer({ reply, latencyMs: 100 });
      const capped = withWorkers(3, () => judging(server, "judged-capped", { maxCalls: 10 }), key);
      await expect(capped).rejects.toThrow(/--max-calls 10 is reached; what was judged is kept/);
      expect(server.requests).toHaveLength(10);
      const stop = new AbortController();
      const stopped = withWorkers(1, () => judging(server, "judged-capped", {}, stop.signal), key);
      await until(() => server.requests.length >= 13);
      stop.abort();
      expect(await stopped).toMatchObject({ interrupted: true });
      expect(postgres.psql("select count(*) from lamp_eval.run")).toBe("1");
      await judging(server, "judged-capped", { workers: undefined });
      expect(postgres.psql("select count(*) from lamp_eval.run")).toBe("0");
      const alone = await startRatedServer({ reply });
      await judging(alone, "judged-again", { workers: undefined });
      expect(server.requests).toHaveLength(alone.requests.length);
      await Promise.all([server.close(), alone.close()]);
    });

    test("a cap that is set while workers are at work is the one that is named", async () => {
      const server = await startRatedServer({ reply, latencyMs: 100 });
      const capped = withWorkers(1, () => judging(server, "judged-recapped"), key);
      capped.catch(() => undefined);
      await until(() => server.requests.length >= 2);
      postgres.psql("update lamp_eval.run set max_calls = 8"); // as a process does that comes after a killed one
      await expect(capped).rejects.toThrow(/--max-calls 8 is reached/);
      expect(server.requests).toHaveLength(8);
      await judging(server, "judged-recapped", { workers: undefined });
      await server.close();
    });

    test("a try without a reply is counted once, however often the judge is stopped", async () => {
      const server = await startRatedServer({ reply, fault: ({ index }) => (index < 4 ? { kind: "cut" } : undefined) });
      for (const requests of [1, 5, 9]) {
        const stop = new AbortController();
        const stopped = withWorkers(1, () => judging(server, "judged-stopped", {}, stop.signal), key);
        await until(() => server.requests.length >= requests);
        stop.abort();
        expect(await stopped).toMatchObject({ interrupted: true });
      }
      const { folder } = await judging(server, "judged-stopped", { workers: undefined });
      const { billable, unknown } = attemptTotals(join(folder, "attempts.jsonl"));
      expect({ billable, unknown }).toEqual({ billable: server.requests.length, unknown: 4 });
      await server.close();
    });

    test("a reply that the folder put up and lost since comes back from the database", async () => {
      const server = await startRatedServer({ reply });
      await expect(judging(server, "judged-lost", { workers: undefined, maxCalls: 5 })).rejects.toThrow(/is reached/);
      await expect(withWorkers(1, () => judging(server, "judged-lost", { maxCalls: 8 }), key)).rejects.toThrow(
        /is reached/,
      );
      const home = join(cwd, "judged-lost", "judgements");
      for (const name of ["responses.jsonl", "judgements.jsonl"]) {
        const path = join(home, readdirSync(home)[0]!, name);
        writeFileSync(path, readFileSync(path, "utf8").replaceAll(/^.{40}/gm, "damaged"));
      }
      const { judgements } = await withWorkers(1, () => judging(server, "judged-lost"), key);
      const alone = await startRatedServer({ reply });
      expect(judgements).toEqual((await judging(alone, "judged-whole", { workers: undefined })).judgements);
      expect(server.requests).toHaveLength(alone.requests.length);
      await Promise.all([server.close(), alone.close()]);
    });
  });

  test("a call is in flight no more once its worker is silent, also where a slower one has brought its reply", () => {
    const told = (worker: string, ...ops: readonly object[]) =>
      postgres.psql(`select lamp_eval.exchange('late', '${worker}', '${JSON.stringify(ops)}')`);
    const silence = () => postgres.psql("select lamp_eval.reap('late', interval '20 s')");
    postgres.psql("insert into lamp_eval.run (id, owner, job, state) values ('late', 'one', '{}', 'open')");
    told("slow", { op: "take", key: "k", usd: 1, attempt: 1 });
    silence();
    told("other", { op: "take", key: "k", usd: 1, attempt: 1 });
    told("slow", { op: "keep", kind: "reply", key: "k", content: "{}" });
    silence();
    const spent = "select calls, in_flight, usd, uncertain_usd, reserved_usd from lamp_eval.run where id = 'late'";
    expect(postgres.psql(spent)).toBe("2|0|0|2|0");
    postgres.psql("delete from lamp_eval.run where id = 'late'");
  });

  test("a worker that is not fit says why, and so does the run", async () => {
    const told: string[] = [];
    const [stop, interrupt] = [new AbortController(), new AbortController()];
    const other = { ...io(), cwd: join(cwd, "elsewhere"), tell: (line: string) => void told.push(line) };
    const worker = work({}, other, { signal: stop.signal, kill: stop.signal });
    const request = {
      task: "lamp3",
      method: "prompt",
      data: "reviews",
      out: join(cwd, "unfit"),
      workers: true,
    } as const;
    await run(
      {
        ...request,
        signal: interrupt.signal,
        onEvent: (event) => void (event.kind === "notice" && /not fit/.test(event.text) && interrupt.abort()),
      },
      io(),
    );
    stop.abort();
    await worker;
    expect(told.join()).toMatch(/unfit: not for this worker: .*reviews/);
    await forgetRun(undefined, "some/unfit", io());
  });

  test("what is in the way is one line", async () => {
    const request = { task: "lamp2m", method: "prompt", users: 1, out: join(cwd, "one-line"), workers: true } as const;
    const refusal = (more: RunRequest, env: Record<string, string> = {}) =>
      run({ ...request, ...more }, io(env)).catch((error: unknown) =>
        error instanceof UsageError ? error.message : error,
      );
    const at = (url: string) => ({ LAMP_EVAL_WORKERS: url });
    expect(await refusal({ workers: true }, { LAMP_EVAL_WORKERS: "" })).toMatch(/no database is named/);
    expect(await refusal({}, at("postgres://lamp:secret@127.0.0.1:1/lamp"))).toBe(
      "--workers 127.0.0.1:1/lamp: no connection (ECONNREFUSED); start PostgreSQL there or correct the address",
    );
    expect(await refusal({}, at("postgres://lamp@db.example.org/lamp"))).toMatch(
      /db.example.org is another machine, so TLS is needed/,
    );
    expect(await refusal({}, at("postgres://lamp@db.example.org/lamp?sslmode=require"))).toMatch(/lets others listen/);
    expect(await refusal({}, at(postgres.url.replace(/lamp$/, "nothing")))).toMatch(/there is no such database/);
    expect(await refusal({}, at(`${postgres.url}?sslmode=verify-full`))).toMatch(/the server has no TLS/);
    expect(await refusal({}, at(postgres.url.replace(/lamp$/, "postgres")))).toMatch(
      /no tables of lamp-eval; make them once: lamp-eval worker --migrate/,
    );
    for (const [flag, more] of Object.entries({
      batch: { batch: true },
      shard: { shard: "1/2" },
    }))
      expect(await refusal(more)).toBe(`--${flag} and --workers do not go together; leave one out`);
    await expect(
      work(
        {},
        { ...io(), clock: { ...realClock, now: () => Date.now() + 5_000 } },
        { signal: AbortSignal.abort(), kill: AbortSignal.abort() },
      ),
    ).rejects.toThrow(/clock is [4-6]\.\d s off/); // a reply that is late moves it
    postgres.psql("insert into lamp_eval.run (id, owner, job, state) values ('one-line', 'another', '{}', 'paused')");
    expect(await refusal({})).toMatch(/another run called one-line is at .*worker --forget one-line/);
    expect(await forgetRun(undefined, "one-line", io())).toBe("one-line is forgotten; its folder is as it was");
    postgres.psql("comment on schema lamp_eval is '7'");
    expect(await refusal({})).toMatch(/the tables are of version 7, this lamp-eval needs 1/);
    postgres.psql("comment on schema lamp_eval is '1'");
  });

  test("a role that may make no tables runs and works; one without a grant is refused", async () => {
    postgres.psql("create role plain login; create role stranger login; revoke create on schema public from public");
    await migrateTables(undefined, "plain", io());
    const as = (role: string) => ({ LAMP_EVAL_WORKERS: postgres.url.replace("lamp@", `${role}@`) });
    const request = { task: "lamp2m", method: "rag", users: 2, out: join(cwd, "plain"), workers: true } as const;
    expect(await withWorkers(1, () => run(request, io(as("plain"))), as("plain"))).toMatchObject({ ended: "done" });
    await expect(run({ ...request, out: join(cwd, "stranger") }, io(as("stranger")))).rejects.toThrow(
      /may not use the tables of lamp-eval; run lamp-eval worker --migrate ROLE/,
    );
  });

  test("a unit that workers died with three times gets failed rows", async () => {
    const folder = join(cwd, "deadly");
    const request = { task: "lamp2m", method: "prompt", users: 3, out: folder, workers: true, maxFailed: 1 } as const;
    const going = run(request, io());
    await until(() => postgres.psql("select count(*) from bullmq.job") === "3");
    postgres.psql("update bullmq.job set stalled_count = 3 where id = (select min(id) from bullmq.job)");
    const { rows } = await withWorkers(1, () => going);
    const failed = rows.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : []));
    expect(new Set(failed)).toEqual(
      new Set(["preparing the user: 3 workers died or hung while they worked on this unit"]),
    );
    expect(new Set(rows.filter(({ outcome }) => outcome.kind === "failed").map(({ unit }) => unit)).size).toBe(1);
  });
});

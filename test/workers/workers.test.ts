import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgeRun } from "../../src/commands/judge.js";
import { run as runHere } from "../../src/commands/library.js";
import { realClock } from "../../src/commands/terminal.js";
import { UsageError } from "../../src/errors.js";
import { openCommands } from "../../src/extend/exec/open-commands.js";
import { readLog } from "../../src/log/log.js";
import type { RunEvent } from "../../src/plan/io.js";
import { demoModel, type RunRequest } from "../../src/plan/settings.js";
import { Runs } from "../../src/record/stored-run.js";
import { forgetRun, openDatabase } from "../../src/workers/database.js";
import { delegateToWorkers as delegate } from "../../src/workers/delegate.js";
import { type WorkerSettings, work } from "../../src/workers/worker.js";
import { until } from "../e2e/until.js";
import { type Postgres, postgresPath, startPostgres } from "../helpers/postgres.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { chatReply, fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";

const bin = postgresPath();
const cwd = suiteDir();

describe.skipIf(bin === undefined)("workers on PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres(bin!);
    await (await openDatabase(undefined, io())).close(); // makes the tables
  });
  afterAll(() => postgres?.close());

  const io = (env: Readonly<Record<string, string>> = {}) => ({
    ...{ clock: realClock, cwd, node: process.version, tell: () => undefined, openPrograms: openCommands },
    env: { LAMP_EVAL_WORKERS: postgres.url, ...env },
  });
  const run = (request: RunRequest, env: Readonly<Record<string, string>> = {}) => runHere(request, io(env), delegate);
  const nothing: WorkerSettings = {
    ...{ models: [], baseUrls: [], endpoints: {}, commands: [], own: { concurrency: 4 } },
  };
  /** Forgets the run of this folder. */
  const forget = (name: string) =>
    forgetRun(undefined, postgres.psql(`select id from lamp_eval.run where id like '${name}-%'`) || name, io());
  const runsLeft = () => postgres.psql("select count(*) from lamp_eval.run");

  /** Runs `job` while so many workers are there. */
  async function withWorkers<T>(
    count: number,
    job: () => Promise<T>,
    settings: Partial<WorkerSettings> = {},
    env?: Readonly<Record<string, string>>,
    tell: (line: string) => void = () => undefined,
  ): Promise<T> {
    const [stop, kill] = [new AbortController(), new AbortController()];
    const workers = Array.from({ length: count }, () =>
      work({ ...nothing, ...settings }, { ...io(env), tell }, { signal: stop.signal, kill: kill.signal }),
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

  const whole = ["rows.jsonl", "traces.jsonl", "results.json", "results.md", "results.csv"];
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
    const alone = await run({ ...request, out: folder("alone") });
    const together = await withWorkers(2, () => run({ ...request, out: folder("together"), workers: true }));
    expect(together.ended).toBe("done");
    expect(filesOf(together.folder)).toEqual(filesOf(alone.folder));
    expect(together.calls.sent).toBe(alone.calls.sent);
    expect(runsLeft()).toBe("0");
    expect(postgres.psql("select count(*) from bullmq.job")).toBe("0");
  });

  test("the questions of a judge travel with its plan: two workers leave the bytes of one process", async () => {
    const { folder } = await run({ task: "lamp2m", method: ["prompt", "rag"], users: 6, out: join(cwd, "judged") });
    const settings = { run: folder, judge: "better-reply", model: demoModel, against: "prompt" };
    const judge = (out: string, more: object) =>
      judgeRun({ ...settings, ...more, out: join(cwd, out) }, { ...io(), runs: new Runs(cwd) });
    const alone = await judge("judge-alone", {});
    const together = await withWorkers(2, () => judge("judge-together", { workers: true }));
    expect([together.result.ended, together.judgements.length > 20]).toEqual(["done", true]);
    expect(filesOf(together.result.folder)).toEqual(filesOf(alone.result.folder));
    expect(together.result.calls.sent).toBe(alone.result.calls.sent);
  });

  describe("against a counting server", () => {
    const key = { OPENAI_API_KEY: fakeKey };
    const reviews = () =>
      writeReviews(
        join(cwd, "reviews"),
        Array.from({ length: 12 }, (_, i) => reviewUser(`u${i + 10}`)),
      );
    const asked = (server: ProviderServer, out: string, more: RunRequest = {}): RunRequest => ({
      ...{ task: "lamp3", method: ["prompt", "rag"], data: reviews(), model: "openai/local" },
      ...{ baseUrl: `${server.url}/v1`, out: join(cwd, out), workers: true, ...more },
    });
    /** Workers that may use the server. */
    const withServer = <T>(count: number, server: ProviderServer, job: () => Promise<T>): Promise<T> =>
      withWorkers(count, job, { baseUrls: [`${server.url}/v1`] }, key);

    test("a cap of calls is sent exactly over all workers, and a higher one goes on without buying again", async () => {
      const server = await startRatedServer();
      const first = await withServer(3, server, () => run(asked(server, "capped", { maxCalls: 17 }), key));
      expect(first.ended).toBe("cap");
      expect(first.calls.sent).toBe(17);
      expect(server.requests).toHaveLength(17);
      const second = await withServer(3, server, () => run(asked(server, "capped"), key));
      expect(second.ended).toBe("done");
      expect(server.requests).toHaveLength(48);
      await server.close();
    });

    test("a try that failed is in flight no more: a cap behind it ends the run", async () => {
      const server = await startRatedServer({
        fault: ({ index }) => (index % 5 === 2 ? { kind: "cut" } : undefined),
      });
      const { ended } = await withServer(2, server, () => run(asked(server, "failing", { maxCalls: 17 }), key));
      expect([ended, server.requests.length]).toEqual(["cap", 17]);
      expect(await run(asked(server, "failing", { workers: undefined }), key)).toMatchObject({ ended: "done" });
      const { money } = readLog(join(cwd, "failing", "log.jsonl")).state;
      expect([money.tries, money.replies]).toEqual([server.requests.length, 48]);
      await server.close();
    });

    test("a call that failed after all its tries is a failed row, asked again by the next run", async () => {
      const server = await startRatedServer({
        fault: ({ index }) => (index === 3 ? { kind: "status", status: 400, message: "no such thing" } : undefined),
      });
      const first = await withServer(2, server, () => run(asked(server, "refused-once"), key));
      expect(first.ended).toBe("failures");
      expect(first.rows.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : [])).join()).toMatch(
        /no such thing/,
      );
      const second = await withServer(2, server, () => run(asked(server, "refused-once"), key));
      expect([second.ended, second.calls.sent]).toEqual(["done", 1]);
      await server.close();
    });

    test("a run goes from workers to one process and back, and buys nothing again", async () => {
      const server = await startRatedServer({ latencyMs: 200 });
      const stopped = async (request: RunRequest, replies: number) => {
        const interrupt = new AbortController();
        const before = server.requests.length;
        const looking = setInterval(() => {
          if (server.requests.length >= before + replies) interrupt.abort();
        }, 20);
        const ended = run({ ...request, signal: interrupt.signal, concurrency: 2 }, key);
        return ended.finally(() => clearInterval(looking));
      };
      const onWorkers = asked(server, "moving");
      const { workers: _, ...here } = onWorkers;
      const paused = () => withServer(2, server, () => stopped(onWorkers, 4));
      expect(await paused()).toMatchObject({ ended: "interrupted" });
      expect(await stopped(here, 2)).toMatchObject({ ended: "interrupted" });
      expect(runsLeft()).toBe("0");
      expect(await paused()).toMatchObject({ ended: "interrupted" });
      expect(await paused()).toMatchObject({ ended: "interrupted" });
      await expect(runHere(here, { ...io(key), env: key }, delegate)).rejects.toThrow(/set LAMP_EVAL_WORKERS to fetch/);
      expect(await run(here, key)).toMatchObject({ ended: "done" });
      expect(server.requests).toHaveLength(48);
      const { money } = readLog(join(cwd, "moving", "log.jsonl")).state;
      expect([money.tries, money.replies, money.unknown]).toEqual([48, 48, 0]);
      await server.close();
    });

    test("a database that was lost costs what the log does not hold", async () => {
      const server = await startRatedServer();
      await withServer(1, server, () => run(asked(server, "lost", { maxCalls: 8 }), key));
      await forget("lost");
      expect(await withServer(2, server, () => run(asked(server, "lost"), key))).toMatchObject({ ended: "done" });
      expect(server.requests).toHaveLength(48);
      await server.close();
    });

    test("server.rpm is the pace of all workers together", async () => {
      let [firstMs, lastMs] = [0, 0];
      const server = await startRatedServer({
        onArrival: () => {
          firstMs ||= performance.now();
          lastMs = performance.now();
        },
      });
      await withServer(3, server, () => run(asked(server, "paced", { options: { "server.rpm": 600 } }), key));
      const burst = 600 / 60; // a second's worth may start at once
      expect(lastMs - firstMs).toBeGreaterThan(((48 - burst - 2) / 10) * 1000);
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
      await withServer(3, server, () => run(asked(server, "held"), key));
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
      const withLogin = `${server.url}/v1`.replace("http://", "http://me:hunter3-secret@");
      await withWorkers(
        1,
        () => run(asked(server, "planted", { baseUrl: withLogin, maxCalls: 9 }), env),
        { baseUrls: [withLogin] },
        env,
      );
      const dump = postgres.dump();
      expect(dump).toContain("planted"); // the run itself
      expect(dump).not.toMatch(/sk-planted|hunter/);
      await expect(
        run(asked(server, "planted-2", { options: { "model.reference": `openai/${planted}` } }), env),
      ).rejects.toThrow("an entry would hold a key or login");
      await forget("planted");
      await server.close();
    });

    /** What a worker with this command line says of a run. */
    async function refusalOf(request: RunRequest, settings: Partial<WorkerSettings>): Promise<string> {
      const interrupt = new AbortController();
      let said = "";
      const onEvent = (event: RunEvent): void => {
        if (event.kind === "workers" && / [1-9]\d* of/.test(event.text)) interrupt.abort();
      };
      const hears = (line: string): void => {
        const found = /cannot work on it: (.*)/.exec(line)?.[1];
        if (found === undefined) return;
        said = found;
        interrupt.abort();
      };
      const out = join(cwd, "trust");
      const asking = { ...request, out, signal: interrupt.signal, onEvent };
      await withWorkers(1, () => run(asking, key), settings, key, hears);
      await forget("trust").catch(() => undefined);
      rmSync(out, { recursive: true, force: true });
      return said;
    }

    test("a worker asks only models and servers, and starts only programs, that its own command line names", async () => {
      const server = await startRatedServer();
      const url = `${server.url}/v1`;
      const request = asked(server, "trust", { method: "prompt", maxCalls: 2 });
      const { baseUrl: _, ...official } = request;
      expect(await refusalOf(request, {})).toBe(
        `server ${url} is not allowed on this worker; start it with --base-url ${url} to allow it`,
      );
      for (const odd of ["http:/stranger.invalid/v1", "http:stranger.invalid/v1", " HTTP://stranger.invalid/v1"])
        expect(await refusalOf({ ...request, options: { "embedder.baseUrl": odd } }, { baseUrls: [url] })).toMatch(
          /^server http:\/\/stranger.invalid\/v1 is not allowed/,
        );
      expect(await refusalOf(official, {})).toMatch(/^model openai\/local is not allowed .*--model openai\/local/);
      expect(await refusalOf(official, { baseUrls: [url] })).toMatch(/^model openai\/local is not allowed/);
      const lab = { provider: "openai", baseUrl: url };
      const named = { ...official, model: "lab/local", config: join(cwd, "lab.yaml") };
      writeFileSync(named.config, `endpoints: { lab: ${JSON.stringify(lab)} }`);
      expect(await refusalOf(named, { models: ["lab/local"], baseUrls: [url] })).toMatch(/no endpoint|expected|lab/);
      expect(server.requests).toHaveLength(0);
      expect(await refusalOf(named, { endpoints: { lab } })).toBe("");
      expect(await refusalOf({ ...request, options: { embedder: "openai/e" } }, { baseUrls: [url] })).toMatch(
        /^embedder openai\/e is not allowed/,
      );
      const command = `${process.execPath} ${join(cwd, "mine.mjs")}`;
      writeFileSync(join(cwd, "mine.mjs"), `import { writeFileSync } from "node:fs"; writeFileSync("ran", "");`);
      const program = { task: "lamp3", data: reviews(), method: `exec:${command}`, workers: true } as const;
      expect(await refusalOf(program, {})).toBe(
        `exec:${command} is not allowed on this worker; start it with --allow-exec ${JSON.stringify(command)} to allow it`,
      );
      expect(existsSync(join(cwd, "ran"))).toBe(false);
      await server.close();
    });

    test("a plan names no file, no plug-in and no address that the worker takes up by itself", async () => {
      const server = await startRatedServer();
      const url = `${server.url}/v1`;
      const planted = async (change: object): Promise<string> => {
        const told: string[] = [];
        const interrupt = new AbortController();
        const running = run({ ...asked(server, "forged", { method: "prompt" }), signal: interrupt.signal }, key);
        await until(() => runsLeft() === "1" && postgres.psql("select state from lamp_eval.run") === "open");
        const plan = JSON.parse(postgres.psql("select plan from lamp_eval.run"));
        plan.manifest.plan = { ...plan.manifest.plan, ...change };
        postgres.psql(`update lamp_eval.run set plan = $p$${JSON.stringify(plan)}$p$`);
        const stop = new AbortController();
        const tell = (line: string) => void told.push(line);
        const working = work(
          { ...nothing, baseUrls: [url] },
          { ...io(key), tell },
          { signal: stop.signal, kill: stop.signal },
        );
        await until(() => told.some((line) => /cannot work/.test(line)) || server.requests.length > 0);
        stop.abort();
        interrupt.abort();
        await Promise.all([working, running]);
        await forget("forged");
        rmSync(join(cwd, "forged"), { recursive: true });
        return told.find((line) => /cannot work/.test(line))?.replace(/^.*cannot work on it: /, "") ?? "";
      };
      const evil = "http://127.0.0.1:9/v1";
      const option = (options: object) => planted({ tasks: [{ name: "lamp3", options }] });
      expect(await planted({ options: { "exec.env": "OPENAI_API_KEY" } })).toMatch(/^exec.env hands keys/);
      expect(await planted({ servers: { endpoints: {}, baseUrl: evil } })).toMatch(
        /^server http:\/\/127.0.0.1:9\/v1 is not allowed/,
      );
      expect(await planted({ servers: { endpoints: {} } })).toMatch(/^model openai\/local is not allowed/);
      const lab = { provider: "openai", baseUrl: evil };
      expect(await planted({ models: ["lab/local"], servers: { endpoints: { lab } } })).toMatch(/lab/);
      const address = /^server http:\/\/127.0.0.1:9\/v1 is not allowed/;
      expect(await option({ "embedder.baseUrl": evil })).toMatch(address);
      expect(await planted({ sweep: { kind: "grid", axes: [{ name: "embedder", values: ["openai/e"] }] } })).not.toBe(
        "",
      );
      expect(await planted({ methods: [`exec:${process.execPath} ran`] })).toMatch(/^exec:.* ran is not allowed/);
      expect(await planted({ methods: null })).toMatch(/^its plan cannot be opened/);
      expect(server.requests).toHaveLength(0);
      await server.close();
    });
  });

  test("a program that a worker may start answers once, and the run's process never starts it", async () => {
    const script = join(cwd, "answers.mjs");
    writeFileSync(
      script,
      `import { appendFileSync } from "node:fs"; import { createInterface } from "node:readline"; appendFileSync("starts", process.ppid + "\\n");
       for await (const line of createInterface({ input: process.stdin })) { const { type, id } = JSON.parse(line);
         if (type === "question") console.log(JSON.stringify({ id, output: "3" })); }`,
    );
    const command = `${process.execPath} ${script}`;
    const request = {
      task: "lamp3",
      users: 4,
      method: `exec:${command}`,
      out: join(cwd, "program"),
      workers: true,
    } as const;
    const { ended, rows } = await withWorkers(1, () => run(request), { commands: [command] });
    expect([ended, new Set(rows.map(({ outcome }) => outcome.kind))]).toEqual(["done", new Set(["answered"])]);
    const starts = readFileSync(join(cwd, "starts"), "utf8");
    const { workers: _, ...alone } = request;
    const other = await run({ ...alone, out: join(cwd, "program-alone") });
    expect(filesOf(join(cwd, "program"))).toEqual(filesOf(other.folder));
    expect(readFileSync(join(cwd, "starts"), "utf8").length).toBe(2 * starts.length);
  });

  test("a call is in flight no more once its worker is silent, also where a slower one has brought its reply", () => {
    const told = (worker: string, ...ops: readonly object[]) =>
      postgres.psql(`select lamp_eval.apply_ops('late', '${worker}', '${JSON.stringify(ops)}')`);
    const silence = () => postgres.psql(`select lamp_eval.apply_ops('late', null, '[{"op": "beat", "silent": 0}]')`);
    const spent = () =>
      postgres.psql(
        "select calls, (select count(*) from lamp_eval.call where attempt is not null), usd, unknown_billed_up_to_usd from lamp_eval.run where id = 'late'",
      );
    postgres.psql("insert into lamp_eval.run (id, plan, state) values ('late', '{}', 'open')");
    told("slow", { op: "take", key: "k", usd: 1, attempt: 1, content: "try" });
    silence();
    const last = postgres.psql("select content from lamp_eval.entry where run = 'late' order by seq desc limit 1");
    expect(JSON.parse(last)).toMatchObject({ t: "failure", billed: "unknown", error: "its worker fell silent" });
    told("other", { op: "take", key: "k", usd: 1, attempt: 1, content: "try" });
    told("slow", { op: "end", key: "k", usd: 0.25, content: "slow" });
    expect(spent()).toBe("2|1|0.25|1");
    const late = told("other", { op: "end", key: "k", usd: 0.5, content: "other" });
    expect(late).toContain('"end": "slow"');
    told("other", { op: "end", key: "k", usd: 0.5, content: "other" }); // told again after a lost connection
    expect(spent()).toBe("2|0|1.25|1");
    expect(told("slow", { op: "take", key: "k", usd: 1, attempt: 2, content: "try" })).toContain('"ended"');
    silence();
    expect(spent()).toBe("2|0|1.25|1");
    postgres.psql("delete from lamp_eval.run where id = 'late'");
  });

  test("a claim that is given up is free for others, but not while a try is in flight", () => {
    const told = (worker: string, op: object) =>
      postgres.psql(`select lamp_eval.apply_ops('given', '${worker}', '${JSON.stringify([op])}')`);
    postgres.psql("insert into lamp_eval.run (id, plan, state) values ('given', '{}', 'open')");
    expect(told("first", { op: "claim", key: "k" })).toContain("mine");
    told("second", { op: "release", key: "k" });
    expect(told("second", { op: "claim", key: "k" })).toContain("wait");
    told("first", { op: "release", key: "k" });
    expect(told("second", { op: "claim", key: "k" })).toContain("mine");
    told("second", { op: "take", key: "k", usd: 1, attempt: 1, content: "try" });
    told("second", { op: "release", key: "k" });
    expect(told("first", { op: "claim", key: "k" })).toContain("wait");
    postgres.psql("delete from lamp_eval.run where id = 'given'");
  });

  test("a worker with other data cannot work on a run, and says why", async () => {
    const told: string[] = [];
    const [stop, interrupt] = [new AbortController(), new AbortController()];
    const tell = (line: string) => {
      told.push(line);
      if (/cannot work on it/.test(line)) interrupt.abort();
    };
    const other = { ...io(), cwd: join(cwd, "elsewhere"), tell };
    const worker = work(nothing, other, { signal: stop.signal, kill: stop.signal });
    const request = {
      task: "lamp3",
      method: "prompt",
      data: "reviews",
      out: join(cwd, "unfit"),
      workers: true,
    } as const;
    await run({ ...request, signal: interrupt.signal });
    stop.abort();
    await worker;
    expect(told.join()).toMatch(/unfit-\w+: this worker cannot work on it: .*reviews/);
    await forget("unfit");
  });

  test("what is in the way is one line", async () => {
    const request = { task: "lamp2m", method: "prompt", users: 1, out: join(cwd, "one-line"), workers: true } as const;
    const refusal = (more: RunRequest, env: Record<string, string> = {}) =>
      run({ ...request, ...more }, env).catch((error: unknown) =>
        error instanceof UsageError ? error.message : error,
      );
    const at = (url: string) => ({ LAMP_EVAL_WORKERS: url });
    expect(await refusal({ workers: true }, { LAMP_EVAL_WORKERS: "" })).toMatch(/no database is named/);
    expect(await refusal({}, at("postgres://lamp:secret@127.0.0.1:1/lamp"))).toMatch(
      /^--workers 127.0.0.1:1\/lamp: connect ECONNREFUSED 127.0.0.1:1$/,
    );
    expect(await refusal({}, at("postgres://lamp@db.example.org/lamp"))).toMatch(
      /db.example.org is another machine .*sslmode=verify-full is needed/,
    );
    expect(await refusal({}, at("postgres://lamp@db.example.org/lamp?sslmode=require"))).toMatch(/lets others listen/);
    expect(await refusal({}, at(postgres.url.replace(/lamp$/, "nothing")))).toMatch(
      /database "nothing" does not exist/,
    );
    expect(await refusal({}, at(`${postgres.url}?sslmode=verify-full`))).toMatch(/server does not support SSL/);
    for (const [flag, more] of Object.entries({ batch: { batch: true }, shard: { shard: "1/2" } }))
      expect(await refusal(more)).toBe(`--${flag} and --workers do not go together; leave one out`);
    postgres.psql("comment on schema lamp_eval is '99'");
    expect(await refusal({})).toMatch(/the tables are of version 99, this lamp-eval needs \d+/);
    postgres.psql("comment on schema lamp_eval is '7'");
  });

  test("a role that may make no tables runs and works; one without a grant is refused", async () => {
    postgres.psql("create role plain login; create role stranger login; revoke create on schema public from public");
    for (const schema of ["lamp_eval", "bullmq"])
      postgres.psql(
        `grant usage on schema ${schema} to plain; grant select, insert, update, delete on all tables in schema ${schema} to plain; grant usage on all sequences in schema ${schema} to plain`,
      );
    const as = (role: string) => ({ LAMP_EVAL_WORKERS: postgres.url.replace("lamp@", `${role}@`) });
    const request = { task: "lamp2m", method: "rag", users: 2, out: join(cwd, "plain"), workers: true } as const;
    expect(await withWorkers(1, () => run(request, as("plain")), {}, as("plain"))).toMatchObject({ ended: "done" });
    await expect(run({ ...request, out: join(cwd, "stranger") }, as("stranger"))).rejects.toThrow(
      /permission denied for schema lamp_eval/,
    );
  });
});

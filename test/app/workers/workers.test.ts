import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../../src/app/process-io.js";
import { type RunRequest, run } from "../../../src/app/run/run.js";
import { migrateTables, work } from "../../../src/app/workers/worker.js";
import { type Postgres, postgresPath, startPostgres } from "../../helpers/postgres.js";
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
  async function withWorkers<T>(count: number, job: () => Promise<T>): Promise<T> {
    const [stop, kill] = [new AbortController(), new AbortController()];
    const workers = Array.from({ length: count }, () =>
      work({ concurrency: 4 }, io(), { signal: stop.signal, kill: kill.signal }),
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
});

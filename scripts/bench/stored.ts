import { realClock } from "../../src/app/process-io.js";
import { sha256 } from "../../src/text/content-id.js";
import { Board } from "../../src/workers/board.js";
import { openDatabase } from "../../src/workers/connect.js";
import { Exchange } from "../../src/workers/exchange.js";
import { migrate } from "../../src/workers/schema.js";
import { postgresPath, startPostgres } from "../../test/helpers/postgres.js";

const IN_FLIGHT = 256;
const FOR_MS = 5_000;
const request = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2_000) }], maxTokens: 32 });
const reply = (n: number): string =>
  JSON.stringify({ text: `${n} ${"y".repeat(400)}`, toolCalls: [], stop: "end", usage: { in: 500, out: 100 } });

/**
 * `npm run bench -- stored`: replies of 2.5 kB that 1 and 4 workers store a second on a PostgreSQL that writes every commit to the disk, with
 * 256 at a time each; and, beside it, one statement and one commit for each reply.
 */
export async function main(): Promise<void> {
  const bin = postgresPath();
  if (bin === undefined) throw new Error("no PostgreSQL here: apt-get install postgresql");
  const postgres = await startPostgres(bin, []);
  const database = await openDatabase(postgres.url);
  const client = database.client();
  await client.connect();
  const pool = database.pool(4);
  try {
    await migrate(client, undefined);
    const board = new Board(pool);
    const rate = async (name: string, workers: number, keep: (worker: number, n: number) => Promise<unknown>) => {
      let stored = 0;
      const end = performance.now() + FOR_MS;
      const loops = Array.from({ length: workers * IN_FLIGHT }, async (_, n) => {
        while (performance.now() < end) await keep(n % workers, stored++);
      });
      await Promise.all(loops);
      console.log(`${name}: ${Math.round((stored / FOR_MS) * 1000)} replies a second`);
    };
    for (const workers of [1, 4]) {
      const run = `run-${workers}`;
      await board.put(run, "bench", "{}", { calls: 0, usd: 0, uncertainUsd: 0 });
      await board.open(run, undefined, undefined);
      const never = new AbortController().signal;
      const ignore = (): void => undefined;
      const exchanges = Array.from({ length: workers }, (_, n) => {
        const told = { onState: ignore, onGone: ignore, stop: never, kill: never, clock: realClock };
        return new Exchange({ ...told, run, worker: `w${n}`, pool: database.pool(1) });
      });
      await rate(`${workers} x ${IN_FLIGHT}, what came meanwhile together`, workers, (worker, n) =>
        exchanges[worker]!.keep("reply", sha256(`${run} ${n}`), reply(n), request),
      );
      for (const one of exchanges) await one.close();
    }
    await rate("a commit each", 1, (_, n) =>
      pool.query(
        "insert into lamp_eval.value (run, kind, key, request, content) values ('run-1', 'reply', $1, $2, $3)",
        [sha256(`each ${n}`), request, reply(n)],
      ),
    );
  } finally {
    await pool.end();
    await client.end();
    postgres.close();
  }
}

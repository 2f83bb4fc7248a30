import { postgresPath } from "../../test/helpers/postgres.js";
import { playWorkers } from "../../test/helpers/workers-play.js";

const ALL = "prompt,icl,rag,pag,react,membank,persona-agent,graph-rag";

/**
 * `npm run faults -- workers [USERS] [METHODS] [FLAGS]`: four workers of one run, two of them killed, one stopped for 60 s, the run's
 * process killed and PostgreSQL crashed; exit code 1 where that ends otherwise than one process, or buys more again than was in flight.
 */
export async function main([users = "100", methods = ALL, ...flags]: readonly string[]): Promise<void> {
  const bin = postgresPath();
  if (bin === undefined) throw new Error("no PostgreSQL here: apt-get install postgresql");
  const played = await playWorkers(bin, {
    ...{ users: Number(users), methods, flags, workers: 4, concurrency: 32, latencyMs: 100, stopMs: 60_000 },
    tell: (line) => console.log(line),
  });
  const { differing, calls, boughtAgain, mayBuyAgain, seconds, exit, messages } = played;
  console.log(messages);
  console.log(
    `${users} units of ${methods}: exit ${exit}, ${seconds.toFixed(1)} s, ${calls} calls, ${boughtAgain} bought again (at most ${mayBuyAgain} were in flight), ${differing.length === 0 ? "the bytes of one process" : `other than one process: ${differing.join(", ")}`}`,
  );
  if (exit !== 0 || differing.length > 0 || boughtAgain > mayBuyAgain) process.exitCode = 1;
}

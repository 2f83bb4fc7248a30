import { pricesAt } from "../../src/models/prices.js";
import { postgresPath } from "../../test/helpers/postgres.js";
import { playWorkers } from "../../test/helpers/workers-play.js";

const ALL = "prompt,icl,rag,pag,react,membank,persona-agent,graph-rag";

/**
 * `npm run faults -- workers [USERS] [METHODS] [FLAGS]`: four workers of one run, two of them killed, one stopped for 60 s, the run's
 * process killed and PostgreSQL crashed; exit code 1 where that ends otherwise than one process, or buys more again than was in flight.
 * With `--max-calls N` or `--max-usd X` behind the flags the cap ends it: exit code 1 where more arrives at the server than that allows.
 */
export async function main([users = "100", methods = ALL, ...flags]: readonly string[]): Promise<void> {
  const bin = postgresPath();
  if (bin === undefined) throw new Error("no PostgreSQL here: apt-get install postgresql");
  const at = flags.findIndex((flag) => flag === "--max-calls" || flag === "--max-usd");
  const caps = at === -1 ? [] : flags.slice(at);
  const played = await playWorkers(bin, {
    ...{ users: Number(users), methods, workers: 4, concurrency: 32, latencyMs: 100, stopMs: 60_000 },
    ...{ flags: at === -1 ? flags : flags.slice(0, at), caps },
    ...(caps[0] === "--max-usd" ? { model: "openai/gpt-4.1-mini" } : {}),
    tell: (line) => console.log(line),
  });
  const { differing, calls, arrived, boughtAgain, mayBuyAgain, seconds, exit, messages } = played;
  console.log(messages);
  if (caps.length > 0) {
    const usd = pricesAt(Date.now(), []).ofCall("openai/gpt-4.1-mini", arrived) ?? 0;
    console.log(`${caps.join(" ")}: exit ${exit}, ${arrived.calls} calls arrived, at $${usd.toFixed(6)}`);
    if ((caps[0] === "--max-usd" ? usd : arrived.calls) > Number(caps[1])) process.exitCode = 1;
    return;
  }
  console.log(
    `${users} units of ${methods}: exit ${exit}, ${seconds.toFixed(1)} s, ${calls} calls, ${boughtAgain} bought again (at most ${mayBuyAgain} were in flight), ${differing.length === 0 ? "the bytes of one process" : `other than one process: ${differing.join(", ")}`}`,
  );
  if (exit !== 0 || differing.length > 0 || boughtAgain > mayBuyAgain) process.exitCode = 1;
}

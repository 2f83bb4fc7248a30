import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playKilledBill } from "./bill/killed.js";
import { type Bill, playBill } from "./bill/play.js";

/**
 * `npm run faults -- bill [COUNT] [SEED]`: so many runs with faults, kills and caches, every fourth of agents behind a cache that keeps
 * its provider's rules, against a server that bills each reply, and whether
 * the table's tokens and dollars are the server's own; exit code 1 where one is not. `bill killed [USERS] [KILLS]`: processes that
 * are killed, five calls a user alone and as many in batches.
 */
export async function main([count = "100", seed = "bill", kills]: readonly string[]): Promise<void> {
  if (count === "killed") return killed(Number(seed === "bill" ? 200 : seed), Number(kills ?? 4));
  const bills: Bill[] = [];
  for (let n = 1; n <= Number(count); n++) {
    const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-bill-"));
    bills.push(await playBill(`${seed}/${n}`, cwd, n % 4 === 0 ? "cached" : "told"));
    rmSync(cwd, { recursive: true, force: true });
  }
  const sum = (part: (bill: Bill) => number): number => bills.reduce((total, bill) => total + part(bill), 0);
  console.log(
    `${count} runs, ${sum(({ kills }) => kills)} kills: the server billed ${sum(({ tokens }) => tokens)} tokens, $${sum(({ usd }) => usd).toFixed(4)}`,
  );
  console.log(
    `of these ${sum(({ unheardTokens }) => unheardTokens)} tokens, $${sum(({ unheardUsd }) => unheardUsd).toFixed(4)} for ${sum(({ unheard }) => unheard)} replies that never came whole, each named in attempts.jsonl`,
  );
  console.log(
    `read from caches: ${sum(({ cacheRead }) => cacheRead)} tokens; written to them: ${sum(({ cacheWrite }) => cacheWrite)}`,
  );
  const offences = bills.flatMap((bill) => bill.offences);
  for (const offence of offences.slice(0, 20)) console.log(offence);
  console.log(`${offences.length} bills that do not agree with the table`);
  if (offences.length > 0) process.exitCode = 1;
}

async function killed(users: number, kills: number): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-bill-"));
  const bill = await playKilledBill("killed", cwd, users, kills);
  rmSync(cwd, { recursive: true, force: true });
  const [billed, unheard, table] = [bill.billedUsd, bill.unheardUsd, bill.tableUsd].map((usd) => usd.toFixed(6));
  console.log(`${bill.calls} calls billed, ${bill.errors} errors, ${bill.kills} processes killed (SIGKILL)`);
  console.log(
    `the server billed $${billed}, $${unheard} of it for replies that came whole to nobody; the tables: $${table}`,
  );
  for (const offence of bill.offences) console.log(offence);
  if (bill.offences.length > 0) process.exitCode = 1;
}

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playMoney } from "../../scripts/faults/money/play.js";
import { openaiDialect, startAgentServer } from "../e2e/agents-server.js";
import { moneyIn } from "../helpers/planted-log.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { playKilledBill } from "./bill/killed.js";
import { playBill } from "./bill/play.js";

/** The short form of `npm run faults -- money`. */
const SCHEDULES = 4;

describe("billable tries = counted = capped", () => {
  it("over random faults, caps, kills and resumes, against a server that counts", async () => {
    const plays = await Promise.all(
      Array.from({ length: SCHEDULES }, (_, n) => playMoney(`suite/${n + 1}`, tempDir())),
    );
    expect(plays.flatMap(({ offences }) => offences)).toEqual([]);
    expect(plays.some(({ capped }) => capped)).toBe(true);
    expect(plays.some(({ kills }) => kills > 0)).toBe(true);
    expect(plays.some(({ timedOut }) => timedOut > 0)).toBe(true);
    expect(plays.every(({ billed }) => billed > 0)).toBe(true);
  });

  it("the table's tokens and dollars are the server's own bill, over faults, kills and caches", async () => {
    const bills = await Promise.all([1, 2].map((n) => playBill(`suite/${n}`, tempDir())));
    expect(bills.flatMap(({ offences }) => offences)).toEqual([]);
    expect(bills.every(({ tokens }) => tokens > 0)).toBe(true);
    expect(bills.some(({ kills }) => kills > 0)).toBe(true);
    expect(bills.some(({ unheard }) => unheard > 0)).toBe(true);
  });

  it("equal to the cent over processes that are killed (SIGKILL) and begun again, single calls and batches", async () => {
    const bill = await playKilledBill("suite", tempDir(), 6, 1);
    expect(bill.offences).toEqual([]);
    expect(bill).toMatchObject({ kills: 2, tableUsd: expect.closeTo(bill.billedUsd - bill.unheardUsd, 9) });
    expect(bill.calls).toBeGreaterThanOrEqual(60);
    expect(bill.errors).toBeGreaterThan(0);
  });

  it("--max-calls 150 with 16 in flight: exactly 150 reach the server in one run, of agents whose calls depend on replies", async () => {
    const cwd = tempDir();
    writeReviews(
      join(cwd, "reviews"),
      Array.from({ length: 20 }, (_, i) => reviewUser(`u${i}`)),
    );
    const server = await startAgentServer(openaiDialect, { latencyMs: 20 });
    try {
      const model = `--model openai/local --base-url ${server.url}/v1 --set wiki.mode=off`;
      const line = `run --task lamp3 --method persona-agent --data reviews ${model} --concurrency 16 --max-calls 150 --out capped`;
      const { code, stderr } = await runCommandLine(line, { cwd, env: openaiDialect.env });
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^150 calls sent/m) });
      expect(server.requests).toHaveLength(150);
      expect(server.mostInFlight).toBeGreaterThan(1);
      expect(moneyIn(join(cwd, "capped"))).toMatchObject({ tries: 150, unknown: 0 });
    } finally {
      await server.close();
    }
  });
});

import { expect, test } from "vitest";
import { postgresPath } from "../helpers/postgres.js";
import { playWorkers } from "../helpers/workers-play.js";

const bin = postgresPath();

/** The long form: npm run faults -- workers. */
test.skipIf(bin === undefined)(
  "workers killed and stopped, the run killed, PostgreSQL crashed: the bytes of one process, and only calls in flight bought again",
  async () => {
    const settings = { methods: "prompt,rag", users: 150, workers: 3, concurrency: 8, latencyMs: 150, stopMs: 20_000 };
    const { differing, boughtAgain, mayBuyAgain, exit } = await playWorkers(bin!, settings);
    expect({ exit, differing }).toEqual({ exit: 0, differing: [] });
    expect(boughtAgain).toBeLessThanOrEqual(mayBuyAgain);
  },
);

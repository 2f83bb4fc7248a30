import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { postgresPath } from "../helpers/postgres.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { playWorkers } from "../helpers/workers-play.js";

const bin = postgresPath();
const cwd = suiteDir();

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

test.skipIf(bin === undefined)(
  "the same under --max-calls N: exactly N calls are counted, and no more arrive",
  async () => {
    const settings = { methods: "prompt,rag", users: 100, workers: 3, concurrency: 8, latencyMs: 150, stopMs: 5_000 };
    const { tries, arrived, exit } = await playWorkers(bin!, { ...settings, caps: ["--max-calls", "340"] });
    expect({ tries, exit }).toEqual({ tries: 340, exit: 1 });
    expect(arrived.calls).toBeLessThanOrEqual(340);
  },
);

test("a run without --workers loads neither package", () => {
  const library = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
  const script = `
    import { createRequire } from "node:module";
    const loaded = () => Object.keys(createRequire(${JSON.stringify(library)}).cache).filter((path) => /node_modules.(pg|bullmq)\\b/.test(path)).length;
    const { run } = await import(${JSON.stringify(library)});
    await run({ task: "lamp2m", method: "prompt", users: 1, out: "r" });
    const before = loaded();
    await run({ task: "lamp2m", method: "prompt", users: 1, out: "w", workers: "postgres://127.0.0.1:1/none" }).catch(() => undefined);
    console.log(before, loaded() > 0);
  `;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" });
  expect(said.trim().split("\n").at(-1)).toBe("0 true");
});

import { run } from "../../../src/commands/library.js";
import { fakeClock } from "../../helpers/fake-clock.js";

/** A run in a process of its own, so that it can be killed: `child.ts FOLDER REQUEST`, the request as JSON. Its last line is what it came to. */
const [cwd = ".", request = "{}"] = process.argv.slice(2);
const io = {
  cwd,
  env: process.env as Record<string, string>,
  clock: fakeClock(Date.UTC(2026, 10, 1)),
  node: "v20.0.0",
};
const { ended, summaries, calls } = await run(JSON.parse(request), { ...io, tell: () => undefined });
const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
const usd = summaries.reduce((sum, arm) => sum + (arm.usd ?? Number.NaN), 0);
console.log(JSON.stringify({ done: ended === "done" && failed === 0, usd, paidUsd: calls.paidUsd }));

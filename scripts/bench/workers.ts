import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCli } from "../../test/e2e/cli-process.js";
import { postgresPath, startPostgres } from "../../test/helpers/postgres.js";
import { fakeKey, startRatedServer } from "../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";

/**
 * `npm run bench -- workers [USERS] [RPM]`: a run of 1 and of 4 workers with so many users and 32 calls in flight each, against a server that takes 1 s for a
 * reply: calls a second from the first to the last tenth, and how much of four times one worker's is left. With RPM: the pace that 4 hold while one is killed every 8 s
 * and another started.
 */
export async function main([users = "400", rpm]: readonly string[]): Promise<void> {
  const bin = postgresPath();
  if (bin === undefined) throw new Error("no PostgreSQL here: apt-get install postgresql");
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  const postgres = await startPostgres(bin, []);
  const env = { OPENAI_API_KEY: fakeKey, LAMP_EVAL_WORKERS: postgres.url };
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 4 * Number(users) }, (_, i) => reviewUser(`u${i}`)),
  );
  try {
    await startCli(["worker", "--migrate"], { cwd, env }).exit;
    let one = 0;
    for (const count of rpm === undefined ? [1, 4] : [4]) {
      const at: number[] = [];
      const server = await startRatedServer({
        latencyMs: 1_000,
        forget: true,
        onArrival: () => void at.push(performance.now()),
      });
      const hire = () => startCli(["worker", "--concurrency", "32", "--base-url", `${server.url}/v1`], { cwd, env });
      const workers = Array.from({ length: count }, hire);
      const churn = setInterval(() => {
        if (rpm === undefined) return;
        workers.at(-count)!.kill("SIGKILL");
        workers.push(hire());
      }, 8_000);
      const pace = rpm === undefined ? [] : ["--set", `server.rpm=${rpm}`];
      const run = `run --task lamp3 --method prompt,rag --data reviews --model openai/local --base-url ${server.url}/v1 --workers --users ${count * Number(users)} --out run-${count}`;
      const { code, stderr } = await startCli([...run.split(" "), ...pace], { cwd, env }).exit;
      clearInterval(churn);
      for (const worker of workers) worker.kill("SIGTERM");
      await Promise.all(workers.map(({ exit }) => exit));
      await server.close();
      if (code !== 0) throw new Error(stderr);
      const [from, to] = [Math.floor(at.length / 10), Math.floor((at.length * 9) / 10)];
      const rate = ((to - from) / (at[to]! - at[from]!)) * 1000;
      if (count === 1) one = rate;
      const most = Math.max(
        ...at.map((start, i) => at.slice(i).findIndex((ms) => ms > start + 1000)).filter((n) => n > 0),
      );
      const share =
        count === 1 || rpm !== undefined
          ? ""
          : `, ${((100 * rate) / (count * one)).toFixed(0)} % of ${count} times one`;
      console.log(
        `${count} x 32: ${rate.toFixed(1)} calls a second (${at.length} calls, most in 1 s: ${most})${share}`,
      );
    }
  } finally {
    postgres.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Answers of programs come back from the record as replies do: nothing is started for what was answered. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCli } from "../e2e/cli-process.js";
import { until } from "../e2e/until.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { Command, env, expectSame } from "./command.js";
import { derivedFiles } from "./files.js";
import { servedModel, startUnevenServer } from "./uneven-server.js";

const root = suiteDir();
const program = fileURLToPath(new URL("../fixtures/exec/child.mjs", import.meta.url));
let server: ProviderServer;
beforeAll(async () => {
  server = await startUnevenServer();
});
afterAll(() => server.close());

/** A run whose program logs what it is sent beside the run folder. */
function command(name: string, mode: string, line = ""): Command {
  const made = new Command(join(root, name), `--config run.json ${line}`.trim());
  const script = join(made.cwd, "mine.mjs");
  writeFileSync(script, readFileSync(program));
  const method = [`exec:node mine.mjs ${mode} sent.jsonl`, "rag"];
  writeFileSync(join(made.cwd, "run.json"), JSON.stringify({ task: "lamp2m", method, users: 3, concurrency: 4 }));
  return made;
}

/** The ids of the questions that the program was sent, in order. */
function sent({ cwd }: Command): string[] {
  const log = join(cwd, "sent.jsonl");
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return lines.map((text) => JSON.parse(text)).flatMap(({ type, id }) => (type === "question" ? [id] : []));
}

test("a program that asks the run's model comes back with its calls in the bill", async () => {
  const asking = command(
    "asks",
    "ask",
    `--model ${servedModel} --base-url ${server.url} --repeats 2 --set temperature=0.9`,
  );
  await asking.finish();
  const before = sent(asking);
  expect(new Set(before).size).toBe(before.length / 2); // each repeat asks anew
  await asking.comesBack(() => server.requests.length);
  expect(sent(asking)).toEqual(before);
});

test("a run that was killed while its program worked asks it nothing that it had answered", async () => {
  const whole = await command("whole", "slow").finish();
  const killed = command("killed", "slow");
  const cli = startCli(killed.args, { cwd: killed.cwd, env });
  await until(() => sent(killed).length >= 5 || cli.ended);
  cli.kill("SIGKILL");
  expect((await cli.exit).signal).toBe("SIGKILL");
  const before = sent(killed);
  expectSame(await killed.finish(), whole);
  const twice = sent(killed).length - new Set(sent(killed)).size;
  expect(before.length).toBeGreaterThan(3);
  expect(twice).toBeLessThanOrEqual(1); // what was out when it was killed
});

test("what a program failed is asked again by the same command, and only that", async () => {
  const failing = command("fails", "crash", "--max-failed 1");
  await failing.finish();
  const before = sent(failing);
  expect(JSON.stringify(derivedFiles(failing.folder))).toContain("ended with code 3");
  await failing.finish();
  const again = sent(failing).slice(before.length);
  expect(again.length).toBeGreaterThan(0);
  expect(again.length).toBeLessThan(before.length / 2);
});

test("verify and --replay start nothing, and need no program on this machine", async () => {
  const line = `--model ${servedModel} --base-url ${server.url} --max-failed 1`;
  const made = command("recorded", "ask-then-refuse", line);
  await made.finish();
  const before = sent(made);
  renameSync(join(made.cwd, "mine.mjs"), join(made.cwd, "gone.mjs"));
  const run = (args: string) => runCommandLine(args.split(" "), { cwd: made.cwd, env });
  const verified = await run("verify out");
  expect({ code: verified.code, text: verified.stdout }).toMatchObject({ code: 0 });
  expect((await run("export out --form pack --out run.pack")).code).toBe(0);
  const packed = await run("verify run.pack");
  expect(packed).toMatchObject({ code: 0, stderr: "" });
  const replayed = await run(`run --config run.json ${line} --replay run.pack --out again`);
  expect(replayed.stderr).not.toContain("lacks");
  expect(replayed.code).toBe(0);
  expect(readFileSync(join(made.cwd, "again/rows.jsonl"), "utf8")).toBe(
    readFileSync(join(made.folder, "rows.jsonl"), "utf8"),
  );
  expect(sent(made)).toEqual(before);
});

test("a replay names what its recording lacks of a program", async () => {
  const few = command("few", "plain", "--limit 3");
  await few.finish();
  const { code, stderr } = await runCommandLine("run --config run.json --replay out --out more".split(" "), {
    cwd: few.cwd,
    env,
  });
  expect(code).toBe(14);
  expect(stderr).toMatch(/lamp2m exec:node mine.mjs plain sent.jsonl, question .*: answer/);
});

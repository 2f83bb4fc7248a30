import { expect, test } from "vitest";
import { commandGroups } from "../../src/commands/commands.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine, testIo } from "../helpers/test-io.js";

const line = "run --task lamp2m --method rag --users 1 --out";
const run = (args: string, cwd = tempDir()) => runCommandLine(args, { cwd });

test("--quiet prints results and errors only, --verbose every event of a run besides", async () => {
  const [usual, quiet, verbose] = await Promise.all(
    [`${line} a`, `--quiet ${line} a`, `${line} a --verbose`].map((one) => run(one)),
  );
  expect([usual!.code, quiet!.code, verbose!.code]).toEqual([0, 0, 0]);
  expect([quiet!.stdout, quiet!.stderr]).toEqual([usual!.stdout, ""]);
  const events = verbose!.stderr.split("\n").filter((text) => text.startsWith("{"));
  expect(events.map((text) => JSON.parse(text).kind).filter((kind) => kind === "question")).toHaveLength(4);
  expect(usual!.stderr).not.toContain('"kind"');
  const failed = await run(`${line} b --max-calls 2 --quiet`);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("--max-calls 2 is reached")]);
  expect((await run("report nowhere --quiet")).stderr).toContain("nowhere: no run here");
});

test("the help of every command fits 80 columns and has one example", async () => {
  const io = testIo({ cwd: "." });
  const names: string[] = [];
  for (const [name, { load }] of Object.values(commandGroups).flatMap((group) => Object.entries(group))) {
    const below = (await load(io)).commands.map((child) => `${name} ${child.name()}`);
    names.push(...(below.length > 0 ? below : [name]));
  }
  for (const name of names) {
    const { stdout } = await run(`${name} --help`);
    expect([name, stdout.split("\n").filter(({ length }) => length > 80)]).toEqual([name, []]);
    expect([name, stdout.match(/^Example: lamp-eval /gm)?.length]).toEqual([name, 1]);
  }
});

test("a printed command quotes what a shell would execute", async () => {
  const { stdout } = await runCommandLine(["init", "a $(touch X)"], { cwd: tempDir() });
  expect(stdout).toMatch(/^lamp-eval run --config 'a \$\(touch X\)\/lamp-eval\.yaml'/m);
});

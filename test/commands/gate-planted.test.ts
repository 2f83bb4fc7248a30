import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { exitCodes } from "../../src/commands/exit-code.js";
import { builtIn, gate, run as runMethods } from "../../src/index.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const made = "run --task lamp2m --method prompt,rag";
const codes = exitCodes.gate;

beforeAll(async () => {
  await run(`${made} --out recorded`);
  await run("export recorded --form pack --out run.pack");
  await run("gate recorded --write-baseline base.json");
});

describe("record, replay, gate", () => {
  test("an unchanged program passes by the same answers", async () => {
    expect((await run(`${made} --replay run.pack --out again`)).code).toBe(0);
    expect(await run("gate again --baseline base.json")).toMatchObject({
      code: codes.pass,
      stdout: expect.stringMatching(/^PASS: the same answers in 2 arms/),
    });
  });

  test.each([
    ["a changed prompt", "--set prompt.style=oppu"],
    ["k = 1", "--set rag.k=1"],
    ["a random retriever", "--set select=random"],
  ])("%s is a stale pack, and the gate of a run that asked anew is no PASS by equal answers", async (_, change) => {
    const out = change.replace(/\W+/g, "-");
    expect((await run(`${made} ${change} --replay run.pack --out stale${out}`)).code).toBe(codes["stale-pack"]);
    expect((await run(`gate stale${out} --baseline base.json`)).code).toBe(codes["stale-pack"]);
    await run(`${made} ${change} --out fresh${out}`);
    const { code } = await run(`gate fresh${out} --baseline base.json --strict`);
    expect([codes.fail, codes.unsure]).toContain(code);
  });

  test("a broken reader is found the same way: rows are made again from the pack and read otherwise", async () => {
    const lamp2m = builtIn.tasks.get("lamp2m");
    const tasks = builtIn.tasks.all.map((task) =>
      task === lamp2m ? { ...task, strict: () => ({ kind: "unparsed" as const }) } : task,
    );
    const broken = {
      ...builtIn,
      tasks: {
        ...builtIn.tasks,
        all: tasks,
        get: (name: string) => tasks.find((task) => task.name === name) ?? builtIn.tasks.get(name),
        find: (name: string) => tasks.find((task) => task.name === name),
      },
    };
    const io = { cwd, catalogue: broken, tell: () => {} };
    await runMethods({ task: "lamp2m", method: ["prompt", "rag"], replay: "run.pack", out: "misread" }, io);
    const found = await gate({ run: "misread", baseline: "base.json", margin: 1 }, io);
    expect(found.arms.map(({ rule }) => rule)).toEqual(["other scores", "other scores"]);
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const script = fileURLToPath(new URL("../../scripts/reference/check_inference.py", import.meta.url));

test.skipIf(!hasPython)("scores, intervals, p and gate are those of a recomputation in Python, to 1e-9", async () => {
  const two = "run --task lamp2m,lamp3 --method prompt,rag";
  await run(`${two} --out before`);
  await run(`${two} --set rag.k=1 --out after`);
  writeFileSync(join(cwd, "gate.json"), (await run("gate after --baseline before --json")).stdout);
  const { status, stdout, stderr } = spawnSync("python3", [script, "after", "before", "gate.json"], {
    cwd,
    encoding: "utf8",
  });
  expect({ status, stderr, differs: stdout.match(/.*DIFFERS/g) }).toEqual({ status: 0, stderr: "", differs: null });
  expect(stdout.trim().split("\n").length).toBeGreaterThan(24);
});

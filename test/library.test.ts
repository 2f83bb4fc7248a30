import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtIn, extended } from "../src/catalogue.js";
import { compare, gate, report, reproduce, verify, writeBaseline } from "../src/index.js";
import { tasks } from "../src/tasks/index.js";
import { reseal } from "./helpers/reseal.js";
import { suiteDir } from "./helpers/suite-dir.js";
import { runCommandLine } from "./helpers/test-io.js";

const cwd = suiteDir();
const text = async (line: string) => (await runCommandLine(line, { cwd })).stdout;

beforeAll(async () => {
  await text("run --task lamp2m --method prompt,rag --users 12 --queries-per-user 2 --out demo");
});

describe("a program gets from the library what the commands print", () => {
  test("the tables of a run, and its results as values", async () => {
    const { text: table, results, file } = await report({ run: "demo", form: "csv" }, { cwd });
    expect(table.trimEnd()).toBe(await text("report demo --format csv"));
    expect(results.map(({ method }) => method)).toEqual(["prompt", "rag"]);
    expect(file).toBeUndefined();
  });

  test("a comparison", async () => {
    const found = await compare({ a: "demo", method: "prompt", methodB: "rag" }, { cwd });
    expect(JSON.parse(await text("compare demo --method prompt --method-b rag --json"))).toEqual(plain(found));
  });

  test("a verdict, against a baseline that it wrote", async () => {
    expect(await writeBaseline({ run: "demo", file: "base.json", maxFailed: 0 }, { cwd })).toMatchObject({ arms: 2 });
    const found = await gate({ run: "demo", baseline: "base.json" }, { cwd });
    expect(found.verdict).toBe("pass");
    expect(JSON.parse(await text("gate demo --baseline base.json"))).toEqual({ exitCode: 0, ...plain(found) });
  });

  test("the checks of a run", async () => {
    const checks = await verify({ run: "demo" }, { cwd });
    expect(JSON.parse(await text("verify demo --json"))).toEqual(plain(checks));
  });

  test("the refusal to set simulated numbers beside a paper's", async () => {
    await expect(reproduce({ table: "000/T2", runs: ["demo"] }, { cwd })).rejects.toThrow("SIMULATED");
  });
});

describe("a run of a task from outside", () => {
  const mine = { ...tasks.get("lamp2m"), name: "mine", official: "Mine", aliases: [], title: "My own task" };
  const catalogue = extended(builtIn, { tasks: [mine] }, "this test");

  beforeAll(() => {
    cpSync(join(cwd, "demo"), join(cwd, "own"), { recursive: true });
    const path = join(cwd, "own", "manifest.json");
    const text = readFileSync(path, "utf8").replaceAll('"task": "lamp2m"', '"task": "mine"');
    writeFileSync(path, text.replaceAll(/"(name|dataset)": "demo"/g, '"$1": "planted"'));
    reseal(join(cwd, "own"));
  });

  test("is read where the task is handed in, by every reader", async () => {
    const io = { cwd, catalogue };
    expect((await report({ run: "own" }, io)).results.map(({ task }) => task)).toEqual(["mine", "mine"]);
    expect((await report({ run: "own", form: "html" }, io)).text).toContain("mine");
    const compared = await compare({ a: "own", method: "prompt", methodB: "rag" }, io);
    expect(compared.map(({ title }) => title)).toEqual(["My own task"]);
    expect((await gate({ run: "own", baseline: "own", task: ["mine"] }, io)).verdict).toBe("pass");
    expect((await verify({ run: "own" }, io)).find(({ name }) => name === "readings")?.state).not.toBe("FAILED");
  });

  test("is refused by the task's name where it is not", async () => {
    for (const read of [
      report({ run: "own" }, { cwd }),
      compare({ a: "own", method: "rag", methodB: "prompt" }, { cwd }),
    ])
      await expect(read).rejects.toThrow('unknown task "mine"');
  });
});

/** As JSON keeps it. */
const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/log/entry.js";
import { lineOf } from "../../src/log/entry.js";
import { openLog } from "../../src/log/log.js";
import { SCORES } from "../../src/log/pack.js";
import { WORKERS } from "../../src/run/run.js";
import type { Json } from "../../src/types/index.js";
import { changePlan } from "../helpers/planted-log.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const path = (...parts: string[]) => join(cwd, ...parts);

beforeAll(async () => {
  const users = Array.from({ length: 4 }, (_, i) => reviewUser(`u${i}`));
  writeReviews(path("data"), users);
  expect((await run("run --task lamp3 --method rag,prompt --data data --out good")).code).toBe(0);
  await run("export good --form pack --out whole.pack");
  await run("export good --form pack --without-requests --out bare.pack");
});

/** Changes the first place of a text in one file of a copy of the good run, and verifies it. */
async function edited(out: string, file: string, text: RegExp, by: string) {
  cpSync(path("good"), path(out), { recursive: true });
  const before = readFileSync(path(out, file), "utf8");
  const after = before.replace(text, by);
  expect(after).not.toBe(before);
  writeFileSync(path(out, file), after);
  return run(`verify ${out} --data data`);
}

const arms = ["lamp3 rag", "lamp3 prompt"];
const equal = (what: string) => expect.stringMatching(new RegExp(`^equal +${what} +recomputed and equal$`));

describe("lamp-eval verify", () => {
  test("a run and both its packs are recomputed and equal, arm by arm, and nothing is written", async () => {
    for (const [what, files] of [
      ["good", ["results.json", "results.csv"]],
      ["whole.pack", []],
      ["bare.pack", []],
    ] as const) {
      const { code, stdout } = await run(`verify ${what} --data data`);
      const [last, ...lines] = stdout.split("\n").reverse();
      expect({ what, code, lines: lines.reverse() }).toEqual({ what, code: 0, lines: [...arms, ...files].map(equal) });
      expect(last).toMatch(/^Recomputed by lamp-eval \S+ Verification does not detect invented replies, /);
    }
  });

  test.each([
    ["reply", /"text":"/, 1],
    ["fact", /"t":"fact"/, 0],
  ])(
    "an edited %s is a corrupt line, which is named; the run asks again what is lost, and is whole",
    async (out, text, sent) => {
      const { code, stderr } = await edited(out, "log.jsonl", text, "x");
      expect([code, stderr]).toEqual([2, expect.stringMatching(/1 line of the log corrupt \(first: line \d+\)/)]);
      const again = await run(`run --task lamp3 --method rag,prompt --data data --out ${out}`);
      expect([again.code, again.stderr]).toEqual([
        0,
        expect.stringContaining(`${sent} call${sent === 1 ? "" : "s"} sent`),
      ]);
      expect((await run(`verify ${out} --data data`)).code).toBe(0);
      await run(`export ${out} --form pack --out ${out}.pack`);
      expect((await run(`verify ${out}.pack --data data`)).code).toBe(0);
    },
  );

  test("a forged baseline is found, though everything made of it agrees", async () => {
    cpSync(path("good"), path("forged"), { recursive: true });
    changePlan(path("forged"), (manifest) => ({
      ...manifest,
      tasks: manifest.tasks.map((facts) => ({ ...facts, baselines: [{ name: "majority label", answers: "none" }] })),
    }));
    const { code, stdout } = await run("verify forged --data data");
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^DIFFERS +lamp3 baselines +not what the data give/m)]);
  });

  test("an edited row is named by its question, with what it says and what the log gives", async () => {
    const { code, stdout } = await edited("row", "rows.jsonl", /"gold":"5"/, '"gold":"4"');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIFFERS +lamp3 \w+ +question u\d-q\d: gold is "4", the log gives "5"$/m);
    expect(stdout.match(/^equal/gm)).toHaveLength(3);
  });

  test("an edited table is named", async () => {
    const { code, stdout } = await edited("table", "results.json", /"answered": \d/, '"answered": 9');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIFFERS +results\.json +not what the log gives/m);
  });

  test("a pack without requests holds no question, gold or row, and needs the data", async () => {
    const text = gunzipSync(readFileSync(path("bare.pack"))).toString("utf8");
    expect(text).not.toMatch(/"request":|"t":"row"|gold|lamp for the desk|u\d-q\d/);
    expect(gunzipSync(readFileSync(path("whole.pack"))).toString("utf8")).toMatch(/"t":"row".*"gold":"5"/);
    mkdirSync(path("elsewhere"));
    const { code, stderr } = await runCommandLine("verify ../bare.pack", { cwd: path("elsewhere") });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--data")]);
  });

  test("a pack names no folder and no database of this machine, and is still equal", async () => {
    await run(`run --task lamp3 --method rag --data ${path("data")} --out here`);
    const log = openLog(path("here"));
    const { end } = log.state;
    log.append({ t: "fact", name: WORKERS, value: { database: "db.internal:5432/runs" } });
    log.append({ t: "end", rows: "", by: "", ...end }); // still finished
    log.close();
    await run("export here --form pack --out here.pack");
    const text = gunzipSync(readFileSync(path("here.pack"))).toString("utf8");
    expect([cwd, "db.internal"].filter((place) => text.includes(place))).toEqual([]);
    expect((await run("verify here.pack --data data")).code).toBe(0);
  });

  test("a run of a task in YAML, and a pack of it, need its data and not its file", async () => {
    await run("init tickets");
    expect((await run("run --task tickets/own.yaml --data tickets/rows.jsonl --method rag --out own")).code).toBe(0);
    await run("export own --form pack --out own.pack");
    rmSync(path("tickets", "own.yaml"));
    for (const what of ["own", "own.pack"])
      expect(await run(`verify ${what} --data tickets/rows.jsonl`)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^equal +support-tickets rag /m),
      });
  });

  test("requests that the log lacks are counted, and the exit says so", async () => {
    cpSync(path("good"), path("lacks"), { recursive: true });
    const lines = readFileSync(path("lacks", "log.jsonl"), "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"kind":"reply"'));
    writeFileSync(path("lacks", "log.jsonl"), [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n"));
    const { code, stdout } = await run("verify lacks --data data");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIFFERS +lamp3 \w+ +the log lacks 1 request: lamp3 \w+, question u\d-q\d: answer$/m);
  });

  test("a pack with thousands of invented arms is told in a few lines, and one with an invented plan is refused", async () => {
    const entries = gunzipSync(readFileSync(path("whole.pack")))
      .toString("utf8")
      .trim()
      .split("\n");
    const forged = (name: string, forge: (entry: Entry) => Entry) =>
      writeFileSync(path(name), gzipSync(Buffer.concat(entries.map((line) => lineOf(forge(JSON.parse(line)))))));
    forged("arms.pack", (entry) => {
      if (entry.t !== "fact" || entry.name !== SCORES) return entry;
      const [first, ...more] = entry.value as Json[];
      const invented = Array.from({ length: 3000 }, (_, n) => ({ ...Object(first), arms: [`f${n}`] }));
      return { ...entry, value: [first!, ...more, ...invented] };
    });
    const { code, stdout } = await run("verify arms.pack --data data");
    expect([code, stdout.split("\n").length < 40]).toEqual([1, true]);
    expect(stdout).toMatch(/^DIFFERS +"f0" +is no arm of this run/m);
    forged("plan.pack", (entry) => {
      if (entry.t !== "plan") return entry;
      const plan = Object(entry.plan);
      return { ...entry, plan: { ...plan, plan: { ...plan.plan, sweep: { "rag.k": 3 } } } };
    });
    expect(await run("verify plan.pack --data data")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("plan.pack: its plan cannot be opened"),
    });
  });

  test.each([
    ["data", "data: no run here (no log.jsonl)"],
    ["data/users.json", "neither a run nor a pack"],
    ["begun", "begun: it has not finished"],
  ])("%s is refused in one line", async (what, said) => {
    if (what === "begun") await run("run --task lamp3 --method rag --data data --max-calls 1 --out begun");
    const { code, stderr } = await run(`verify ${what}`);
    expect([code, stderr.split("\n").length, stderr]).toEqual([2, 1, expect.stringContaining(said)]);
  });
});

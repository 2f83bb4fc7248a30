import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { renderTrained, trainBinary } from "../../../src/commands/rums/train.js";
import { seeded } from "../../../src/random/seeded.js";
import { readManifest } from "../../../src/run/manifest.js";
import { readLines, runFiles } from "../../../src/run/rows.js";
import { readBinary, userHash } from "../../../src/selectors/rums/classifier-file.js";
import type { Cell } from "../../../src/types/index.js";
import { changePlan } from "../../helpers/planted-log.js";
import { startProviderServer } from "../../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../../helpers/review-data.js";
import { suiteDir } from "../../helpers/suite-dir.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { runCommandLine, testIo } from "../../helpers/test-io.js";

const cwd = suiteDir();
const users = Array.from({ length: 10 }, (_, u) => reviewUser(`u${u}`, 6, 2));

/** A run whose utilities are planted: of each question's candidates one is worth most, those that came later the more often. */
beforeAll(async () => {
  writeReviews(join(cwd, "data"), users);
  await runCommandLine(
    "run --task lamp3 --method rums --data data --set rums.entropy=sample --set rums.filterItems=1 --out run",
    { cwd },
  );
  const [cell] = readManifest(join(cwd, "run"))!.plan.cells;
  const random = seeded("planted");
  const traces: object[] = [];
  for (const { user_id: user } of users)
    for (const at of [0, 1]) {
      const candidates = Array.from({ length: 6 }, (_, i) => `${user}-p${i}`);
      const best = Math.min(5, Math.floor(6 * Math.sqrt(random.next())));
      const scored = candidates.map((id, i) => ({ events: [id], utility: i === best ? 0.4 : 0.1 }));
      traces.push({
        cell: cell!.id,
        unit: user,
        question: `${user}-q${at}`,
        requests: [],
        notes: [
          {
            kind: "utilities",
            data: { entropy: "sample", plain: 1, rest: 0, threshold: 0, candidates, scored, best: 0.4 },
          },
        ],
      });
    }
  writeFileSync(join(cwd, "run", runFiles.traces), asLines(traces));
});

const asLines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

const io = testIo({ cwd });
const train = (more: object = {}) => trainBinary({ run: "run", data: "data", out: "model.json", ...more }, io);

describe("rums train", () => {
  test("fits on four of five users, tries it on the fifth ones, and writes a file that knows them all by hash", async () => {
    const trained = await train();
    expect(trained).toMatchObject({ path: "model.json", users: 10 });
    const file = readBinary(readFileSync(join(cwd, "model.json"), "utf8"), "model.json");
    expect(file).toEqual(trained.file);
    expect(file.trainedOn).toMatchObject({
      task: "lamp3",
      embedder: "embedded/hashed-1",
      pairs: 120,
      chosen: 20,
    });
    expect(file.trainedOn.users).toEqual(users.map(({ user_id: user }) => userHash(user)));
    expect(Object.values(file.priors).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(file.weights[file.features.indexOf("recency")]!).toBeGreaterThan(0.3);
    expect([Object.keys(trained.heldOut!), Object.keys(trained.bm25!)]).toEqual([["area"], ["area"]]); // of two held-out users
    expect([0, 0.5, 1, trained.heldOut!.area]).not.toContain(trained.bm25!.area);
  });

  test("holds nobody out of fewer than five users, and then tells no area: those were all fitted", async () => {
    cpSync(join(cwd, "run"), join(cwd, "four"), { recursive: true });
    const traces = join(cwd, "four", runFiles.traces);
    const lines = readFileSync(traces, "utf8").split("\n");
    writeFileSync(traces, lines.filter((line) => !/"unit":"u[4-9]"/.test(line)).join("\n"));
    const few = await train({ run: "four" });
    expect(few).toMatchObject({ users: 4, heldOut: undefined, bm25: undefined });
    expect(few.file.trainedOn.pairs).toBe(48);
  });

  test("says what was learned, and of what kind it is", async () => {
    const text = renderTrained(await train());
    expect(text).toMatch(
      /^rums-binary: 120 pairs of 10 users, 20 of them chosen; cosine -?\d\.\d\d, .*, and 15 components of products of vectors\n/,
    );
    expect(text).toMatch(/area under the curve \d\.\d{3}, BM25 alone \d\.\d{3}; cut-off 0\.\d+ with F1 0\.[1-9]/);
    expect(text).toContain("--set select=rums-binary:model.json");
    expect(text).toContain("over 22 features, not the paper's DeBERTa");
  });

  const withCells = (path: string, cells: Cell[]): void =>
    changePlan(path, (manifest) => ({ ...manifest, plan: { ...manifest.plan, cells } }));

  /** The run with a second cell that differs so, in a folder of this name. */
  function withSecondCell(folder: string, different: (cell: Cell) => Partial<Cell>): void {
    const path = join(cwd, folder);
    cpSync(join(cwd, "run"), path, { recursive: true });
    const [cell] = readManifest(path)!.plan.cells;
    withCells(path, [cell!, { ...cell!, ...different(cell!), id: "other" }]);
    for (const [name, kind] of [
      [runFiles.rows, "question"],
      [runFiles.traces, undefined],
    ] as const) {
      const record = [...readLines<{ kind?: string }>(join(path, name))].find((one) => one.kind === kind);
      appendFileSync(join(path, name), asLines([{ ...record, cell: "other" }]));
    }
  }

  test("refuses utilities of two arms, and names both", async () => {
    withSecondCell("two", ({ options }) => ({ options: { ...options, "rums.samples": 3 } }));
    await expect(train({ run: "two", out: "two.json" })).rejects.toThrow(
      "two: utilities of 2 arms: rums (rums.samples=5), rums (rums.samples=3); train on a run of one of them, made with its --method, --model and --set",
    );
    expect(existsSync(join(cwd, "two.json"))).toBe(false);
  });

  test("refuses utilities of two tasks, and names both", async () => {
    withSecondCell("tasks", () => ({ task: "lamp4" }));
    await expect(train({ run: "tasks" })).rejects.toThrow(
      "tasks: utilities of lamp3, lamp4; train on a run of one task",
    );
  });

  test("asks the run's own embedder, each text once", async () => {
    const asked: string[] = [];
    const server = await startProviderServer({
      reply({ body }) {
        asked.push(...(body as { input: string[] }).input);
        return undefined;
      },
    });
    const path = join(cwd, "served");
    cpSync(join(cwd, "run"), path, { recursive: true });
    const [cell] = readManifest(path)!.plan.cells;
    const embedder = { embedder: "openai/small", "embedder.baseUrl": `${server.url}/v1` };
    withCells(path, [{ ...cell!, options: { ...cell!.options, ...embedder } }]);
    const given = { run: "served", data: "data", out: "served.json" };
    const keyed = testIo({ cwd, env: { OPENAI_API_KEY: "sk-test-0123456789" } });
    const { file } = await trainBinary(given, keyed);
    expect(asked.length).toBeGreaterThan(60);
    expect(new Set(asked).size).toBe(asked.length);
    expect(file.trainedOn.embedder).toContain("openai/small");
    await server.close();
  });

  test("refuses a run whose data are not at hand, and writes nothing then", async () => {
    const elsewhere = tempDir();
    cpSync(join(cwd, "run"), join(elsewhere, "run"), { recursive: true });
    const given = { run: "run", out: "never.json" };
    await expect(trainBinary(given, testIo({ cwd: elsewhere }))).rejects.toThrow(
      /^run: its data cannot be read again .*; give the folder of data with --data$/,
    );
    expect(existsSync(join(elsewhere, "never.json"))).toBe(false);
  });
});

import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { readLines, runFiles } from "../../src/record/rows.js";
import { readBinary, userHash } from "../../src/selectors/rums/classifier-file.js";
import type { ArmSpec } from "../../src/types/index.js";
import { changePlan, sealRun } from "../helpers/planted-log.js";
import { startProviderServer } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const users = Array.from({ length: 10 }, (_, u) => reviewUser(`u${u}`, 6, 2));

/** A run whose utilities are planted: of each question's candidates one is worth most, those that came later the more often. */
beforeAll(async () => {
  writeReviews(join(cwd, "data"), users);
  await runCommandLine(
    "run --task lamp3 --method rums --data data --set rums.entropy=sample --set rums.filterItems=1 --out run",
    { cwd },
  );
  const [arm] = manifestIn(join(cwd, "run"))!.identity.arms;
  const random = seeded("planted");
  const traces: object[] = [];
  for (const { user_id: user } of users)
    for (const at of [0, 1]) {
      const candidates = Array.from({ length: 6 }, (_, i) => `${user}-p${i}`);
      const best = Math.min(5, Math.floor(6 * Math.sqrt(random.next())));
      const scored = candidates.map((id, i) => ({ events: [id], utility: i === best ? 0.4 : 0.1 }));
      traces.push({
        arm: arm!.id,
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
  sealRun(join(cwd, "run"));
});

const asLines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

const line = (run = "run", out = "model.json", env: Record<string, string> = {}, folder = cwd) =>
  runCommandLine(`rums train ${run} --data data --out ${out} --json`, { cwd: folder, env });
const train = async (...of: Parameters<typeof line>) => JSON.parse((await line(...of)).stdout);

describe("rums train", () => {
  test("fits on four of five users, tries it on the fifth ones, and writes a file that knows them all by hash", async () => {
    const trained = await train();
    expect(trained).toMatchObject({ path: "model.json", users: 10 });
    const file = readBinary(readFileSync(join(cwd, "model.json"), "utf8"), "model.json");
    expect(file.trainedOn).toMatchObject({ task: "lamp3", embedder: "embedded/hashed-1", pairs: 120, chosen: 20 });
    expect(file.trainedOn.users).toEqual(users.map(({ user_id: user }) => userHash(user)));
    expect(Object.values(file.priors).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(file.weights[file.features.indexOf("recency")]!).toBeGreaterThan(0.3);
    expect([0, 0.5, 1, trained.heldOut, undefined]).not.toContain(trained.bm25); // areas of two held-out users
  });

  test("holds nobody out of fewer than five users, and then tells no area: those were all fitted", async () => {
    cpSync(join(cwd, "run"), join(cwd, "four"), { recursive: true });
    const traces = join(cwd, "four", runFiles.traces);
    const lines = readFileSync(traces, "utf8").split("\n");
    writeFileSync(traces, lines.filter((line) => !/"unit":"u[4-9]"/.test(line)).join("\n"));
    sealRun(join(cwd, "four"));
    const few = await train("four");
    expect(few).toMatchObject({ users: 4, pairs: 48 });
    expect([few.heldOut, few.bm25]).toEqual([undefined, undefined]);
  });

  const withArms = (path: string, arms: ArmSpec[]): void =>
    changePlan(path, (manifest) => ({ ...manifest, identity: { ...manifest.identity, arms } }));

  /** The run with a second arm that differs so, in a folder of this name. */
  function withSecondArm(folder: string, different: (arm: ArmSpec) => Partial<ArmSpec>): void {
    const path = join(cwd, folder);
    cpSync(join(cwd, "run"), path, { recursive: true });
    const [arm] = manifestIn(path)!.identity.arms;
    withArms(path, [arm!, { ...arm!, ...different(arm!), id: "other" }]);
    for (const [name, kind] of [
      [runFiles.rows, "question"],
      [runFiles.traces, undefined],
    ] as const) {
      const record = [...readLines<{ kind?: string }>(join(path, name))].find((one) => one.kind === kind);
      appendFileSync(join(path, name), asLines([{ ...record, arm: "other" }]));
    }
    sealRun(path);
  }

  test("refuses utilities of two arms, and names both", async () => {
    withSecondArm("two", ({ options }) => ({ options: { ...options, "rums.samples": 3 } }));
    withSecondArm("tasks", () => ({ task: "lamp4" }));
    expect((await line("two", "two.json")).stderr).toContain(
      "two: utilities of 2 arms: lamp3 rums (rums.samples=5), lamp3 rums (rums.samples=3); train on a run of one of them",
    );
    expect((await line("tasks", "two.json")).stderr).toContain("lamp3 rums, lamp4 rums");
    expect(existsSync(join(cwd, "two.json"))).toBe(false);
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
    const [arm] = manifestIn(path)!.identity.arms;
    const embedder = { embedder: "openai/small", "embedder.baseUrl": `${server.url}/v1` };
    withArms(path, [{ ...arm!, options: { ...arm!.options, ...embedder } }]);
    await train("served", "served.json", { OPENAI_API_KEY: "sk-test-0123456789" });
    expect(asked.length).toBeGreaterThan(60);
    expect(new Set(asked).size).toBe(asked.length);
    expect(readFileSync(join(cwd, "served.json"), "utf8")).toContain("openai/small");
    await server.close();
  });

  test("refuses a run whose data are not at hand, and writes nothing then", async () => {
    const elsewhere = tempDir();
    cpSync(join(cwd, "run"), join(elsewhere, "run"), { recursive: true });
    const { stderr } = await runCommandLine("rums train run --out never.json", { cwd: elsewhere });
    expect(stderr).toMatch(/run: its data cannot be read again .*; give the folder of data with --data$/);
    expect(existsSync(join(elsewhere, "never.json"))).toBe(false);
  });
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf, unitRecordsOf } from "../../src/record/rows.js";
import { planned } from "../helpers/plan.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const configs = {
  "run.yaml": [
    "task: [lamp3]",
    "method: prompt, rag",
    "users: 4",
    "queriesPerUser: 1",
    "seed: 7",
    "set: { rag.k: 2, temperature: none }",
    "perTask: { LaMP_3: { rag.k: 3 } }",
    "",
  ].join("\n"),
  "on-preset.yaml": "extends: personaagent\nusers: 2\n",
};
const presetFolder = fileURLToPath(new URL("../../configs/presets", import.meta.url));
const presets = readdirSync(presetFolder).map((file) => file.replace(/\.yaml$/, ""));

beforeAll(() => {
  for (const [name, content] of Object.entries(configs)) writeFileSync(join(cwd, name), content);
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 4 }, (_, i) => reviewUser(`u${i + 10}`)),
  );
});

const specsOf = (out: string) => manifestIn(join(cwd, out))!.identity.arms; // written at the start of every run
const run = (line: string) => runCommandLine(`run ${line}`, { cwd });

describe("settings", () => {
  test("come from a config file, and each task may have its own options", async () => {
    expect((await run("--config run.yaml --out from-file")).code).toBe(0);
    const arms = specsOf("from-file");
    expect(arms.map(({ method }) => method)).toEqual(["prompt", "rag"]);
    expect(arms[1]).toMatchObject({ seed: 7, options: { "rag.k": 3, temperature: "none" } });
    expect(rowsOf(join(cwd, "from-file"))).toHaveLength(2 * 4);
  });

  test("of flags win over the file's, the others stay", async () => {
    expect((await run("--config run.yaml --method rag --set rag.k=1 --users 2 --out from-flags")).code).toBe(0);
    expect(specsOf("from-flags")).toMatchObject([
      { method: "rag", seed: 7, options: { "rag.k": 1, temperature: "none" } },
    ]);
    expect(rowsOf(join(cwd, "from-flags"))).toHaveLength(2);
  });

  test("of a file win over the preset that it extends", () => {
    const chosen = { task: "lamp2m", method: "rag" };
    const settings = planned({ ...chosen, config: "on-preset.yaml" }, cwd);
    const preset = planned({ ...chosen, preset: "personaagent" });
    expect(settings.users).toBe(2);
    expect({ ...settings.options }).toEqual({ ...preset.options });
    expect(settings.methods).toEqual(preset.methods);
  });

  test("have defaults that are written out in the manifest", async () => {
    await run("--task lamp3 --method rag --data reviews --out defaults");
    expect(specsOf("defaults")[0]).toMatchObject({
      seed: 0,
      repeat: 0,
      model: "offline/lexical",
      options: { "rag.k": 4, select: "own", temperature: 0.1 },
    });
  });

  test("that no chosen method reads are said to have no effect", async () => {
    const { stderr } = await run("--task lamp3 --method prompt --data reviews --set rag.k=2 --out unused");
    expect(stderr.split("\n")[0]).toMatch(/^lamp-eval run: lamp3 on data reviews, the embedded model/);
    expect(stderr).toMatch(/no effect on the chosen methods as they are set: rag\.k/);
    const preset = await run(
      "--task lamp3 --method prompt --data reviews --preset personaagent --set embedder=embedded/hashed-1 --out unused2",
    );
    expect(preset.code).toBe(0);
    expect(preset.stderr).not.toContain("no effect");
  });

  test("that name a selector where none is asked, or a second model that nobody asks, change no armSpec and are named", async () => {
    const idsOf = (out: string) => specsOf(out).map(({ method, id }) => `${method} ${id}`);
    const methods =
      "--task lamp3 --method react,rag,persona-agent-wo-memory --data reviews --users 1 --limit 1 --set wiki.mode=off";
    await run(`${methods} --out alone`);
    const named = await run(`${methods} --set model.reference=offline/lexical --set select=recency --out named`);
    expect(named.stderr).toContain("no effect on the chosen methods as they are set: model.reference\n");
    const [alone, given] = [idsOf("alone"), idsOf("named")];
    expect(given.map((id) => alone.includes(id))).toEqual([true, false, true]);
    await run(`${methods} --set react.tools=episodic-memory --set select=recency --out searching`);
    expect(idsOf("searching")[0]).not.toBe(alone[0]);
  });

  test("of a second model are part of arms that ask it", async () => {
    const asked = await run(
      "--task lamp3 --method rag --data reviews --users 1 --limit 1 --set select=rums --set model.reference=offline/lexical --out asked",
    );
    expect(asked.stderr).not.toContain("no effect");
    expect(specsOf("asked")[0]?.options).toMatchObject({ "model.reference": "offline/lexical" });
  });

  test("limit users, questions a user, questions in all and history", async () => {
    await run(
      "--task lamp3 --method rag --data reviews --users 3 --limit 5 --set history.limit=latest:1 --out limited",
    );
    const rows = rowsOf(join(cwd, "limited"));
    expect(rows).toHaveLength(5);
    expect(new Set(rows.map(({ user }) => user)).size).toBe(3);
    expect(unitRecordsOf(join(cwd, "limited")).map(({ historySize }) => historySize)).toEqual([1, 1, 1]);
  });
});

describe("the first line", () => {
  test("says demo data and simulated numbers, whatever key is there", async () => {
    const env = { OPENAI_API_KEY: "sk-fake-1234567", ANTHROPIC_API_KEY: "sk-ant-fake-1234567" };
    const { stderr, stdout } = await runCommandLine("run --task lamp3 --method prompt --users 1 --out demo", {
      cwd,
      env,
    });
    expect(stderr.split("\n")[0]).toMatch(
      /built-in demo data \(synthetic; .*\), the embedded model offline\/lexical.*SIMULATED/,
    );
    expect(stdout.split("\n")[0]).toMatch(/SIMULATED/);
  });
});

describe("presets", () => {
  test.each(presets)("%s names only what there is", async (preset) => {
    const ownTasks = /^task:/m.test(readFileSync(join(presetFolder, `${preset}.yaml`), "utf8"));
    const chosen = ownTasks ? "" : "--task lamp2m --method rag";
    const small = "--model offline/lexical --users 2 --limit 2 --set embedder=embedded/hashed-1";
    const { code, stdout, stderr } = await run(`--preset ${preset} ${chosen} ${small} --dry-run --out never`);
    expect({ stderr, code }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/total/);
    expect(existsSync(join(cwd, "never"))).toBe(false);
  });
});

describe("results on stdout", () => {
  test("are JSON and nothing else with --json, equal to results.json", async () => {
    const { stdout } = await run("--task lamp3 --method prompt,rag --data reviews --out json --json");
    expect(JSON.parse(stdout)).toMatchObject(JSON.parse(readFileSync(join(cwd, "json", "results.json"), "utf8")));
    expect(JSON.parse(stdout)).toMatchObject({ ended: "done", folder: "json", complete: true, simulated: true });
    expect(armRecords(stdout).map(({ method }) => method)).toEqual(["prompt", "rag"]);
  });

  test("are printed again by report, in every form", async () => {
    const { stdout } = await run("--task lamp3 --method rag --data reviews --out printed");
    expect((await runCommandLine("report printed", { cwd })).stdout).toBe(stdout);
    const forms = { "markdown --wide": "results.md", csv: "results.csv", json: "results.json", latex: "results.tex" };
    for (const [format, file] of Object.entries(forms))
      expect(`${(await runCommandLine(`report printed --format ${format}`, { cwd })).stdout}\n`).toBe(
        readFileSync(join(cwd, "printed", file), "utf8"),
      );
  });

  test("have a column for the spread between repeats, and questions are counted once each repeat", async () => {
    const { stdout } = await run("--task lamp3 --method prompt --data reviews --repeats 3 --out repeated");
    expect(stdout).toMatch(/^method .* sd /m);
    const arms = armRecords(readFileSync(join(cwd, "repeated", "results.json"), "utf8"));
    expect(arms).toEqual([expect.objectContaining({ repeats: 3, users: 4, n: 3 * 8 })]);
    expect(typeof arms[0]!.sd_repeats).toBe("number");
    expect((await run("--task lamp3 --method prompt --data reviews --out once")).stdout).not.toMatch(/^method .* sd /m);
  });
});

describe("a name that is not known", () => {
  test.each([
    ["--k 3", "unknown option '--k'; did you mean --set rag.k=3?"],
    ["--set rag.topk=3", "--set rag.topk: no such option; options of rag: "],
    ["--metric macro-f1", '--metric: unknown metric "macro-f1"; metrics: mention, match, accuracy, f1, precision,'],
    ["--metric match", "--metric match: it cannot score lamp2m"],
    ["--metric rmse", "--metric rmse: it cannot score lamp2m"],
  ])("%s leads to the one that is", async (flags, message) => {
    const { code, stderr } = await run(`--task lamp2m --method rag ${flags} --out unknown`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(cwd, "unknown"))).toBe(false);
  });
});

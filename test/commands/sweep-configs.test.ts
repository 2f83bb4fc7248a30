import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configJsonSchema } from "../../scripts/config-json-schema.js";
import { methods } from "../../src/methods/index.js";
import { presetFiles } from "../../src/plan/config.js";
import { allOptions } from "../../src/plan/options.js";
import { rowsOf } from "../../src/record/rows.js";
import { tasks } from "../../src/tasks/index.js";
import { planned } from "../helpers/plan.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const folder = fileURLToPath(new URL("../../configs", import.meta.url));
const shipped = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
/** What stands below the tables of a run folder: settings among it. */
const settingsIn = (out: string): string => readFileSync(join(cwd, out, "results.md"), "utf8");

describe("the shipped configs", () => {
  test.each([...presetFiles()])("%s names only what there is, and its schema", (name, path) => {
    const all = { task: [...tasks.names], method: [...methods.names] };
    const { options, tasks: planTasks } = planned(
      { ...all, ...parse(readFileSync(path, "utf8")), extends: undefined, preset: name },
      cwd,
    );
    const table = allOptions();
    for (const given of [options, ...planTasks.map((task) => task.options)])
      for (const [option, value] of Object.entries(given)) table[option]!.read(option, value);
    expect(readFileSync(path, "utf8")).toMatch(/^# yaml-language-server: \$schema=\.\.?\/lamp-eval\.schema\.json\n/);
  });

  test.each(shipped)("%s runs as it is on the demo profile, and the table says so", async (name) => {
    const small = name === "ci-smoke.yaml" ? "--users 2" : "--users 1 --limit 1";
    const line = `run --demo --config ${join(folder, name)} ${small} --out ${name}.out`;
    const { code, stdout, stderr } = await runCommandLine(line, { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/SIMULATED/);
    expect(settingsIn(`${name}.out`)).toMatch(/demo profile: embedded model and encoder/);
    const { arms: specs } = manifestIn(join(cwd, `${name}.out`))!.identity;
    expect(new Set(specs.map(({ model }) => model))).toEqual(new Set(["offline/lexical"]));
    expect(new Set(specs.map(({ options }) => options.embedder))).toEqual(new Set(["embedded/hashed-1"]));
    const outcomes = rowsOf(join(cwd, `${name}.out`)).map(({ outcome }) => outcome.kind);
    expect(outcomes.length).toBeGreaterThanOrEqual(specs.length);
    expect(outcomes).not.toContain("failed");
  });
});

describe("the demo profile", () => {
  test("leaves out tasks without demo data", async () => {
    const config = join(folder, "personaagent-fig4.yaml");
    const line = `run --demo --config ${config} --task lamp2m,lamp7 --method rag --users 1 --out replaced`;
    const { code } = await runCommandLine(line, { cwd });
    expect(code).toBe(0);
    const settings = settingsIn("replaced");
    expect(settings).toMatch(/no demo data, left out: lamp7/);
  });
});

describe("configs/lamp-eval.schema.json", () => {
  test("is what `npm run config-schema` makes of the options today", () => {
    expect(JSON.parse(readFileSync(join(folder, "lamp-eval.schema.json"), "utf8"))).toEqual(configJsonSchema());
  });

  test("knows keys, knobs, ranges and words", () => {
    const schema = configJsonSchema() as { properties: object; additionalProperties: boolean; $defs: object };
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["task", "kind", "sweep", "points", "demo"]));
    expect(schema).toMatchObject({
      $defs: {
        options: {
          additionalProperties: false,
          properties: {
            "agent.maxSteps": { type: "integer", minimum: 1, maximum: 100, default: 15 },
            "align.batch": { enum: ["latest", "rolling"] },
            "history.limit": { anyOf: [{ enum: ["all"] }, { type: "string", pattern: "^(latest):\\d+$" }] },
            temperature: { anyOf: [{ type: "number", minimum: 0, maximum: 2 }, { const: "none" }] },
          },
        },
      },
      properties: {
        sweep: {
          properties: { "memory.k": { type: "array", items: { $ref: "#/$defs/options/properties/memory.k" } } },
        },
      },
    });
    const { options } = schema.$defs as { options: { properties: object } };
    const { sweep } = schema.properties as { sweep: { properties: object } };
    expect(Object.keys(sweep.properties)).toEqual(Object.keys(options.properties)); // each axis leads to its option
  });
});

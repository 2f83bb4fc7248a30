import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { gateCommand } from "../../src/commands/gate.js";
import { reportCommand } from "../../src/commands/report.js";
import { runCommand } from "../../src/commands/run.js";
import { testIo } from "../helpers/test-io.js";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description?: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description?: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const text = readFileSync(new URL("../../action.yml", import.meta.url), "utf8");
const action = parse(text) as Action;
const io = testIo({ cwd: "/" });
const commands: readonly Command[] = [runCommand(io, async () => {}), gateCommand(io), reportCommand(io)];
const scripts = action.runs.steps.flatMap(({ run }) => run ?? []);

/** The command that a step's script calls. */
const called = (script: string): Command | undefined =>
  commands.find((command) => script.includes(`"$RUNNER_TEMP/lamp-eval" ${command.name()} `));

describe("action.yml", () => {
  test.each(scripts.filter((script) => called(script) !== undefined).map((script) => [called(script)!.name(), script]))(
    "every flag that it gives to lamp-eval %s exists",
    (_, script) => {
      const command = called(script)!;
      const known = ["--plugin", ...command.options.map(({ long }) => long)]; // every command takes --plugin
      const used = [...script.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
      expect(used.length).toBeGreaterThan(0);
      expect(used.filter((flag) => !known.includes(flag))).toEqual([]);
    },
  );

  test("every input is described and used, every used one is declared", () => {
    const used = new Set([...text.matchAll(/\binputs\.([a-z-]+)/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual(Object.keys(action.inputs).sort());
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)])
      expect(description).toMatch(/\w{3}/);
  });

  test("inputs reach scripts through the environment only, so that none is read as code", () => {
    for (const script of scripts) expect(script).not.toContain("${{");
    for (const { run, shell } of action.runs.steps) if (run !== undefined) expect(shell).toBe("bash");
  });

  test("arguments keep blanks inside quotes", () => {
    const [line = ""] = /mapfile -t arguments .*/.exec(text) ?? [];
    const script = `RUN=$'--task lamp2m\\n--set "a.b=x y"'; ${line}; printf '<%s>' "\${arguments[@]}"`;
    expect(spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout).toBe("<--task><lamp2m><--set><a.b=x y>");
  });
});

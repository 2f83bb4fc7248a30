import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openRequest } from "../../src/commands/run-request.js";
import { demoFolder } from "../../src/data/formats/index.js";
import { methods } from "../../src/methods/index.js";
import { readNote } from "../../src/notes/note.js";
import { rowsOf, runFiles, tracesOf, unitRecordsOf } from "../../src/record/rows.js";
import { callsPerQuestion, plannedIn } from "../../src/registry/further-models.js";
import type { World } from "../../src/run/world.js";
import { tasks } from "../../src/tasks/index.js";
import type { Row, UnitRecord } from "../../src/types/index.js";
import { outOfPlan } from "../helpers/contract/rows.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine, testIo } from "../helpers/test-io.js";

const size = { users: 2, queriesPerUser: 2 };
/** Licences keep LaMP-7 out of the demo data. */
const withDemoData = tasks.all.filter((task) => existsSync(demoFolder(task))).map(({ name }) => name);
const allPairs = withDemoData.flatMap((task) => methods.names.map((method) => [task, method] as const));
const isFit = ([task, method]: readonly [string, string]): boolean =>
  methods.get(method).unfit?.(tasks.get(task)) === undefined;
const pairs = allPairs.filter(isFit);
const unfitPairs = allPairs.filter((pair) => !isFit(pair));
const results = suiteDir();
const narrow = join(results, "narrow");
const wide = join(results, "wide");
let world: World;
let rows: Row[];
let units: UnitRecord[];

beforeAll(async () => {
  await runEverything(1, narrow);
  await runEverything(16, wide);
  rows = rowsOf(narrow);
  units = unitRecordsOf(narrow);
  world = await openRequest({ task: withDemoData, method: [...methods.names], ...size }, testIo({ cwd: results }));
});

describe("every method on every task", () => {
  test("at least the six tasks of the benchmark are tried", () =>
    expect(withDemoData.length).toBeGreaterThanOrEqual(6));

  test.each([runFiles.rows, runFiles.traces])("%s is the same at concurrency 1 and 16", (name) => {
    const bytes = readFileSync(join(narrow, name));
    expect(bytes.length).toBeGreaterThan(0);
    expect(readFileSync(join(wide, name)).equals(bytes)).toBe(true);
  });

  test.each([runFiles.markdown, runFiles.latex, runFiles.csv, runFiles.json])(
    "%s is the same at concurrency 1 and 16",
    (name) => {
      expect(readFileSync(join(wide, name), "utf8")).toBe(readFileSync(join(narrow, name), "utf8"));
    },
  );

  test("every note in a trace is of a kind that has a reader, and has that kind's form", () => {
    const notes = [...tracesOf(narrow)].flatMap((trace) => trace.notes);
    expect(new Set(notes.map(({ kind }) => kind)).size).toBeGreaterThan(8);
    for (const note of notes) expect(readNote(note)).toEqual(note);
  });

  test.each(unfitPairs)("%s %s says why it has no row", (task, method) => {
    expect(methods.get(method).unfit?.(tasks.get(task))).toMatch(/^its? .{20}/);
    expect(world.arms.filter(({ spec }) => spec.task === task && spec.method === method)).toEqual([]);
    expect(readFileSync(join(narrow, runFiles.markdown), "utf8")).toContain(`| ${method} | - | - |`);
  });

  test.each(pairs)("%s %s gives a row for every question, none of them failed", (task, method) => {
    const { spec, loaded } = armOf(task, method);
    const own = rows.filter((row) => row.arm === spec.id);
    const asked = [...loaded.units].flatMap(({ examples }) => examples.map(({ question }) => question.id));
    expect(own.map(({ question }) => question).sort()).toEqual(asked.sort());
    expect(own.filter(({ outcome }) => outcome.kind === "failed")).toEqual([]);
    expect(own.every(({ simulated }) => simulated === true)).toBe(true);
  });

  test.each(pairs)("%s %s keeps to the calls it plans", (task, method) => {
    const arm = armOf(task, method);
    const plan = arm.method.plan(arm.options);
    for (const unit of units.filter(({ arm: armId }) => armId === arm.spec.id)) {
      if (unit.shared === true) {
        expect(outOfPlan(unit.spend, plannedIn(plan.perArm?.() ?? {}, arm.spec)), unit.unit).toEqual([]);
        continue;
      }
      const { history } = [...arm.loaded.units].find(({ id }) => id === unit.unit)!.user;
      expect(outOfPlan(unit.spend, plan.perUnit(history)), `unit ${unit.unit}`).toEqual([]);
    }
    const heard = new Map(
      [...arm.loaded.units].flatMap(({ examples }) =>
        examples.map(({ question, before = [] }) => [question.id, before.length] as const),
      ),
    );
    for (const row of rows.filter(({ arm: armId }) => armId === arm.spec.id)) {
      const planned = plannedIn(callsPerQuestion(plan, arm.loaded.task, false, heard.get(row.question)), arm.spec);
      expect(outOfPlan(row.spend, planned), `question ${row.question}`).toEqual([]);
    }
  });

  test("a plan that is broken is noticed", () => {
    const one = { calls: 1, in: 1, out: 1 };
    expect(outOfPlan({ answer: one }, { answer: { low: 1, high: 2 } })).toEqual([]);
    expect(outOfPlan({ answer: one }, {})).toHaveLength(1);
    expect(outOfPlan({}, { answer: { low: 1, high: 2 } })).toHaveLength(1);
  });
});

async function runEverything(concurrency: number, folder: string): Promise<void> {
  const line = [
    `run --task ${withDemoData.join(",")} --method ${methods.names.join(",")} --users ${size.users}`,
    `--queries-per-user ${size.queriesPerUser} --concurrency ${concurrency} --out ${folder}`,
  ].join(" ");
  const { code, stderr } = await runCommandLine(line, { cwd: results });
  if (code !== 0) throw new Error(stderr);
}

function armOf(task: string, method: string) {
  return world.arms.find(({ spec }) => spec.task === task && spec.method === method)!; // every pair has an arm
}

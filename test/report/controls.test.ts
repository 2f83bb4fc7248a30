import { expect, test } from "vitest";
import { type SweepMaterial, sweepTables as tablesOf } from "../../src/report/sweep.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";
import { shown as shownTables } from "../helpers/table-texts.js";

const sweepTables = (material: SweepMaterial) => shownTables(tablesOf(material));
const wrongFor =
  (users: number): NonNullable<HandMadeArm["outcome"]> =>
  (user, _question, gold) =>
    answered(user < users ? (gold === "comedy" ? "sci-fi" : "comedy") : gold);
const arm = (control: string, wrong: number): HandMadeArm => ({
  method: "rag",
  options: { "history.control": control },
  outcome: wrongFor(wrong),
});
const sweep = {
  kind: "controls",
  axes: [{ knob: "history.control", values: ["right", "other-user", "shuffled", "none"], base: "right" }],
} as const;

test("a sweep of controls has each past beside the right one, what is undefined by name, and a line for what each is worth", () => {
  const material = handMade([arm("right", 1), arm("other-user", 11), arm("shuffled", 0), arm("none", 11)]);
  const undefinedFor = [{ task: material.facts[0]!.task, value: "deranged", reason: "the answers are no closed list" }];
  const [found] = sweepTables({ ...material, sweep: { ...sweep, undefinedFor } });
  expect(found?.table.rows.map((row) => row.slice(0, 2))).toEqual([
    ["rag", "right"],
    ["rag", "other-user"],
    ["rag", "shuffled"],
    ["rag", "deranged"],
    ["rag", "none"],
  ]);
  expect(found?.table.rows[3]?.[2]).toBe("n/a: the answers are no closed list");
  expect(found?.table.rows[1]?.[3]).toMatch(/^\+\.833 \[/);
  const notes = [...(found?.notes ?? []), ...(found?.legend ?? [])].join("\n");
  expect(notes).toMatch(/rag: the person \(right against other-user\): \+\.833 \[.*\], p /);
  expect(notes).toMatch(/rag: any past: .*: \.000 \[-\], p 1\.000/);
  expect(notes).toMatch(/rag: the shuffled past did BETTER than the right one, by \.083 \(p /);
  expect(notes).not.toMatch(/the label prior|the order/);
  expect(notes).toMatch(/\*: p ≤ \.05 after Holm over 3 comparisons/);
});

test("shuffled labels beside deranged ones are told as what they still hold: the prior, and links that stayed right", () => {
  const values = ["shuffled", "deranged"] as const;
  const material = handMade([arm("shuffled", 3), arm("deranged", 12)]);
  const [found] = sweepTables({
    ...material,
    sweep: { ...sweep, axes: [{ knob: "history.control", values, base: "shuffled" }] },
  });
  expect(found?.notes[0]).toMatch(
    /^rag: the label prior, and links left right \(shuffled against deranged\): \+\.750 \[.*\], p /,
  );
});

test("a control is undefined of the tasks that say so, and of no other", () => {
  const tasks = ["lamp2m", "lamp2n"];
  const material = handMade(
    tasks.flatMap((task) => ["right", "none"].map((control) => ({ ...arm(control, 1), task }))),
  );
  const undefinedFor = [{ task: "lamp2n", value: "deranged", reason: "the answers are no closed list" }];
  const pasts = (facts: typeof sweep | (typeof sweep & { undefinedFor: typeof undefinedFor })) =>
    sweepTables({ ...material, sweep: facts }).map(({ table }) => table.rows.map(([, control]) => control));
  expect(pasts({ ...sweep, undefinedFor })).toEqual([
    ["right", "none"],
    ["right", "deranged", "none"],
  ]);
  expect(pasts(sweep)).toEqual([
    ["right", "none"],
    ["right", "none"],
  ]);
});

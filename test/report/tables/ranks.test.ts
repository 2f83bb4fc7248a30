import { expect, test } from "vitest";
import { renderLatex } from "../../../src/report/tables/latex.js";
import { ranksTable } from "../../../src/report/tables/ranks.js";
import { answered, type HandMadeArm, handMade } from "../../helpers/chart-material.js";
import { shown } from "../../helpers/table-texts.js";

/** Says the gold to so many of a user's three questions. */
const right = (task: string, method: string, count: number, more: Partial<HandMadeArm> = {}): HandMadeArm => ({
  ...{ task, method, ...more },
  outcome: (_user, question, gold) => answered(question < count ? gold : wrong(gold)),
});
const wrong = (gold: string): string =>
  gold === "1" ? "5" : gold === "5" ? "1" : "action" === gold ? "comedy" : "action";

const tableOf = (arms: readonly HandMadeArm[], unfit: readonly { method: string; why: string }[] = []) => {
  const material = handMade(arms);
  return ranksTable(
    material.facts.map((fact) => (fact.task === "lamp3" ? { ...fact, unfit } : fact)),
    material,
  );
};
const arms = [
  right("lamp2m", "prompt", 0),
  right("lamp2m", "rag", 3),
  right("lamp2m", "pag", 3),
  right("lamp3", "prompt", 3),
  right("lamp3", "rag", 0),
];

test("ranks of each task alone: ties share one, the lower error is better, and what is shown bounds the interval", () => {
  const [table] = shown(tableOf(arms, [{ method: "pag", why: "a reason" }]));
  expect(table!.table.columns.map(({ title }) => title)).toEqual([
    "method",
    "LaMP-2M accuracy",
    "LaMP-2M rank [95 %]",
    "LaMP-3 mae",
    "LaMP-3 rank [95 %]",
  ]);
  expect(table!.table.rows.map(([method, , first, , second]) => [method, first, second])).toEqual([
    ["prompt", "3 [3, 3]", "1 [1, 1]"],
    ["rag", "1 [1, 2]", "2 [2, 2]"],
    ["pag", "1 [1, 2]", "-"],
  ]);
  expect(table!.notes).toEqual(["pag on lamp3: a reason"]);
});

test("a difference that is not shown bounds nothing, and Holm counts the pairs of one task alone", () => {
  const weak = (task: string, method: string, users: number): HandMadeArm => ({
    ...{ task, method },
    outcome: (user, _question, gold) => answered(user < users ? gold : wrong(gold)),
  });
  const two = [weak("lamp2m", "prompt", 6), weak("lamp2m", "rag", 8)];
  const ranksIn = (more: readonly HandMadeArm[]) =>
    shown(tableOf([...two, ...more]))[0]!.table.rows.map(([, , rank]) => rank);
  expect(ranksIn([right("lamp3", "prompt", 1), right("lamp3", "rag", 2)])).toEqual(["2 [1, 2]", "1 [1, 2]"]);
  const strong = arms.filter(({ task }) => task === "lamp2m");
  const many = Array.from({ length: 17 }, (_, n) => right("lamp3", `m${n}`, n % 4));
  expect(shown(tableOf([...strong, ...many]))[0]!.table.rows[0]![2]).toBe("3 [3, 3]");
});

test("none of one task or one method; in LaTeX the best rank is bold", () => {
  expect(tableOf(arms.slice(0, 3))).toEqual([]);
  expect(tableOf([arms[0]!, arms[3]!])).toEqual([]);
  expect(renderLatex(tableOf(arms))).toContain("\\textbf{1}");
});

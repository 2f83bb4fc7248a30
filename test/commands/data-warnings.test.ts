import { join } from "node:path";
import { expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const dryRun = async (name: string, users: readonly object[], more = "") => {
  writeReviews(join(cwd, name), users);
  return runCommandLine(`run --task lamp3 --method rag --data ${name} --dry-run ${more}`, { cwd });
};
const past = [
  { id: "a", text: "fine", score: "5", date: "2019-01-01" },
  { id: "b", text: "dull", score: "1" },
];

test("data that lack nothing bring no warning", async () => {
  const { code, stderr } = await dryRun("good", [reviewUser("a")]);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/ on good: /);
});

test("what data lack is said before the first call, a line each", async () => {
  const query = [{ id: "q", input: "plain words" }];
  const { code, stderr } = await dryRun("poor", [{ user_id: "u", profile: past, query }]);
  expect(code).toBe(0);
  expect(stderr.split("\n").filter((line) => line.startsWith("warning: lamp3 on poor: "))).toEqual([
    "warning: lamp3 on poor: no question has a gold answer, nothing will be scored",
    "warning: lamp3 on poor: questions not in the task's wording, taken whole: 1",
    "warning: lamp3 on poor: history items without a date, left behind the item before them in the file: 1 of 2",
  ]);
});

test("--data ROOT finds a folder for each of several tasks", async () => {
  for (const name of ["lamp3", "LaMP_4"]) writeReviews(join(cwd, "root", name), [reviewUser("a")]);
  const { stderr } = await runCommandLine("run --task lamp3,lamp4 --method rag --data root --dry-run", { cwd });
  expect(stderr).toMatch(/root.LaMP_4.users\.json: .*"title"/); // reviews are no headlines: the folder was found
  const missing = await runCommandLine("run --task lamp3,lamp5 --method rag --data root --dry-run", { cwd });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("no folder lamp5 in it") });
});

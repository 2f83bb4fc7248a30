import { expect, test } from "vitest";
import { countOf, nounOf } from "../../src/text/count.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

test("a number and its word agree", () => {
  expect([0, 1, 2, 1234].map((count) => countOf(count, "user"))).toEqual([
    "0 users",
    "1 user",
    "2 users",
    "1,234 users",
  ]);
  expect([1, 3].map((count) => nounOf(count, "try was", "tries were"))).toEqual(["try was", "tries were"]);
});

test("what is said of one user with one question is in the singular", async () => {
  const settings = { cwd: tempDir() };
  const said: string[] = [];
  for (const line of [
    "run --task lamp3 --method prompt --users 1 --limit 1 --out one",
    "report one",
    "report .",
    "gate one --write-baseline base.json",
    "gate one --baseline base.json --margin 4",
    "export one --form pack --out tape",
    "run --task lamp3 --method prompt --users 1 --limit 1 --replay tape --out again",
    "compare one again --methods prompt,prompt",
    "export one --form csv --out rows.csv",
    "verify one",
    "run --task lamp3 --method prompt --users 1 --limit 1 --dry-run",
  ]) {
    const { code, stdout, stderr } = await runCommandLine(line, settings);
    expect(code, `${line}\n${stderr}`).toBe(0);
    said.push(stdout, stderr);
  }
  const words =
    "users|questions|arms|calls|replies|rows|files|runs|tokens|charts|lines|requests|vectors|tries|repeats|arms";
  expect(said.join("\n").match(new RegExp(`(?<![\\d.,/=]|\\d of )\\b1 (${words})\\b.*`, "g")) ?? []).toEqual([]);
});

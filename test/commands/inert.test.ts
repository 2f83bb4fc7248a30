import { describe, expect, test } from "vitest";
import { escapeControls } from "../../src/commands/terminal.js";
import { writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string | readonly string[]) => runCommandLine(line, { cwd });
/** Clears the screen, sets a title, hides what follows, turns its direction; C0, C1 and beyond. */
const hostile = "\u001b[2J\u001b]0;title\u0007\u009b8m\u0000\b\u007f\u202e\u2066\rover";
const active = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

describe("what goes to the terminal", () => {
  test("is unchanged where it is clean, whatever its language", () => {
    for (const text of ["a\tb\nc\r\n", "naïve 日本語 עברית العربية 👩‍👩‍👧 ±≤…"])
      expect(escapeControls(text)).toBe(text);
  });

  test("shows each sign that a terminal would act on as an escape, which JSON reads as the same text", () => {
    expect(escapeControls(hostile)).not.toMatch(active);
    expect(escapeControls("\u001b[31m\rX\u202e")).toBe("\\u001b[31m\\u000dX\\u202e");
    expect(JSON.parse(escapeControls(JSON.stringify({ hostile })))).toEqual({ hostile });
  });

  test("holds no command to a CI runner but a gate's own annotations", () => {
    const ours = "::error title=lamp-eval gate::rag lost .1";
    expect(escapeControls(ours)).toBe(ours);
    const theirs = [
      "::set-env name=A::b",
      "x\n  ::add-mask::1",
      "::error::theirs",
      "a ##[command]b",
      "\t::stop-commands::t",
    ];
    for (const text of theirs) {
      expect(escapeControls(text)).not.toMatch(/^\s*::|##\[/m);
      expect(JSON.parse(escapeControls(JSON.stringify(text)))).toBe(text);
    }
    for (const text of ["a :: b", "lamp-eval::x", "C::D\n# [x]"]) expect(escapeControls(text)).toBe(text);
  });

  test("is inert in every command, with hostile ids and texts in data, arguments and errors", async () => {
    const id = `u${hostile}`;
    const profile = [1, 2].map((n) => ({
      id: `${n}${hostile}`,
      text: `good ${hostile}`,
      score: String(n + 2),
      date: "2015",
    }));
    const query = [1, 2].map((n) => ({
      id: `q${n}${hostile}`,
      input: `review: ${hostile} ${n}`,
      gold: "3",
      date: "2016",
    }));
    writeReviews(`${cwd}/data`, [{ user_id: id, profile, query }]);
    const lines: (string | readonly string[])[] = [
      "run --task lamp3 --method rag,pag,persona-agent-wo-action --data data --out r",
      "run --task lamp3 --method prompt,rag --data data --out s --seed 1",
      "show r --preparation",
      "report r",
      "compare r s --method rag --json",
      "data audit --task lamp3 --data data",
      "verify r",
      ["show", "r", "--user", hostile],
      ["run", "--task", hostile, "--method", "rag"],
      ["run", `--${hostile}`],
      [hostile],
      ["list", hostile],
    ];
    let quoted = 0;
    for (const line of lines) {
      const { stdout, stderr } = await run(line);
      expect(`${stdout}${stderr}`, String(line)).not.toMatch(active);
      if (`${stdout}${stderr}`.includes("\\u001b[2J")) quoted += 1;
    }
    expect(quoted).toBeGreaterThanOrEqual(6); // the data of this test does reach the terminal
  });
});

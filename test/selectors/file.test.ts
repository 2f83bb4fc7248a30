import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

describe("select=file:PATH", () => {
  const run = async (rankings: unknown) => {
    const cwd = tempDir();
    mkdirSync(cwd, { recursive: true });
    writeReviews(join(cwd, "reviews"), [reviewUser("u1"), reviewUser("u2")]);
    writeFileSync(join(cwd, "r.json"), JSON.stringify(rankings));
    const line = "run --task lamp3 --method rag --data reviews --set select=file:r.json --out out";
    return { cwd, ...(await runCommandLine(line, { cwd })) };
  };

  test("an id that is not in the visible history of its question is refused before the first call", async () => {
    const unknown = await run({ "u1-q1": ["nowhere"], q: [] });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/select=file:r\.json@\w{12}: /) });
  });

  test("an event named twice is refused; questions that are not asked are told in a line", async () => {
    expect(await run({ "u1-q1": ["u1-p0", "u1-p1", "u1-p0"] })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("question u1-q1 names event u1-p0 twice"),
    });
    const more = await run({ "u1-q1": [], gone: ["x"], "gone too": [] });
    expect(more).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /file:r\.json@\w{12}: ignored 2 of 3 questions that are not in this run: gone, \.\.\./,
      ),
    });
    expect((await run({ "u1-q1": [] })).stderr).not.toContain("not in this run");
  });

  test("a form that is none is refused by name", async () => {
    expect(await run(["x"])).toMatchObject({ code: 2, stderr: expect.stringContaining("expected {") });
  });
});

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

  test("an id that is not in the visible past of its question is refused before the first call", async () => {
    const unknown = await run({ "u1-q1": ["nowhere"], q: [] });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/select=file:r\.json@\w{12}: /) });
  });

  test("a form that is none is refused by name", async () => {
    expect(await run(["x"])).toMatchObject({ code: 2, stderr: expect.stringContaining("expected {") });
  });

  test("a file that is not there is refused by name", async () => {
    const cwd = tempDir();
    writeReviews(join(cwd, "reviews"), [reviewUser("u1")]);
    const line = "run --task lamp3 --method rag --data reviews --set select=file:gone.json --out out";
    expect(await runCommandLine(line, { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("gone.json"),
    });
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { embeddingsServer } from "./embeddings-server.js";

const KEY = "sk-embedder-0123456789";

function folder(): string {
  const cwd = tempDir();
  writeReviews(join(cwd, "reviews"), [reviewUser("u1"), reviewUser("u2")]);
  return cwd;
}

const run = (cwd: string, baseUrl: string, more = "") =>
  runCommandLine(
    `run --task lamp3 --method rag --data reviews --out out --set select=dense --set embedder=openai/small --set embedder.baseUrl=${baseUrl} ${more}`,
    { cwd, env: { OPENAI_API_KEY: KEY } },
  );

describe("a run with a costly embedder", () => {
  it("is priced by a dry run without it, which says what is missing and what stands for it", async () => {
    const line =
      "run --task lamp2m --method rag --users 2 --set select=dense --set embedder=openai/small --model openai/gpt-6-luna";
    expect(await runCommandLine(`${line} --dry-run`, { cwd: tempDir() })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/total .*\$/),
      stderr: expect.stringMatching(/OPENAI_API_KEY is not set.*embedded\/hashed-1 stands for it in this estimate/),
    });
    expect((await runCommandLine(line, { cwd: tempDir() })).code).toBe(2);
  });

  it("sends each text once, and none again when its rows are gone", async () => {
    const cwd = folder();
    const server = await embeddingsServer();
    const first = await run(cwd, server.url);
    expect(first.code, first.stderr).toBe(0);
    const sent = server.requests.flatMap(({ body }) => body.input);
    expect(sent.length).toBeGreaterThan(2);
    expect(new Set(sent).size).toBe(sent.length);
    const rows = readFileSync(join(cwd, "out", "rows.jsonl"), "utf8");

    for (const name of ["rows.jsonl", "traces.jsonl"]) writeFileSync(join(cwd, "out", name), "");
    const requests = server.requests.length;
    expect((await run(cwd, server.url)).code).toBe(0);
    expect(server.requests).toHaveLength(requests);
    expect(readFileSync(join(cwd, "out", "rows.jsonl"), "utf8")).toBe(rows);
    expect(readFileSync(join(cwd, "out", "log.jsonl"), "utf8")).not.toContain(KEY);
  });

  it("stops on a refused key with what to do, and goes on from there", async () => {
    const cwd = folder();
    let refuse = true;
    const server = await embeddingsServer(() =>
      refuse ? { status: 401, body: { error: { message: `wrong key ${KEY}` } } } : undefined,
    );
    const stopped = await run(cwd, server.url);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain("401 wrong key [redacted]; check OPENAI_API_KEY");
    expect(stopped.stderr).not.toContain(KEY);
    refuse = false;
    const resumed = await run(cwd, server.url);
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  it("refuses to go on with another way to compare vectors", async () => {
    const cwd = folder();
    const server = await embeddingsServer();
    expect((await run(cwd, server.url)).code).toBe(0);
    const changed = await run(cwd, server.url, "--set embedder.similarity=dot");
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain("holds a run with other settings (");
  });
});

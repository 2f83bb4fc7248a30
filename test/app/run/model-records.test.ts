import { join } from "node:path";
import { expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { anthropic } from "../../../src/models/anthropic.js";
import { readManifest } from "../../../src/run/manifest.js";
import { readModelRecords } from "../../../src/run/outside/servers.js";
import { noAbort, replyOf, scripted } from "../../helpers/model-request.js";
import { startProviderServer } from "../../helpers/provider-server.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { runCommandLine } from "../../helpers/test-io.js";

const capabilities = {
  thinking: { types: { disabled: { supported: false }, between_tools: { supported: true } } },
  effort: { low: { supported: true } },
};

it("a run asks once for the record of a Claude id that it does not know, goes by it, keeps it and tells that the model ends soon", async () => {
  const asked: string[] = [];
  const retires = new Date(Date.UTC(2026, 10, 1) + 9.5 * 86_400_000).toISOString();
  const server = await startProviderServer({
    record(path) {
      asked.push(path);
      return { id: "claude-next", max_input_tokens: 1_000_000, max_tokens: 64_000, retires_at: retires, capabilities };
    },
  });
  const cwd = tempDir();
  const run = (model: string, limit: number) =>
    runCommandLine(
      `run --task lamp3 --method prompt --limit ${limit} --model anthropic/${model} --base-url ${server.url} --out ${model}`,
      { cwd, env: { ANTHROPIC_API_KEY: "key-of-anthropic" } },
    );
  try {
    const first = await run("claude-next", 1);
    expect(first).toMatchObject({ code: 0 });
    expect(`${first.stdout}${first.stderr}`).toMatch(/anthropic\/claude-next ends on [\d-]+, in 10 days/);
    expect(asked).toEqual(["/v1/models/claude-next"]);
    expect(server.requests[0]?.body).toMatchObject({ thinking: { type: "between_tools" } });
    expect(readManifest(join(cwd, "claude-next"))?.endpoints?.["anthropic/claude-next"]).toMatchObject({
      changed: ["thinking is between_tools"],
      record: { in: 1_000_000, out: 64_000, retires },
    });
    expect(await run("claude-haiku-5-5", 1)).toMatchObject({ code: 0 });
    expect(asked).toHaveLength(1); // the table knows it
  } finally {
    await server.close();
  }
});

it("what was read is not asked again; a record that is not there is told and ends nothing; ends are known of table and record alike", async () => {
  const told: string[] = [];
  const asking = {
    signal: noAbort(),
    nowMs: Date.parse("2026-11-22T00:00:00Z"),
    tell: (line: string) => told.push(line),
  };
  const model = await anthropic.open("claude-next", { env: { ANTHROPIC_API_KEY: "k" }, concurrency: 1 });
  const never = () => Promise.reject(new Error("asked"));
  model.endpoint?.recall({ api: "messages", record: { retires: "2027-01-01T00:00:00Z" } });
  const failing = () => Promise.reject(new ModelError("404", { retryable: false, status: 404 }));
  const old = await anthropic.open("claude-sonnet-4-5", { env: { ANTHROPIC_API_KEY: "k" }, concurrency: 1 });
  const unread = { ...scripted(() => replyOf("x")), readRecord: failing };
  await readModelRecords([{ ...model, readRecord: never }, old, unread], asking);
  expect(told).toEqual([
    "anthropic/claude-sonnet-4-5 ends on 2026-11-30, in 8 days",
    expect.stringMatching(/^no record of this model can be read.*404/),
  ]);
});

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunRequest, run } from "../../src/index.js";
import { rowsOf } from "../../src/record/rows.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { entriesOf } from "../helpers/planted-log.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, promptOf, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";

const cwd = suiteDir();
let server: ProviderServer;

beforeAll(async () => {
  writeReviews(
    join(cwd, "reviews"),
    ["ann", "bob"].map((id) => reviewUser(id)),
  );
  server = await startRatedServer({
    fault: (request) =>
      /of bob\b/.test(promptOf(request)) ? { kind: "status", status: 400, message: "not to my taste" } : undefined,
  });
  await recorded({ out: "first" });
});
afterAll(() => server.close());

function recorded(more: RunRequest) {
  const request = { task: "lamp3", method: "prompt", data: "reviews", model: "openai/rated" } as const;
  const io = { cwd, env: { OPENAI_API_KEY: fakeKey }, clock: fakeClock(Date.UTC(2026, 10, 1)), tell: () => undefined };
  return run({ ...request, baseUrl: `${server.url}/v1`, ...more }, io);
}

test("a replay gives the rows of its run, failed ones too, and sends nothing", async () => {
  const sent = server.requests.length;
  const { calls, ended } = await recorded({ replay: "first", out: "replayed" });
  expect([ended, calls.sent, server.requests.length]).toEqual(["failures", 0, sent]);
  const rows = rowsOf(join(cwd, "first"));
  expect(rows.map(({ outcome }) => outcome.kind)).toEqual(["answered", "answered", "failed", "failed"]);
  expect(rowsOf(join(cwd, "replayed"))).toEqual(rows);
  expect(entriesOf(join(cwd, "replayed")).filter(({ t }) => t === "try")).toEqual([]);
});

test("requests that it lacks are counted and named, and end it as stale", async () => {
  const { ended, notices } = await recorded({ method: ["prompt", "rag"], replay: "first", out: "stale" });
  expect(ended).toBe("stale");
  const text = notices.map((notice) => JSON.stringify(notice)).join("\n");
  expect(text).toContain("first lacks 4 requests of this run");
  expect(text).toContain("lamp3 rag, question ann-q0: answer");
});

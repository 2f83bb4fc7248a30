import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { merge } from "../../src/app/merge/merge.js";
import { report } from "../../src/app/report/report.js";
import { run } from "../../src/app/run/run.js";
import { readManifest } from "../../src/run/manifest/manifest.js";
import type { Provider } from "../../src/types.js";
import { asking } from "../data/fixtures.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { replyOf, scripted } from "../helpers/model-request.js";
import { writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { tempDir } from "../helpers/temp-dir.js";

const USERS = 510;
const TEXT = "a sturdy kettle that boils fast and pours without any drip on the";

it("of data with many users near twins and the floor are counted while the first calls wait; a shard that was killed before is counted by the next process, and no merge takes it until then", async () => {
  const cwd = tempDir();
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: USERS }, (_, u) => ({
      user_id: `u${u}`,
      profile: [{ id: `p${u}`, text: `${TEXT} table ${u}`, score: u % 3 === 0 ? "5" : "2" }],
      query: [{ id: `q${u}`, input: asking(`${TEXT} shelf ${u}`), gold: "5" }],
    })),
  );
  const folder = (name: string): string => join(cwd, name);
  let calls = 0;
  const provider: Provider = {
    name: "some",
    summary: "answers",
    open: async () => ({
      ...scripted(() => {
        if (calls++ === 0) cpSync(folder("s1"), folder("killed"), { recursive: true });
        return replyOf("5");
      }),
      id: "some/model",
    }),
  };
  const io = { cwd, env: {}, clock: fakeClock(Date.UTC(2026, 10, 1)), node: "v20.19.0", tell: () => undefined };
  const request = { task: "lamp3", method: "prompt", data: "reviews", model: "some/model", providers: [provider] };

  for (const shard of [1, 2]) await run({ ...request, shard: `${shard}/2`, out: `s${shard}` }, io);
  expect(readManifest(folder("killed"))).toMatchObject({
    uncounted: true,
    tasks: [{ remarks: ["others: leave-one-out"] }],
  });
  expect((await report({ run: "killed" }, io)).text).toContain("stopped before its data were counted");
  const merged = async () => merge({ shards: ["s2", "killed"], out: "merged" }, io);
  await expect(merged()).rejects.toThrow("killed: shard 1/2 is not finished; the command that began it finishes it");
  await run({ ...request, shard: "1/2", out: "killed" }, io);
  const whole = (await merged()).manifest;

  const single = (await run({ ...request, out: "single" }, io)).manifest;
  expect(comparable(folder("merged"))).toEqual(comparable(folder("single")));
  for (const counted of [single, whole, readManifest(folder("killed"))!]) {
    expect(counted.uncounted).toBeUndefined();
    expect(counted.tasks).toEqual(single.tasks);
  }
  expect(single.tasks).toMatchObject([{ floor: { count: USERS } }]);
  expect(single.tasks[0]!.remarks).toContain(`shown to questions: ${USERS} past items (nearly its text)`);
});

it("a run that throws writes its manifest no more once its folder is free", async () => {
  const cwd = tempDir();
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: USERS }, (_, u) => ({
      user_id: `u${u}`,
      profile: [{ id: `p${u}`, text: `${TEXT} table ${u}`, score: "5" }],
      query: [{ id: `q${u}`, input: asking(`${TEXT} shelf ${u}`), gold: "5" }],
    })),
  );
  const provider: Provider = {
    name: "some",
    summary: "is broken",
    open: async () => ({
      ...scripted(() => {
        throw new TypeError("broken");
      }),
      id: "some/model",
    }),
  };
  const io = { cwd, env: {}, clock: fakeClock(Date.UTC(2026, 10, 1)), node: "v20.19.0", tell: () => undefined };
  const request = { task: "lamp3", method: "prompt", data: "reviews", model: "some/model", providers: [provider] };
  await expect(run({ ...request, out: "thrown" }, io)).rejects.toThrow("broken");
  const path = join(cwd, "thrown", "manifest.json");
  const left = readFileSync(path, "utf8");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(readFileSync(path, "utf8")).toBe(left);
});

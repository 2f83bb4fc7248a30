import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileArtifacts } from "../../src/run/artifacts.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { tempDir } from "../helpers/temp-dir.js";

const clock = fakeClock();
const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);

describe("artifacts on disk", () => {
  test("come back as they were put, from another process's store too", () => {
    const folder = tempDir();
    fileArtifacts(folder, { clock }).put("id", bytes);
    expect(fileArtifacts(folder, { clock }).get("id")).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(["id"]); // nothing half-written stays
  });

  test("a copy of what comes back starts with the content, not with the file", () => {
    const store = fileArtifacts(tempDir(), { clock });
    store.put("id", bytes);
    expect(new Uint8Array(store.get("id")?.slice().buffer ?? new ArrayBuffer(0))).toEqual(bytes);
  });

  test("that were never put are unknown, and asking makes no folder", () => {
    const folder = join(tempDir(), "later");
    expect(fileArtifacts(folder, { clock }).get("id")).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ["one flipped bit", (file: Buffer) => file.with(40, (file[40] ?? 0) ^ 1)],
    ["its end cut off", (file: Buffer) => file.subarray(0, -1)],
    ["hardly a byte left", (file: Buffer) => file.subarray(0, 3)],
  ])("with %s are unknown, and the next put mends them", (_what, damage) => {
    const folder = tempDir();
    const store = fileArtifacts(folder, { clock });
    store.put("id", bytes);
    writeFileSync(join(folder, "id"), damage(readFileSync(join(folder, "id"))));
    expect(store.get("id")).toBeUndefined();
    store.put("id", bytes);
    expect(store.get("id")).toEqual(bytes);
  });

  test("keep to their limit: those used longest ago go first, the one just put stays", () => {
    let nowMs = 1_000_000;
    const store = fileArtifacts(tempDir(), { clock: { now: () => (nowMs += 1000) }, maxBytes: 2 * 132 });
    store.put("a", bytes);
    store.put("b", bytes);
    expect(store.get("a")).toEqual(bytes); // now b is the one used longest ago
    store.put("c", bytes);
    expect(["a", "b", "c"].map((id) => store.get(id) !== undefined)).toEqual([true, false, true]);
    store.put("large", new Uint8Array(1000));
    expect(["a", "c", "large"].map((id) => store.get(id) !== undefined)).toEqual([false, false, true]);
  });

  test("are cleared of what a dead process left half-written, not of what is being written", () => {
    const folder = tempDir();
    const dayMs = 24 * 60 * 60 * 1000;
    writeFileSync(join(folder, "x.1.new"), "half");
    const storeAt = (ms: number) =>
      fileArtifacts(folder, { clock: { now: () => statSync(join(folder, "x.1.new")).mtimeMs + ms } });
    storeAt(dayMs - 1000).put("id", bytes);
    expect(readdirSync(folder).sort()).toEqual(["id", "x.1.new"]);
    let later = statSync(join(folder, "x.1.new")).mtimeMs + dayMs + 1000;
    fileArtifacts(folder, { clock: { now: () => later++ } }).put("id", bytes);
    expect(readdirSync(folder)).toEqual(["id"]);
  });
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileArtifacts } from "../../src/run/artifact-store.js";
import { tempDir } from "../helpers/temp-dir.js";

const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);

describe("artifacts on disk", () => {
  test("come back as they were put, from another process's store too", () => {
    const folder = tempDir();
    fileArtifacts(folder).put("id", bytes);
    expect(fileArtifacts(folder).get("id")).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(["id"]); // nothing half-written stays
  });

  test("a copy of what comes back starts with the content, not with the file", () => {
    const store = fileArtifacts(tempDir());
    store.put("id", bytes);
    expect(new Uint8Array(store.get("id")?.slice().buffer ?? new ArrayBuffer(0))).toEqual(bytes);
  });

  test("that were never put are unknown, and asking makes no folder", () => {
    const folder = join(tempDir(), "later");
    expect(fileArtifacts(folder).get("id")).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ["one flipped bit", (file: Buffer) => file.with(40, (file[40] ?? 0) ^ 1)],
    ["its end cut off", (file: Buffer) => file.subarray(0, -1)],
    ["hardly a byte left", (file: Buffer) => file.subarray(0, 3)],
  ])("with %s are unknown, and the next put mends them", (_what, damage) => {
    const folder = tempDir();
    const store = fileArtifacts(folder);
    store.put("id", bytes);
    writeFileSync(join(folder, "id"), damage(readFileSync(join(folder, "id"))));
    expect(store.get("id")).toBeUndefined();
    store.put("id", bytes);
    expect(store.get("id")).toEqual(bytes);
  });
});

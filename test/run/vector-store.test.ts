import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileVectors } from "../../src/run/replies.js";
import { sha256 } from "../../src/text/content-id.js";
import { tempDir } from "../helpers/temp-dir.js";

const [first, second] = [sha256("first"), sha256("second")];
const vector = Float32Array.of(0.1, -3e-30, 1 / 3, 0);

/** A closed store file that holds both vectors. */
function written(): string {
  const path = join(tempDir(), "vectors.jsonl");
  const store = new FileVectors(path);
  store.put(first, vector);
  store.put(
    second,
    vector.map((value) => -value),
  );
  store.close();
  return path;
}

describe("FileVectors", () => {
  it("gives vectors back bit for bit, in this process and the next", () => {
    const store = new FileVectors(written());
    expect(store.get(first)).toEqual(vector);
    expect(store.get(sha256("third"))).toBeUndefined();
    expect(store.size).toBe(2);
    store.close();
  });

  it("keeps the first vector of a key and writes it once", () => {
    const path = written();
    const bytes = readFileSync(path).length;
    const store = new FileVectors(path);
    store.put(first, Float32Array.of(9, 9, 9, 9));
    expect(store.get(first)).toEqual(vector);
    store.close();
    expect(readFileSync(path)).toHaveLength(bytes);
  });

  it("loses only the record that a killed process was writing, wherever it was cut", () => {
    const whole = written();
    const size = readFileSync(whole).length;
    for (const cut of [2, 3, 40, 100]) {
      const path = written();
      truncateSync(path, size - cut);
      const store = new FileVectors(path);
      expect(store.get(first)).toEqual(vector);
      expect(store.get(second)).toBeUndefined();
      store.put(second, vector);
      store.close();
      const next = new FileVectors(path);
      expect([next.get(first), next.get(second)]).toEqual([vector, vector]);
      next.close();
    }
  });

  it("takes a damaged record for a missing one, which can be put anew", () => {
    const path = written();
    writeFileSync(path, readFileSync(path, "utf8").replace(/"floats":"..../, '"floats":"'));
    const store = new FileVectors(path);
    expect(store.get(first)).toBeUndefined();
    expect(store.get(second)).toBeDefined();
    store.put(first, vector);
    expect(store.get(first)).toEqual(vector);
    store.close();
    const next = new FileVectors(path);
    expect(next.get(first)).toEqual(vector);
    next.close();
  });
});

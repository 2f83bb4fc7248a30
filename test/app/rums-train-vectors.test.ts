import { join } from "node:path";
import { expect, test } from "vitest";
import { vectorsOver } from "../../src/app/rums/train.js";
import { FileVectors } from "../../src/run/replies.js";
import { runFiles } from "../../src/run/run-files.js";
import { tempDir } from "../helpers/temp-dir.js";

test("vectors that the run has kept are not computed again; what is computed stands before them", () => {
  const run = tempDir();
  const [vector, other] = [Float32Array.of(0.5, -0.25), Float32Array.of(1, 0)];
  const stored = new FileVectors(join(run, runFiles.vectors));
  stored.put("kept", vector);
  stored.close();
  const vectors = vectorsOver(run);
  expect(vectors.get("kept")).toEqual(vector);
  expect(vectors.get("unknown")).toBeUndefined();
  vectors.put("kept", other);
  expect(vectors.get("kept")).toEqual(other);
  expect(vectorsOver(tempDir()).get("kept")).toBeUndefined();
});

import { expect, test } from "vitest";
import { vectorsOver } from "../../../src/commands/rums/train.js";
import { openLog } from "../../../src/log/log.js";
import { Answers, vectorsOf } from "../../../src/run/outside/answers.js";
import { tempDir } from "../../helpers/temp-dir.js";

test("vectors that the run has kept are not computed again; what is computed stands before them", () => {
  const folder = tempDir();
  const [vector, other] = [Float32Array.of(0.5, -0.25), Float32Array.of(1, 0)];
  const log = openLog(folder);
  log.append({ t: "plan", plan: {} });
  vectorsOf(new Answers(log)).put("kept", vector);
  log.close();
  const vectors = vectorsOver(folder);
  expect(vectors.get("kept")).toEqual(vector);
  expect(vectors.get("unknown")).toBeUndefined();
  vectors.put("kept", other);
  expect(vectors.get("kept")).toEqual(other);
});

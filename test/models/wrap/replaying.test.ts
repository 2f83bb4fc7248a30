import { expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { ReplayMiss, replaying } from "../../../src/models/wrap/cached.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

test("a replayed model reaches nothing: it misses what it is asked, and is not asked again", async () => {
  let calls = 0;
  const model = scripted(() => {
    calls++;
    return replyOf("x");
  });
  const stand = replaying(model);
  const miss = await stand.complete(ask("q"), noAbort()).catch((error: unknown) => error);
  expect(miss).toBeInstanceOf(ReplayMiss);
  expect(miss).toBeInstanceOf(ModelError);
  expect(miss).toMatchObject({ retryable: false, message: "not in the recording" });
  expect(calls).toBe(0);
  expect(stand).toMatchObject({ id: model.id, capabilities: model.capabilities, simulated: false });
});

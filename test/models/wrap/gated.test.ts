import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { gated } from "../../../src/models/wrap/adapted.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const refusing = (scope: "call" | "stop") =>
  scripted(() => {
    throw new ModelError("refused", { retryable: false, scope });
  });

describe("gated", () => {
  it("sends nothing once the run stops", async () => {
    const stop = new AbortController();
    const model = gated(
      scripted(() => replyOf("x")),
      stop,
    );
    expect((await model.complete(ask("x"), noAbort())).text).toBe("x");
    stop.abort(new Error("enough"));
    await expect(model.complete(ask("x"), noAbort())).rejects.toThrow("enough");
  });

  it("stops the run at a failure that no later call can escape", async () => {
    const stop = new AbortController();
    await expect(gated(refusing("stop"), stop).complete(ask("x"), noAbort())).rejects.toThrow("refused");
    expect(stop.signal.reason).toBeInstanceOf(ModelError);
  });

  it("lets the run go on after the failure of one call", async () => {
    const stop = new AbortController();
    await expect(gated(refusing("call"), stop).complete(ask("x"), noAbort())).rejects.toThrow("refused");
    expect(stop.signal.aborted).toBe(false);
  });
});

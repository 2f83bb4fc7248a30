import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { adapted, gated } from "../../src/outside/wire.js";
import type { ModelRequest } from "../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";

const NONE = { temperature: false, stop: false, logprobs: false, prefill: false, tools: false };

function recording(capabilities: Parameters<typeof scripted>[1]) {
  const sent: ModelRequest[] = [];
  const model = scripted((request) => {
    sent.push(request);
    return replyOf("x");
  }, capabilities);
  return { model, sent };
}

describe("adapted", () => {
  it("passes on untouched what the model takes", async () => {
    const { model, sent } = recording({});
    const request = ask("x", { temperature: 0, stop: ["\n"], logprobs: 5 });
    const fitting = adapted(model);
    await fitting.complete(request, noAbort());
    expect(sent[0]).toBe(request);
  });

  it("leaves out what the model does not take", async () => {
    const { model, sent } = recording({ temperature: false, logprobs: false });
    await adapted(model).complete(ask("x", { temperature: 0, logprobs: 5, stop: ["."] }), noAbort());
    expect(sent).toEqual([ask("x", { stop: ["."] })]);
  });

  it("puts the system prompt before the first message where the server takes no system role", async () => {
    const { model, sent } = recording({ foldsSystem: true, temperature: false });
    await adapted(model).complete(ask("x", { system: "S", opening: 1, temperature: 1 }), noAbort());
    await adapted(model).complete(ask("x"), noAbort());
    expect(sent).toEqual([ask("S\n\nx", { opening: 4 }), ask("x")]);
  });

  it("never drops tools or a prefilled reply", async () => {
    const fitting = adapted(recording(NONE).model);
    const tools = [{ name: "t", description: "d", parameters: {} }];
    await expect(fitting.complete(ask("x", { tools }), noAbort())).rejects.toThrow(/agent.protocol=text-react/);
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    await expect(fitting.complete(ask("x", { messages }), noAbort())).rejects.toThrow(/no prefilled reply/);
  });

  it("passes on tools and a prefilled reply where the model takes them, and a user's last turn always", async () => {
    const tools = [{ name: "t", description: "d", parameters: {} }];
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    const { model, sent } = recording({});
    await adapted(model).complete(ask("x", { tools, messages }), noAbort());
    const plain = recording(NONE);
    const dialogue = [...messages, { role: "user", content: "y" } as const];
    await adapted(plain.model).complete(ask("x", { messages: dialogue }), noAbort());
    expect([sent.length, plain.sent.length]).toEqual([1, 1]);
  });
});

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

type Step = readonly [text: string, error: ModelError] | "reply";
const refusal = (message: string, facts: Partial<ConstructorParameters<typeof ModelError>[1]> = {}) =>
  new ModelError(message, { retryable: false, status: 400, bill: "none", ...facts });
const different = (count: number, error: (index: number) => ModelError) =>
  Array.from({ length: count }, (_, i) => [`question ${i}`, error(i)] as const);

/** At which of these steps (from 1) the run stops, and why; step 0: at none. */
async function stopAt(...steps: readonly Step[]): Promise<{ step: number; reason: unknown }> {
  const stop = new AbortController();
  let step = 0;
  const model = gated(
    scripted(() => {
      const now = steps[step - 1]!;
      if (now === "reply") return replyOf("x");
      throw now[1];
    }),
    stop,
  );
  for (const now of steps) {
    step += 1;
    const request = { ...ask(now === "reply" ? "answered" : now[0]), sample: step };
    await model.complete(request, noAbort()).catch(() => undefined);
    if (stop.signal.aborted) return { step, reason: stop.signal.reason };
  }
  return { step: 0, reason: undefined };
}

describe("requests refused alike", () => {
  it("stop a run at the fifth different one, in one error that says so and that no try mends", async () => {
    const message = "no field 4; so for 5 different requests, and no reply in between";
    const reason = { message, retryable: false, scope: "stop", status: 400, bill: "none" };
    expect(await stopAt(...different(6, (i) => refusal(`no field ${i}`)))).toMatchObject({ step: 5, reason });
    expect((await stopAt(...different(5, () => refusal("bad field", { status: 422 })))).step).toBe(5);
  });

  it("are of their own questions where a reply came in between, the words differ, or one prompt is drawn", async () => {
    const four = different(4, () => refusal("bad field"));
    for (const steps of [
      [...four, "reply", ["another", refusal("bad field")]],
      [...four, ["another", refusal("bad thing")], ["one more", refusal("bad field")]],
      different(10, (i) => refusal(i % 2 === 0 ? "bad field" : "worse field")),
      different(10, () => refusal("bad field")).map(([, error]) => ["one prompt", error]),
    ] as Step[][])
      expect((await stopAt(...steps)).step).toBe(0);
  });

  it("are alike whatever the ids and numbers in their words are", async () => {
    const ids = ["req-0a1", "7", "A9_x", "b3", "abc-def-12"];
    const alike = (i: number) => refusal(`no field 5${i} in ${ids[i]} (request id q/${"x".repeat(i + 1)})`);
    expect((await stopAt(...different(5, alike))).step).toBe(5);
    for (const words of [
      (i: number) => `no ${["alpha", "beta", "gamma", "delta", "eps"][i]}`,
      (i: number) => `no (request ${"x".repeat(i)})`,
      (i: number) => `${i}: ${"x".repeat(i)}!`,
    ])
      expect((await stopAt(...different(5, (i) => refusal(words(i))))).step).toBe(0);
  });

  it.each([
    ["prompts that are too long", { tooLong: true }],
    ["throttles", { status: 429 }],
    ["errors of the server", { status: 500 }],
    ["what has no status", { status: undefined }],
  ])("are not %s", async (_what, facts) => {
    expect((await stopAt(...different(9, () => refusal("no", facts)))).step).toBe(0);
    const mixed: Step[] = [...different(4, () => refusal("no")), ["odd", refusal("no", facts)]];
    expect((await stopAt(...mixed, ["fifth", refusal("no")])).step).toBe(6);
  });

  it("count replies that cannot be read once all tries of a request brought one, at once where another try is of no use", async () => {
    const unread = (more: object) =>
      refusal('malformed reply: it begins "<html>"', { retryable: true, status: undefined, bill: "due", ...more });
    const rounds = Array.from({ length: 6 }, () => different(5, () => unread({}))).flat();
    expect(await stopAt(...rounds)).toMatchObject({
      step: 30,
      reason: { retryable: false, scope: "stop", bill: "due" },
    });
    expect((await stopAt(...rounds.slice(0, -1), "reply", ...rounds.slice(-1))).step).toBe(0);
    expect((await stopAt(...different(5, () => unread({ retryable: false })))).step).toBe(5);
  });
});

import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { adapted, gated, SameRefusals } from "../../../src/run/outside/wire.js";
import type { ModelRequest } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

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

const request = (text: string) => ask(text);
const refusal = (message: string, facts: Partial<ConstructorParameters<typeof ModelError>[1]> = {}) =>
  new ModelError(message, { retryable: false, status: 400, bill: "none", ...facts });

/** What comes of each refusal in turn: whether it stops the run. */
function stops(...refused: readonly (readonly [text: string, error: ModelError] | "reply")[]): boolean[] {
  const refusals = new SameRefusals();
  return refused.map((one) => {
    if (one !== "reply") return refusals.refused(request(one[0]), one[1]) !== undefined;
    refusals.replied();
    return false;
  });
}
const different = (count: number, error: (index: number) => ModelError) =>
  Array.from({ length: count }, (_, i) => [`question ${i}`, error(i)] as const);

describe("requests refused alike", () => {
  it("stop a run at the fifth different one, not before", () => {
    expect(stops(...different(6, () => refusal("bad field")))).toEqual([false, false, false, false, true, true]);
    expect(stops(...different(5, () => refusal("bad field", { status: 422 })))).toContain(true);
  });

  it("are of their own questions where a reply came in between, or the words differ", () => {
    const four = different(4, () => refusal("bad field"));
    expect(stops(...four, "reply", ["another", refusal("bad field")])).not.toContain(true);
    expect(stops(...four, ["another", refusal("bad thing")], ["one more", refusal("bad field")])).not.toContain(true);
    expect(stops(...different(10, (i) => refusal(i % 2 === 0 ? "bad field" : "worse field")))).not.toContain(true);
  });

  it("are alike whatever the ids and numbers in their words are", () => {
    const ids = ["req-0a1", "7", "A9_x", "b3", "abc-def-12"];
    expect(
      stops(...different(5, (i) => refusal(`no field 5${i} in ${ids[i]} (request id q/${"x".repeat(i + 1)})`)))[4],
    ).toBe(true);
    expect(stops(...different(5, (i) => refusal(`no ${["alpha", "beta", "gamma", "delta", "eps"][i]}`)))).not.toContain(
      true,
    );
    expect(stops(...different(5, (i) => refusal(`no (request ${"x".repeat(i)})`)))).not.toContain(true);
    expect(stops(...different(5, (i) => refusal(`${i}: ${"x".repeat(i)}!`)))).not.toContain(true);
  });

  it.each([
    ["prompts that are too long", { tooLong: true }],
    ["throttles", { status: 429 }],
    ["errors of the server", { status: 500 }],
    ["what has no status", { status: undefined }],
    ["what stops the run by itself", { scope: "stop" as const }],
  ])("are not %s", (_what, facts) => {
    expect(stops(...different(9, () => refusal("no", facts)))).not.toContain(true);
    const mixed = [...different(4, () => refusal("no")), ["odd", refusal("no", facts)] as const];
    expect(stops(...mixed)).not.toContain(true);
    expect(stops(...mixed, ["fifth", refusal("no")]).at(-1)).toBe(true);
  });

  it("count replies that cannot be read once all tries of a request brought one", () => {
    const page = refusal('malformed reply: it begins "<html>"', { retryable: true, status: undefined, bill: "due" });
    const rounds = Array.from({ length: 6 }, () => different(5, () => page)).flat();
    expect(stops(...rounds).indexOf(true)).toBe(rounds.length - 1);
    expect(stops(...rounds.slice(0, -1), "reply", ...rounds.slice(-1))).not.toContain(true);
    const refusals = new SameRefusals();
    const ends = rounds.map(([text, error]) => refusals.refused(request(text), error));
    expect(ends.at(-1)).toMatchObject({ retryable: false, scope: "stop", bill: "due" });
  });

  it("end in one error that says so and that no try mends", () => {
    const refusals = new SameRefusals();
    const found = different(5, (i) => refusal(`no field ${i}`)).map(([text, error]) =>
      refusals.refused(request(text), error),
    );
    expect(found.at(-1)).toMatchObject({
      message: "no field 4; so for 5 different requests, and no reply in between",
      retryable: false,
      scope: "stop",
      status: 400,
      bill: "none",
    });
  });
});

import { describe, expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { SameRefusals } from "../../../src/models/wrap/adapted.js";
import { says } from "../../helpers/engine-run.js";

const request = (text: string) => ({ ...says(text), maxTokens: 5, sample: 0 });
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
  test("stop a run at the fifth different one, not before", () => {
    expect(stops(...different(6, () => refusal("bad field")))).toEqual([false, false, false, false, true, true]);
    expect(stops(...different(5, () => refusal("bad field", { status: 422 })))).toContain(true);
  });

  test("are of their own questions where a reply came in between, or the words differ", () => {
    const four = different(4, () => refusal("bad field"));
    expect(stops(...four, "reply", ["another", refusal("bad field")])).not.toContain(true);
    expect(stops(...four, ["another", refusal("bad thing")], ["one more", refusal("bad field")])).not.toContain(true);
    expect(stops(...different(10, (i) => refusal(i % 2 === 0 ? "bad field" : "worse field")))).not.toContain(true);
  });

  test("are alike whatever the ids and numbers in their words are", () => {
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

  test.each([
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

  test("count replies that cannot be read once all tries of a request brought one", () => {
    const page = refusal('malformed reply: it begins "<html>"', { retryable: true, status: undefined, bill: "due" });
    const rounds = Array.from({ length: 6 }, () => different(5, () => page)).flat();
    expect(stops(...rounds).indexOf(true)).toBe(rounds.length - 1);
    expect(stops(...rounds.slice(0, -1), "reply", ...rounds.slice(-1))).not.toContain(true);
    const refusals = new SameRefusals();
    const ends = rounds.map(([text, error]) => refusals.refused(request(text), error));
    expect(ends.at(-1)).toMatchObject({ retryable: false, scope: "stop", bill: "due" });
  });

  test("end in one error that says so and that no try mends", () => {
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

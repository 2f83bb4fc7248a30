import { describe, expect, test } from "vitest";
import { type GatedArm, isIdentical } from "../../../src/report/gate/pairs.js";
import { contentId } from "../../../src/text/content-id.js";
import { gatedArm, gatedQuestions, gatedSide, replies } from "../../helpers/gated-arm.js";

describe("the same requests with the same answers", () => {
  const asked = { ...gatedSide, requests: ["r0", "r1"], repeats: 2 };
  const same = gatedQuestions([replies(1, 0), replies(0, 0)], [replies(1, 0), replies(0, 0)]);
  const identical = (over: Partial<GatedArm["candidate"]> = {}, more: Partial<GatedArm> = {}) =>
    isIdentical(gatedArm(same, { baseline: asked, candidate: { ...asked, ...over }, ...more }));

  const nothingAsked = () => {
    const silent = { ...asked, requests: [contentId([]), contentId([])] };
    return isIdentical(gatedArm(same, { baseline: silent, candidate: silent }));
  };

  test("are identical, also where the same repeat failed in both", () => {
    expect(identical()).toBe(true);
    const both = [...replies(1), undefined];
    expect(identical({}, { questions: [{ ...same[0]!, baseline: both, candidate: both }] })).toBe(true);
  });

  test.each([
    ["another model", () => identical({ model: "x/z" })],
    ["another request in one repeat", () => identical({ requests: ["r0", "r2"] })],
    ["requests known of one repeat only", () => identical({ requests: ["r0"] })],
    ["a repeat more", () => identical({ requests: ["r0", "r1", "r2"], repeats: 3 })],
    ["a repeat fewer", () => identical({ requests: ["r0"], repeats: 1 })],
    ["unknown requests of the baseline", () => identical({}, { baseline: { ...asked, requests: [] } })],
    ["an answer that failed", () => identical({}, { leftOut: { onlyA: 0, onlyB: 0, failed: 1, noGold: 0 } })],
    ["an answer that is absent", () => identical({}, { leftOut: { onlyA: 1, onlyB: 0, failed: 0, noGold: 0 } })],
    ["no request at all, as of imported predictions", () => nothingAsked()],
    ["no question", () => identical({}, { questions: [] })],
    [
      "one repeat that reads otherwise",
      () => identical({}, { questions: [...same, ...gatedQuestions([replies(1, 0)], [replies(1, 1)])] }),
    ],
    [
      "a reply more to one question",
      () => identical({}, { questions: [{ ...same[0]!, candidate: replies(1, 0, 0) }] }),
    ],
    [
      "a repeat that failed in one of them",
      () => identical({}, { questions: [{ ...same[0]!, candidate: [same[0]!.baseline[0], undefined] }] }),
    ],
  ])("with %s are not", (_, judged) => expect(judged()).toBe(false));
});

import { describe, expect, test } from "vitest";
import { askedRoles, withoutUnasked } from "../../src/registry/further-models.js";
import type { CallPlan, CallRange } from "../../src/types/index.js";

const one = { low: 0, high: 1 };
const methodWith = (plan: Partial<CallPlan>) => ({
  plan: (): CallPlan => ({ perUnit: () => ({}), perQuestion: () => ({ answer: one }), ...plan }),
});
const reference: CallRange = { "select@reference": one };

describe("the further models that a method asks", () => {
  test.each<[string, Partial<CallPlan>, string[]]>([
    ["a question", { perQuestion: () => reference }, ["reference"]],
    ["a past, if there is one", { perUnit: (past) => (past.length > 0 ? reference : {}) }, ["reference"]],
    ["a learned question", { perLearned: () => ({ "update@judge": one }) }, ["judge"]],
    ["a turn that is asked", { perObserved: (asked) => (asked ? reference : {}) }, ["reference"]],
    ["a turn that is not", { perObserved: (asked) => (asked ? {} : reference) }, ["reference"]],
    ["what all share", { perArm: () => reference }, ["reference"]],
    ["nothing", {}, []],
  ])("are those that its plan has calls of, for %s", (_what, plan, roles) => {
    expect([...askedRoles(methodWith(plan), {})]).toEqual(roles);
  });

  test("alone are part of its arms", () => {
    const options = { "model.reference": "a/b", "model.judge": "c/d", seed: 1 };
    expect(withoutUnasked(options, new Set(["judge"]))).toEqual({ "model.judge": "c/d", seed: 1 });
    expect(withoutUnasked(options, new Set(["judge", "reference"]))).toEqual(options);
  });
});

import { describe, expect, test } from "vitest";
import { furtherModels, modelOf, phaseAt, plannedIn } from "../../src/registry/further-models.js";

const arm = { model: "x/answers", options: { "model.reference": "x/sure", "model.judge": "" } };

describe("further models of an arm", () => {
  test("are those that its options name", () => {
    expect(furtherModels(arm)).toEqual({ reference: "x/sure" });
    expect(furtherModels({ options: {} })).toEqual({});
  });

  test("answered the calls of phases with their role; the model that answers all others", () => {
    expect(modelOf(phaseAt("select", "reference"), arm)).toBe("x/sure");
    expect(modelOf("select", arm)).toBe("x/answers");
    expect(modelOf("judge@judge", arm)).toBe("x/answers");
  });

  test("take the calls planned for them; where none is named the model that answers does", () => {
    const one = { low: 1, high: 2 };
    const plan = { select: one, "select@reference": { low: 3, high: 4 } };
    expect(plannedIn(plan, arm)).toEqual(plan);
    expect(plannedIn(plan, { options: {} })).toEqual({ select: { low: 4, high: 6 } });
  });
});
